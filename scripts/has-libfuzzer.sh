#!/usr/bin/env bash
# Whether this machine can build the fuzzers: clang++ alone is not enough, its libFuzzer runtime is a package apart.
set -euo pipefail
command -v clang++ >/dev/null || exit 1
echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' |
  clang++ -x c++ -fsanitize=fuzzer,address,undefined -o /dev/null - 2>/dev/null
