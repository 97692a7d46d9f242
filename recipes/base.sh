#!/usr/bin/env bash
# The whole recipe of base: from nothing to weights that play. docs/TRAINING.md says what each line is for.
# Every step goes on where it stopped when the script runs again. RUN is the folder of everything that it makes.
set -euo pipefail
RUN=${RUN:-runs/base}
CLIPS=${CLIPS:-1536}           # clips of 32 frames at 672x384 to learn from
FINE=${FINE:-256}              # clips of 32 frames at 1344x768 to be tuned on
PAINTOVER=${PAINTOVER:-paintover}
# Several GPUs: TRAIN="torchrun --standalone --nproc-per-node 2 --local-ranks-filter 0 -m demos.cli train"
TRAIN=${TRAIN:-$PAINTOVER train}
TIMES=${TIMES:-1500,900,600,900} # seconds of the four stages at 672x384
FINE_TIME=${FINE_TIME:-900}      # seconds of refinement at 1344x768

clips() { # folder, size, count, seed, then the rest
    $PAINTOVER clips "$1" --size "$2" --count "$3" --seed "$4" "${@:5}" ${RENDERERS:+--renderers "$RENDERERS"}
}
clips "$RUN/train" 672x384 "$CLIPS" "${SEED:-1}" --frames 32 --planes depth
clips "$RUN/held-out" 672x384 32 2 --frames 64 --planes depth,motion --split held-out
$TRAIN autoencoder teacher-forcing resampling refinement --preset base --clips "$RUN/train" --held-out "$RUN/held-out" \
    --folder "$RUN" --seconds "$TIMES" --crop 256 --batch 12,64,64,8 --rate 1.5e-3,7e-4,4e-4,2e-4 --compile --json

clips "$RUN/fine/train" 1344x768 "$FINE" "${SEED:-1}" --frames 32 --planes depth
clips "$RUN/fine/held-out" 1344x768 8 2 --frames 64 --planes depth,motion --split held-out
$TRAIN refinement --preset base --clips "$RUN/fine/train" --held-out "$RUN/fine/held-out" --folder "$RUN/fine" \
    --start-from "$RUN/weights" --seconds "$FINE_TIME" --batch 2 --rate 1e-4 --compile --json
$PAINTOVER pack "$RUN/fine" --preset base --ratio 0.22
