#!/usr/bin/env bash
# Installs what the build, the tests and the demo need and this machine lacks; silent where nothing is missing. With --tests
# also a browser, which only the tests of the report page need.
set -euo pipefail

packages=(
  g++ cmake ninja-build git ca-certificates python3
  libfmt-dev libspdlog-dev nlohmann-json3-dev libboost-math-dev zlib1g-dev libcli11-dev libyaml-cpp-dev
  pkg-config libpcre2-dev libutf8proc-dev libtorch-dev libopenblas-dev
  libgtest-dev libbenchmark-dev clang-format
)
# By command: npm and Chromium come in many ways. npm fetches the libraries that draw a report's charts.
command -v npm >/dev/null || packages+=(npm)
if [[ ${1:-} == --tests ]]; then
  command -v chromium >/dev/null || packages+=(chromium)
  command -v chromedriver >/dev/null || packages+=(chromium-driver)
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
  [[ $status == "install ok installed" ]] || missing+=("$package")
done
[[ ${#missing[@]} -gt 0 ]] || exit 0

echo "Installing: ${missing[*]}" >&2
as_root=()
if [[ $(id -u) -ne 0 ]]; then
  command -v sudo >/dev/null || {
    echo "These packages are missing and there is no sudo; as root run: apt-get install ${missing[*]}" >&2
    exit 1
  }
  as_root=(sudo)
fi
"${as_root[@]}" apt-get update -q
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -q --no-install-recommends "${missing[@]}"
