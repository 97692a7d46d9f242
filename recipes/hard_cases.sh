#!/usr/bin/env bash
# The hard cases of a renderer, a film each (class map | picture), and a sheet of all: recorded once, painted by PRESET.
# RUN is the folder of everything that it makes; what is there already is kept.
set -euo pipefail
RUN=${RUN:-runs/hard-cases}
PRESET=${PRESET:-nano}
SIZE=${SIZE:-448x256}
PAINTOVER=${PAINTOVER:-paintover}
mkdir -p "$RUN"

drives=()
drive() { # name, manner, track, look, rivals, seconds, seconds to leave out
    drives+=("$RUN/$1")
    [ -d "$RUN/$1" ] || $PAINTOVER record --out "$RUN/$1" --manner "$2" --track "$3" --look "$4" --rivals "$5" --seconds "$6" --size "$SIZE"
    [ -f "$RUN/$1.mp4" ] || $PAINTOVER replay "$RUN/$1" --views none --film "$RUN/$1.mp4" --view split --begin "$7" --preset "$PRESET"
}
drive standing      stand   vineyard-hill  golden-hour    7 66 4
drive reversing     reverse vineyard-hill  clear-midday   3 20 4
drive spinning      spin    gull-cliff     overcast       3 24 4
drive contact       ram     silver-lake    clear-midday  15 20 4
drive full-grid     race    harbour-ring   early-morning 15 12 0
drive leaving-road  stray   vineyard-hill  summer-haze    3 36 4
drive under-trees   race    pine-hollow    broken-clouds  3 24 4
drive bridge        race    ribbon-eight   sunset         3 40 4
# Spinning, on the grass, in the crowd: half a second and more after each case has begun.
$PAINTOVER gallery "${drives[@]}" --out "$RUN/gallery" --begin 9.5 --seconds 2.5 --view split --preset "$PRESET" --sheet-kb "${SHEET_KB:-300}"
