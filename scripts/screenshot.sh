#!/usr/bin/env bash
# A picture of a report page, drawn by headless Chromium: scripts/screenshot.sh REPORT.html OUT.png [WIDTH,HEIGHT]
#
#   build/palimpsest demo && scripts/screenshot.sh palimpsest-demo/report.html docs/page.png
set -euo pipefail
page=$(realpath "${1:?page}") out=$(realpath -m "${2:?picture}") size=${3:-1120,1500}
profile=$(mktemp -d)
trap 'rm -rf "$profile"' EXIT
chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$profile" --window-size="$size" \
  --virtual-time-budget=10000 --screenshot="$out" "file://$page" 2>/dev/null
echo "$out"
