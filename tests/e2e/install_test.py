#!/usr/bin/env python3
"""Installs the project into a folder and builds somebody else's program against it with find_package."""

import os
import pathlib
import subprocess
import tempfile
import unittest

CONSUMER = pathlib.Path(__file__).resolve().parent / "consumer"
TINY_MODEL = pathlib.Path(__file__).resolve().parents[2] / "examples" / "tiny-model"
BUILD = os.environ["PALIMPSEST_BUILD"]


def run(*command) -> str:
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{command}\n{done.stdout}\n{done.stderr}")
    return done.stdout


class InstallTest(unittest.TestCase):
    def test_an_installed_library_can_be_used(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            run("cmake", "--install", BUILD, "--prefix", folder / "prefix")
            self.assertRegex(run(folder / "prefix" / "bin" / "palimpsest", "--version"),
                             r"\Apalimpsest 0\.1\.\d+\ncommit +(unknown|[0-9a-f]+)\ncompiler +\w+ \d.*\nbuild type +\w+\n")
            self.assertTrue((folder / "prefix" / "share" / "palimpsest" / "configs" / "eval.yaml").is_file())
            share = folder / "prefix" / "share"
            self.assertIn("complete -o default", (share / "bash-completion" / "completions" / "palimpsest").read_text())
            self.assertIn("#compdef palimpsest", (share / "zsh" / "site-functions" / "_palimpsest").read_text())
            run("cmake", "-G", "Ninja", "-S", CONSUMER, "-B", folder / "build",
                f"-DCMAKE_PREFIX_PATH={folder / 'prefix'}")
            run("cmake", "--build", folder / "build")
            self.assertEqual(run(folder / "build" / "consumer"), "7 0.875 0.6\n")
            self.assertEqual(run(folder / "build" / "model_consumer", TINY_MODEL, 1, 11, 12), "13 14 15 \n")

    def test_an_installation_does_not_change_what_another_one_reads(self):
        completions = [pathlib.Path(BUILD) / "completions" / name for name in ("palimpsest", "_palimpsest")]
        before = [path.stat().st_mtime_ns for path in completions]
        with tempfile.TemporaryDirectory() as name:
            run("cmake", "--install", BUILD, "--prefix", name)
        self.assertEqual([path.stat().st_mtime_ns for path in completions], before)

    def test_only_public_headers_are_installed_and_no_empty_folder(self):
        with tempfile.TemporaryDirectory() as name:
            run("cmake", "--install", BUILD, "--prefix", name)
            include = pathlib.Path(name) / "include" / "palimpsest"
            sources = pathlib.Path(__file__).resolve().parents[2] / "palimpsest"
            # The folders of the program and of libtorch's backend are not part of the library.
            public = {header.relative_to(sources) for header in sources.rglob("*.h")
                      if not {"internal", "cli", "torch"} & set(header.relative_to(sources).parts)}
            self.assertEqual({header.relative_to(include) for header in include.rglob("*") if header.is_file()}, public)
            empty = [folder for folder in pathlib.Path(name).rglob("*") if folder.is_dir() and not any(folder.iterdir())]
            self.assertEqual(empty, [])

    def test_components_need_only_what_they_need(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            run("cmake", "--install", BUILD, "--prefix", folder / "prefix")
            # yaml-cpp, PCRE2 and utf8proc are found by pkg-config alone, which these two modules can do without.
            project = folder / "project"
            project.mkdir()
            (project / "CMakeLists.txt").write_text(
                "cmake_minimum_required(VERSION 3.25)\nproject(parts LANGUAGES CXX)\n"
                "set(CMAKE_DISABLE_FIND_PACKAGE_PkgConfig TRUE)\nset(CMAKE_DISABLE_FIND_PACKAGE_nlohmann_json TRUE)\n"
                "find_package(palimpsest 0.1 REQUIRED COMPONENTS stat attack)\n"
                "if(NOT TARGET palimpsest::trace OR TARGET palimpsest::eval)\n  message(FATAL_ERROR \"other modules\")\nendif()\n"
                f"add_executable(consumer {CONSUMER / 'main.cc'})\n"
                "target_link_libraries(consumer PRIVATE palimpsest::attack palimpsest::stat)\n", encoding="utf-8")
            prefix = f"-DCMAKE_PREFIX_PATH={folder / 'prefix'}"
            run("cmake", "-G", "Ninja", "-S", project, "-B", folder / "build", prefix)
            run("cmake", "--build", folder / "build")
            self.assertEqual(run(folder / "build" / "consumer"), "7 0.875 0.6\n")
            (project / "CMakeLists.txt").write_text(
                "cmake_minimum_required(VERSION 3.25)\nproject(parts LANGUAGES CXX)\n"
                "find_package(palimpsest 0.1 REQUIRED COMPONENTS stat telepathy)\n", encoding="utf-8")
            with self.assertRaisesRegex(AssertionError, "telepathy"):
                run("cmake", "-G", "Ninja", "-S", project, "-B", folder / "unknown", prefix)


if __name__ == "__main__":
    unittest.main()
