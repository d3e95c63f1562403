#!/usr/bin/env bash
# Runs the tests of a preset, unless the same executables have passed on the same files before.
#
#   scripts/ctest-once.sh PRESET [CTEST_OPTION …]
#
# The sanitizers' and the fuzzers' tests take minutes and can tell nothing new where no byte has changed that they read:
# their executables, and what the repository has below tests, examples, configs and fuzz. The record of the last
# pass lies in the preset's build folder; without it, as on a fresh clone, everything runs.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:?usage: scripts/ctest-once.sh PRESET [CTEST_OPTION …]}
shift
passed=build/$preset/passed.sha256

state() {
  {
    find "build/$preset" -type f -perm -u+x -not -name '*.so*' -not -path '*/CMakeFiles/*' -print0
    find tests examples configs fuzz -type f -not -path '*/__pycache__/*' -print0
    find "build/$preset" -name CTestTestfile.cmake -print0
  } | sort -z | xargs -0 sha256sum | sha256sum
}

if [[ -f $passed && $(state) == $(<"$passed") ]]; then
  echo "$preset: nothing has changed since its tests passed; they are not run again (rm $passed runs them)."
  exit 0
fi
rm -f "$passed"
ctest --preset "$preset" "$@"
state >"$passed"
