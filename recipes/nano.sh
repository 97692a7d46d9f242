#!/usr/bin/env bash
# The whole recipe of nano: from nothing to weights that play. docs/TRAINING.md says what each line is for.
# Every step goes on where it stopped when the script runs again. RUN is the folder of everything that it makes.
set -euo pipefail
RUN=${RUN:-runs/nano}
CLIPS=${CLIPS:-1536}           # clips of 64 frames to train on; two places a look
PAINTOVER=${PAINTOVER:-paintover}
# Several GPUs: TRAIN="torchrun --standalone --nproc-per-node 2 --local-ranks-filter 0 -m demos.cli train"
TRAIN=${TRAIN:-$PAINTOVER train}
TIMES=${TIMES:-900,60,240,300,480} # seconds of the five stages below

common=(--size 448x256 --frames 64)
$PAINTOVER clips "$RUN/train" --count "$CLIPS" --seed "${SEED:-1}" "${common[@]}" --planes depth ${RENDERERS:+--renderers "$RENDERERS"}
$PAINTOVER clips "$RUN/held-out" --split held-out --count 32 --seed 2 "${common[@]}" --planes depth,motion ${RENDERERS:+--renderers "$RENDERERS"}
$TRAIN autoencoder segmenter teacher-forcing resampling refinement --clips "$RUN/train" --held-out "$RUN/held-out" \
    --folder "$RUN" --seconds "$TIMES" --compile --json
$PAINTOVER pack "$RUN"
