#!/usr/bin/env bash
# Formats every C++ file of the project; with --check only says which ones differ.
set -euo pipefail
cd "$(dirname "$0")/.."

mode=(-i)
[[ ${1:-} == --check ]] && mode=(--dry-run --Werror)
find palimpsest python tests bench fuzz examples \( -name '*.h' -o -name '*.cc' \) -print0 |
  xargs -0 -r clang-format "${mode[@]}"
