#!/usr/bin/env bash
# Writes docs/calibration.md anew: what the intervals, bounds and answers do where the truth is known.
#
#   scripts/calibration.sh [FILE]
#
# FILE: records with a question and an answer, twenty consecutive ones per author (TOFU's retain90.json), for the
# last table; without it that row is left out. Takes about a quarter of an hour on two cores.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset release -Wno-dev >/dev/null
cmake --build build/release --target calibration_table answer_table >/dev/null
page=$(mktemp)
build/release/tests/stat/calibration_table >"$page"
build/release/tests/attack/answer_table "$@" >>"$page"
mv "$page" docs/calibration.md
