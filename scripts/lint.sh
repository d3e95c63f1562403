#!/usr/bin/env bash
# Runs clang-tidy over the library and the program, with the compile commands of the given build folder.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v clang-tidy >/dev/null || {
  echo "make lint needs clang-tidy: apt-get install clang-tidy" >&2
  exit 1
}
find palimpsest -name '*.cc' -print0 | xargs -0 -n 4 -P "$(nproc)" clang-tidy --quiet --extra-arg=-Wno-unknown-warning-option -p "${1:?build folder}"
