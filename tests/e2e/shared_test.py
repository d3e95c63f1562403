#!/usr/bin/env python3
"""Builds modules as shared libraries, installs some of them alone, and builds and runs an example and the programs of
docs/library.md against them."""

import pathlib
import re
import subprocess
import tempfile
import unittest

import library_test

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
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        run("cmake", "-G", "Ninja", "-S", ROOT, "-B", cls.folder / "library", "-DBUILD_SHARED_LIBS=ON",
            "-DCMAKE_BUILD_TYPE=Debug", "-DPALIMPSEST_TORCH=OFF")

    def install(self, prefix, *modules):
        run("cmake", "--build", self.folder / "library", "--target", *(f"palimpsest_{module}" for module in modules))
        for component in sorted(set().union(*map(with_dependencies, modules))) + ["package"]:
            run("cmake", "--install", self.folder / "library", "--prefix", prefix, "--component", component)

    def test_an_example_links_shared_modules(self):
        prefix = self.folder / "attack"
        self.install(prefix, "attack")
        build = self.folder / "example"
        run("cmake", "-G", "Ninja", "-S", ROOT / "examples" / "own-attack", "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}")
        run("cmake", "--build", build)
        self.assertIn("libpalimpsest_attack.so", run("ldd", build / "own_attack"))
        self.assertRegex(run(build / "own_attack", TRACES / "forget.jsonl", TRACES / "holdout.jsonl"), r"(?m)^loss +0\.736")

    def test_the_programs_of_the_page_link_shared_modules(self):
        prefix = self.folder / "page"
        self.install(prefix, "audit", "metric", "eval", "engine", "report")
        programs = self.folder / "programs"
        programs.mkdir()
        library_test.build_programs(programs, prefix)
        linked = set()
        for name, (_, output) in library_test.programs().items():
            with self.subTest(name):
                linked.update(re.findall(r"libpalimpsest_(\w+)\.so", run("ldd", programs / "build" / name)))
                printed = library_test.run(programs / "build" / name, cwd=programs)
                self.assertTrue(library_test.matches(output.splitlines(), printed), f"{name} prints\n{printed}")
        self.assertLessEqual({"eval", "engine", "report"}, linked)


if __name__ == "__main__":
    unittest.main()
