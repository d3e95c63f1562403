#!/usr/bin/env bash
# Runs every benchmark of the folder BENCH_DIR and every peer of bench/peers, and prints how they compare.
#
#   bench/run.sh BENCH_DIR
#
# What must hold stands in bench/figures.json. The peers run under PEER_PYTHON (python3 unless set): point it at an
# interpreter that has scikit-learn, rouge_score, tokenizers, torch and transformers, and TAPAS at a checkout of TAPAS;
# without them their lines say so.
# The exit status is 1 if a figure does not hold.
set -euo pipefail
bench_dir=$(realpath "${1:?usage: bench/run.sh BENCH_DIR}")
cd "$(dirname "$0")"

results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

found=0
for program in "$bench_dir"/*_bench; do
  [[ -f $program && -x $program ]] || continue
  found=1
  echo "Running $(basename "$program") …" >&2
  "$program" --benchmark_format=json --benchmark_repetitions=3 --benchmark_report_aggregates_only=true \
    >"$results/$(basename "$program").ours.json"
done
[[ $found == 1 ]] || {
  echo "There is no benchmark in $bench_dir; make bench builds them." >&2
  exit 2
}

for peer in peers/*_peer.py; do
  echo "Running $peer …" >&2
  "${PEER_PYTHON:-python3}" "$peer" "$bench_dir" >"$results/$(basename "$peer" .py).peer.json"
done

python3 table.py figures.json "$results"/*.json
