#!/usr/bin/env bash
# apply.sh TREE: runs the three scripts on a clean tree and commits after each. Reading the sources takes most of the time.
set -euo pipefail
tree=$(cd "$1" && pwd); mech=$(cd "$(dirname "$0")" && pwd); jobs=${JOBS:-2}
[[ -z $(git -C "$tree" status --porcelain --untracked-files=no) ]] || { echo "commit first" >&2; exit 2; }
commit() { git -C "$tree" add -A palimpsest tests fuzz bench examples tools docs cmake ./*.md CMakeLists.txt 2>/dev/null || git -C "$tree" add -A; git -C "$tree" commit -qm "$1"; }
cd "$tree"
if [[ ! -d palimpsest/jinja ]]; then
  python3 "$mech/split.py" "$tree"
  scripts/format.sh
  commit "text becomes four modules: text, python_text, tokenizer and jinja

What configurations, evaluations and templates share of Python's behaviour (strip and split, numbers, repr, strftime) had
its home inside the template engine. It is a module of its own now, and so are the tokenizer and the templates."
fi
python3 "$mech/internal.py" "$tree"
scripts/format.sh
python3 tests/rules/modules_test.py
commit "Private headers lie in internal/ and are not installed

A public header is a promise to programs outside. What no such program needs is for the module itself, its friends and
tests, and a test keeps it so."
"$mech/venv/bin/python" "$mech/namespaces.py" "$tree" --collect --jobs="$jobs"
"$mech/venv/bin/python" "$mech/namespaces.py" "$tree" --apply
scripts/format.sh
python3 tests/rules/modules_test.py
commit "One namespace per module: palimpsest::<module>

Names such as mia, describe, require and Decoder stood in the root, where they met each other. Only base stands there now."
