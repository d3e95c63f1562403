#!/usr/bin/env bash
# Compiles the kernels and what they need of palimpsest/base for aarch64, and runs their tests under qemu-user.
#
#   scripts/test-aarch64.sh [arguments of GoogleTest, such as --gtest_filter=ProductTest.*]
#
# Needs g++-aarch64-linux-gnu, qemu-user, libfmt-dev and googletest (its sources); everything goes to build/aarch64.
# Objects that are newer than all sources are kept.
set -euo pipefail
cd "$(dirname "$0")/.."

compiler=aarch64-linux-gnu-g++
emulator=(qemu-aarch64 -L /usr/aarch64-linux-gnu)
googletest=/usr/src/googletest/googletest
folder=build/aarch64

for command in "$compiler" "${emulator[0]}"; do
  command -v "$command" >/dev/null || {
    echo "$command is missing: apt-get install g++-aarch64-linux-gnu qemu-user" >&2
    exit 1
  }
done
[[ -d $googletest && -d /usr/include/fmt ]] || {
  echo "fmt or the sources of GoogleTest are missing: apt-get install libfmt-dev googletest" >&2
  exit 1
}
if command -v ccache >/dev/null; then compiler="ccache $compiler"; fi

# fmt has no library for this architecture; its headers alone, because those of this machine's own C library lie beside them.
mkdir -p $folder/include
ln -sfn /usr/include/fmt $folder/include/fmt
options="-std=c++20 -Wall -Wextra -Wshadow -Wno-missing-field-initializers -Werror -I. -isystem $folder/include"
options+=" -isystem $googletest/include -DFMT_HEADER_ONLY"
# As palimpsest/kernels/CMakeLists.txt has them.
kernel_options="-O3 -fno-math-errno -fno-trapping-math"

newest_header=$(find palimpsest/base palimpsest/kernels tests/kernels tests/support -name '*.h' -printf '%T@ %p\n' |
  sort -n | tail -1 | cut -d' ' -f2-)
objects=()
compile() {  # SOURCE OPTION…
  local object
  object=$folder/$(tr / _ <<<"${1#/}").o
  objects+=("$object")
  [[ $object -nt $1 && $object -nt $newest_header && $object -nt $0 ]] && return
  echo "$1"
  $compiler $options "${@:2}" -c "$1" -o "$object"
}

compile $googletest/src/gtest-all.cc -O1 -I$googletest -w
for name in error instruction_set random worker_pool; do compile palimpsest/base/$name.cc -O2; done
for source in palimpsest/kernels/*.cc; do compile "$source" $kernel_options; done
for name in instruction_set vector_math worker_pool; do compile tests/base/${name}_test.cc -O1; done
for source in tests/kernels/*.cc tests/support/instruction_set_main.cc; do compile "$source" -O1; done
$compiler "${objects[@]}" -o $folder/kernels_test -pthread

"${emulator[@]}" $folder/kernels_test "$@"
