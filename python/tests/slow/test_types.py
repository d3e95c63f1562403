"""The package's own annotations and the stub of its extension module fit together."""

import subprocess
import sys

OPTIONS = ["--follow-imports=skip", "--ignore-missing-imports", "--disable-error-code=import-untyped"]


def test_types(tmp_path):
    done = subprocess.run([sys.executable, "-m", "mypy", *OPTIONS, "-p", "palimpsest"], capture_output=True, text=True,
                          cwd=tmp_path)
    assert done.returncode == 0, done.stdout
