#!/usr/bin/env bash
# Runs clang-tidy over every C++ source of the project, or over those that are named:
#
#   scripts/lint.sh BUILD_FOLDER [FILE …]
#
# Sources that the build compiles are read with its commands (it must compile every source alone); fuzzers and examples, which have
# builds of their own, with plain flags. JOBS says how many run at a time; by default one per core.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v clang-tidy >/dev/null || {
  echo "make lint needs clang-tidy: scripts/install-deps.sh --lint" >&2
  exit 1
}
build=${1:?build folder}
shift
jobs=${JOBS:-$(nproc)}

if [[ $# -gt 0 ]]; then
  sources=("$@")
else
  mapfile -t sources < <(find palimpsest tests bench fuzz examples -name '*.cc' | sort)
fi

built=()
others=()
for source in "${sources[@]}"; do
  if grep -qF "\"file\": \"$PWD/$source\"" "$build/compile_commands.json"; then
    built+=("$source")
  else
    others+=("$source")
  fi
done

status=0
tidy=(clang-tidy --quiet --extra-arg=-Wno-unknown-warning-option)
if [[ ${#built[@]} -gt 0 ]]; then
  printf '%s\0' "${built[@]}" | xargs -0 -n 2 -P "$jobs" "${tidy[@]}" -p "$build" || status=1
fi
if [[ ${#others[@]} -gt 0 ]]; then
  printf '%s\0' "${others[@]}" | xargs -0 -I{} -P "$jobs" "${tidy[@]}" {} -- -std=c++20 -I. || status=1
fi
exit "$status"
