#!/usr/bin/env bash
# Installs what this machine lacks of what the program needs to be built; silent where nothing is missing.
#
#   scripts/install-deps.sh [--tests] [--cluster] [--bench] [--lint] [--docs]
#
# Each option adds what `make test`, `make cluster-test`, `make bench`, `make lint` or `make docs` needs.
set -euo pipefail
cd "$(dirname "$0")"

packages=(
  g++ cmake ninja-build pkg-config
  libfmt-dev libspdlog-dev nlohmann-json3-dev libboost-dev zlib1g-dev libcli11-dev libyaml-cpp-dev
  libpcre2-dev libutf8proc-dev libssl-dev libzstd-dev
)

fuzzers=no
for option in "$@"; do
  case $option in
    --tests)
      packages+=(libgtest-dev clang-format python3 python3-dev python3-venv strace)
      packages+=(libtorch-dev libopenblas-dev)  # for the optional libtorch program alone
      packages+=(libopenmpi-dev openmpi-bin)    # for the optional MPI program alone
      packages+=(librsvg2-bin)                  # draws the figures once more
      # By command: Chromium comes in many ways.
      command -v chromium >/dev/null || packages+=(chromium)
      command -v chromedriver >/dev/null || packages+=(chromium-driver)
      ./has-libfuzzer.sh || fuzzers=yes
      ;;
    --cluster) packages+=(slurm-wlm munge libopenmpi-dev openmpi-bin python3) ;;
    --bench) packages+=(libbenchmark-dev libopenblas-dev python3) ;;
    --lint) packages+=(clang-tidy python3 libgtest-dev libbenchmark-dev libopenblas-dev) ;;
    --docs) packages+=(doxygen python3 mkdocs mkdocs-material) ;;
    *)
      echo "install-deps.sh does not know $option; there are --tests, --cluster, --bench, --lint and --docs." >&2
      exit 2
      ;;
  esac
done

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
  [[ $status == "install ok installed" ]] || missing+=("$package")
done
[[ ${#missing[@]} -gt 0 || $fuzzers == yes ]] || exit 0

as_root=()
if [[ $(id -u) -ne 0 ]]; then
  command -v sudo >/dev/null || {
    [[ $fuzzers == no ]] || missing+=("clang and its libclang-rt-…-dev")
    echo "These packages are missing and there is no sudo; as root install: ${missing[*]}" >&2
    exit 1
  }
  as_root=(sudo)
fi
"${as_root[@]}" apt-get update -q
if [[ $fuzzers == yes ]]; then
  # The package of libFuzzer's runtime bears clang's version in its name.
  version=$(apt-cache depends clang | sed -n 's/.*Depends: clang-\([0-9]*\)$/\1/p')
  missing+=(clang "libclang-rt-$version-dev")
fi
echo "Installing: ${missing[*]}" >&2
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -q --no-install-recommends "${missing[@]}"
