"""The package's own annotations and the stub of its extension module fit together."""

import subprocess
import sys


def test_types(tmp_path):
    done = subprocess.run([sys.executable, "-m", "mypy", "--ignore-missing-imports", "--disable-error-code=import-untyped",
                           "-p", "palimpsest"], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout
