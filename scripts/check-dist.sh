#!/usr/bin/env bash
# Unpacks the archive and the .deb that `make dist` made into a folder of its own and tries the programs in them.
#
#   scripts/check-dist.sh FOLDER
#
# FOLDER holds one .tar.gz and one .deb. Fails at the first thing that is not as it should be.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
shopt -s nullglob
archives=("$1"/*.tar.gz)
debs=("$1"/*.deb)
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT

fail() {
  echo "make dist: $*" >&2
  exit 1
}

[[ ${#archives[@]} -eq 1 ]] || fail "$1 holds ${#archives[@]} archives (.tar.gz), not one"
[[ ${#debs[@]} -eq 1 ]] || fail "$1 holds ${#debs[@]} packages (.deb), not one"
mkdir "$temporary"/{archive,deb,empty}
tar -xzf "${archives[0]}" -C "$temporary/archive" --strip-components=1
dpkg-deb -x "${debs[0]}" "$temporary/deb"
depends=$(dpkg-deb -f "${debs[0]}" Depends)
[[ -z $depends ]] || fail "${debs[0]} depends on $depends"

for prefix in "$temporary/archive" "$temporary/deb/usr"; do
  program=$prefix/bin/palimpsest
  doc=$prefix/share/doc/palimpsest
  for file in "$doc"/{README.md,CHANGELOG.md,LICENSE,docs/models.md,licences/{README.md,glibc.txt}}; do
    [[ -s $file ]] || fail "${file#"$temporary"/} is missing"
  done
  for file in "$prefix"/share/{bash-completion/completions/palimpsest,zsh/vendor-completions/_palimpsest}; do
    [[ -s $file ]] || fail "${file#"$temporary"/} is missing"
  done
  libraries=$(ldd "$program" 2>&1 || true)
  [[ $libraries == *"not a dynamic executable"* ]] || fail "the program is not static: $libraries"
  if grep -qaF "$root" "$program"; then fail "the program names the folder in which it was built"; fi
  # Nothing of this machine: no environment, and the configurations are those beside the program.
  cd "$temporary/empty"
  env -i "$program" --version >/dev/null || fail "--version fails"
  env -i "$program" model "$root/tests/golden/model/llama" >/dev/null || fail "model fails"
  composed=$(env -i "$program" eval --cfg job experiment=eval/tofu/default task_name=dist) ||
    fail "eval does not find its configurations"
  [[ $composed == *"task_name: dist"* ]] || fail "eval composes something else"
  cd "$OLDPWD"
done
ls -l "${archives[0]}" "${debs[0]}"
