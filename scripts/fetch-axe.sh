#!/usr/bin/env bash
# Fetches axe-core, with which a browser test checks that report pages are accessible: scripts/fetch-axe.sh FOLDER
#
# Only this test uses it, it is not part of the project, and it comes from npm. Where it cannot be had, the script says so,
# and the test is reported as skipped.
set -euo pipefail
version=4.14.0
folder=$1
[[ -s $folder/axe.min.js && $(cat "$folder/version" 2>/dev/null) == "$version" ]] && exit 0
mkdir -p "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if command -v npm >/dev/null && (cd "$work" && npm pack --silent "axe-core@$version" >/dev/null 2>&1); then
  tar -C "$work" -xzf "$work/axe-core-$version.tgz" package/axe.min.js
  mv "$work/package/axe.min.js" "$folder/"
  echo "$version" >"$folder/version"
else
  echo "axe-core $version could not be fetched (npm pack axe-core@$version): the test of accessibility is left out." >&2
fi
