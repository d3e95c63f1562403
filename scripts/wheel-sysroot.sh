#!/usr/bin/env bash
# Makes the system that a wheel for other machines is compiled against (`make wheel`):
#
#   scripts/wheel-sysroot.sh FOLDER
#
# A program needs at least the glibc that it was linked with, so the wheel is linked with an old one: that of Debian 11
# (glibc 2.31). apt downloads it into FOLDER from the mirrors that this machine uses, and installs nothing. The compiler
# and the other libraries are this machine's. FOLDER holds links to their headers and to their static libraries alone, so that
# whatever is not part of glibc becomes part of the wheel.
set -euo pipefail

old=bullseye
old_packages=(libc6 libc6-dev libcrypt1 libgcc-s1 linux-libc-dev)
linked_packages=(
  libboost1.74-dev libcli11-dev libfmt-dev libpcre2-dev libspdlog-dev libssl-dev libutf8proc-dev libyaml-cpp-dev libzstd-dev
  nlohmann-json3-dev zlib1g-dev
)

[[ $# -eq 1 ]] || {
  echo "wheel-sysroot.sh needs one argument, the folder to make." >&2
  exit 2
}
folder=$1
[[ ! -e $folder/complete ]] || exit 0
for command in apt-get dpkg dpkg-deb; do
  command -v "$command" >/dev/null || {
    echo "A wheel for other machines can be made on Debian alone: there is no $command." >&2
    exit 1
  }
done
rm -rf "$folder"
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

# The lists and files of the old release stay in a folder of their own: this machine's apt does not learn of it.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{lists,cache/archives,packages}/partial
touch "$work/status"
apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep '/debian/$' | sort -u |
  sed "s|.*|deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] & $old main|" > "$work/sources.list"
[[ -s $work/sources.list ]] || {
  echo "No mirror of Debian is among this machine's sources (apt-get indextargets)." >&2
  exit 1
}
cat > "$work/apt.conf" << END
Dir::Etc::SourceList "$work/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::State::Lists "$work/lists";
Dir::State::status "$work/status";
Dir::Cache "$work/cache";
APT::Sandbox::User "root";
Acquire::Languages "none";
END
export APT_CONFIG=$work/apt.conf
apt-get update -qq
(cd "$work/packages" && apt-get download -qq "${old_packages[@]}")
for package in "$work"/packages/*.deb; do
  dpkg-deb --extract "$package" "$folder"
done
unset APT_CONFIG
# Links to absolute paths mean files of the old system, not of this one.
find "$folder" -type l -lname '/*' -printf '%p\t%l\n' | while IFS=$'\t' read -r link target; do
  ln -sfnr "$folder$target" "$link"
done

# The compiler finds its own library, libstdc++, without help. CMake's files of fmt and spdlog, which Debian has only as shared
# libraries, ask that these exist; the build takes both from their headers (PALIMPSEST_PORTABLE). Some headers of Debian's Python
# lie in a folder that the compiler looks for in FOLDER alone.
{
  dpkg -L "${linked_packages[@]}" | grep -E '^/usr/(include|lib|share/(cmake|pkgconfig))/' | grep -v '\.so$'
  ls /usr/lib/x86_64-linux-gnu/lib{fmt,spdlog}.so.*
  find /usr/include/x86_64-linux-gnu -path "*/python3*" -type f
} | sort -u | while IFS= read -r path; do
  [[ -d $path ]] || printf '%s\0' "$path"
done | xargs -0 cp --symbolic-link --parents --target-directory "$folder"
touch "$folder/complete"
