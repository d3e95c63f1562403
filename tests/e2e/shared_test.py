#!/usr/bin/env python3
"""Builds some modules as shared libraries, installs them alone, and builds and runs an example against them."""

import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRACES = ROOT / "examples" / "traces"


def run(*command) -> str:
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{command}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def with_dependencies(module: str) -> set[str]:
    text = (ROOT / "palimpsest" / module / "CMakeLists.txt").read_text(encoding="utf-8")
    depends = re.search(r"\bDEPENDS ([a-z_ ]+)", text)
    return {module}.union(*(with_dependencies(m) for m in depends.group(1).split())) if depends else {module}


class SharedLibrariesTest(unittest.TestCase):
    def test_an_example_links_shared_modules(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            run("cmake", "-G", "Ninja", "-S", ROOT, "-B", folder / "library", "-DBUILD_SHARED_LIBS=ON",
                "-DCMAKE_BUILD_TYPE=Debug", "-DPALIMPSEST_TORCH=OFF")
            run("cmake", "--build", folder / "library", "--target", "palimpsest_attack")
            for component in sorted(with_dependencies("attack")) + ["package"]:
                run("cmake", "--install", folder / "library", "--prefix", folder / "prefix", "--component", component)
            run("cmake", "-G", "Ninja", "-S", ROOT / "examples" / "own-attack", "-B", folder / "example",
                f"-DCMAKE_PREFIX_PATH={folder / 'prefix'}")
            run("cmake", "--build", folder / "example")
            program = folder / "example" / "own_attack"
            self.assertIn("libpalimpsest_attack.so", run("ldd", program))
            self.assertRegex(run(program, TRACES / "forget.jsonl", TRACES / "holdout.jsonl"), r"(?m)^loss +0\.736")


if __name__ == "__main__":
    unittest.main()
