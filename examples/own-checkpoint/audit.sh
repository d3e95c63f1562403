#!/usr/bin/env bash
# Audits a checkpoint of one's own: audit.sh MODEL FORGET HOLDOUT OUT [options of palimpsest mia …]
#
# MODEL is a Hugging Face folder or a hub id in the local cache; FORGET holds what the model was asked to forget, HOLDOUT
# text of the same kind that it never saw, both .json, .jsonl or .csv with the columns question and answer (or --dataset
# completion for running text). Interrupted, the same command goes on where it stopped.
#
# Two options make the answer better: --baseline DIR, a model retrained without the forget set, and --reference DIR, any
# model of the same tokenizer that never saw it.
set -euo pipefail
program=${PALIMPSEST:-palimpsest}
model=${1:?model} forget=${2:?forget set} holdout=${3:?holdout set} out=${4:?output folder}
shift 4

"$program" model "$model"
"$program" mia --model "$model" --forget "$forget" --holdout "$holdout" --out "$out" "$@"
echo "Open $out/report.html"
