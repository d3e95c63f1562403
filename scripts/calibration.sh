#!/usr/bin/env bash
# Writes docs/calibration.md anew: what the intervals, bounds and answers do where the truth is known.
#
#   scripts/calibration.sh [FOLDER]
#
# FOLDER: TOFU's retain90.json, real_authors_perturbed.json and world_facts_perturbed.json, for the rows about real
# text; without it those are left out. Takes about half an hour on two cores.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset release -Wno-dev >/dev/null
cmake --build build/release --target calibration_table composite_table answer_table >/dev/null
page=$(mktemp)
build/release/tests/stat/calibration_table >"$page"
build/release/tests/eval/composite_table >>"$page"
build/release/tests/attack/answer_table "$@" >>"$page"
mv "$page" docs/calibration.md
