#!/usr/bin/env bash
# A worked example of metrics, merge and an audit on small files that ship. Usage: examples/demo.sh build/palimpsest
set -euo pipefail
program=$(realpath "${1:?path of the program}")
cd "$(dirname "$0")"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

say() { printf '\n== %s\n\n' "$*"; }
run() {
  printf '$ palimpsest %s\n' "$*"
  "$program" "$@"
}

say "1. Two clients evaluate a classifier on their own data; the data stay where they are."
run metrics --data metrics/client_a.jsonl --metric accuracy --metric cross_entropy_loss --out "$out/a.json"
run metrics --data metrics/client_b.jsonl --metric accuracy --metric cross_entropy_loss --out "$out/b.json"

say "2. Their statistics merge into the result over all examples."
run merge "$out/a.json" "$out/b.json"

say "3. An audit from logged token log-probabilities: is the forget set still recognised?"
run mia --forget-traces traces/forget.jsonl --holdout-traces traces/holdout.jsonl
