#!/usr/bin/env bash
# Goes on from the shipped weights of PRESET, nano or base: new clips of its size, then the last stages, with a reader that is
# taught to see where the light stands. Every step goes on where it stopped when the script runs again.
set -euo pipefail
PRESET=${PRESET:-nano}
RUN=${RUN:-runs/$PRESET-refined}
PAINTOVER=${PAINTOVER:-paintover}
# Several GPUs: TRAIN="torchrun --standalone --nproc-per-node 2 --local-ranks-filter 0 -m demos.cli train"
TRAIN=${TRAIN:-$PAINTOVER train}
case $PRESET in
nano) SIZE=${SIZE:-448x256} CLIPS=${CLIPS:-1300} FRAMES=${FRAMES:-64} STAGES=${STAGES:-resampling refinement} TIMES=${TIMES:-300,900} BATCH=${BATCH:-160,16} ;;
base) SIZE=${SIZE:-672x384} CLIPS=${CLIPS:-1024} FRAMES=${FRAMES:-32} STAGES=${STAGES:-resampling refinement} TIMES=${TIMES:-600,900} BATCH=${BATCH:-64,8} ;;
*) echo "refine.sh: PRESET is nano or base, not $PRESET" >&2 && exit 2 ;;
esac

clips() { # folder, count, seed, then the rest; CLIP_WORDS: --renderers 12, --gl-devices 2, …
    # shellcheck disable=SC2086
    $PAINTOVER clips "$1" --count "$2" --seed "$3" --size "$SIZE" "${@:4}" ${CLIP_WORDS:-}
}
clips "$RUN/held-out" "${HELD:-32}" 2 --frames "${HELD_FRAMES:-64}" --planes depth,motion --split held-out
clips "$RUN/train" "$CLIPS" "${SEED:-71}" --frames "$FRAMES" --planes depth
# shellcheck disable=SC2086 # stages and further words are several
$TRAIN $STAGES --preset "$PRESET" --start-from shipped --light --clips "$RUN/train" --held-out "$RUN/held-out" --folder "$RUN" \
    --seconds "$TIMES" --batch "$BATCH" ${WORDS:---compile} --json
$PAINTOVER pack "$RUN" --preset "$PRESET" --out "$RUN/$PRESET.safetensors" ${RATIO:+--ratio "$RATIO"}
