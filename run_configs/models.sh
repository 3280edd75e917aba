#!/bin/sh
# Several models on several experiments, each experiment a set that can be gone on with: run it again after an
# interruption, and only what is missing or ended in an error is asked.
#
#     MODELS=openai/gpt-5.4,google/gemini-3.8-flash run_configs/models.sh
#     MODELS=graphniah/oracle,graphniah/chance run_configs/models.sh -T dataset=sample
#
# LOGS is the folder of logs, EXPERIMENTS the experiments; all arguments go to `inspect eval-set`.
set -eu
: "${MODELS:?Give the models, separated by commas, e.g. MODELS=openai/gpt-5.4,google/gemini-3.8-flash}"
for experiment in ${EXPERIMENTS:-question-depth node-count question-format distractor-type}; do
    inspect eval-set graphniah_inspect/graphniah -T "experiment=$experiment" --model "$MODELS" \
        --log-dir "${LOGS:-logs}/$experiment" --max-connections 10 --max-samples 10 --log-buffer 50 "$@"
done
echo "graphniah report ${LOGS:-logs} --out report"
