#!/usr/bin/env python3
"""Runs clang-tidy over every C++ source of the project, or over those in the folders or files that are named:

    scripts/lint.py BUILD_FOLDER [PATH …]

Most of clang-tidy's time goes into the headers of other libraries, so it reads up to a hundred sources at a time: those
of modules and test executables that the build merges into unity files, and the other test executables. It gets them as
one text with the sources pasted in, not included, because some checks pass over whatever the main file includes: the
analyzer's path-sensitive ones, misc-unused-using-decls and misc-unused-alias-decls. Places in that text are printed as
places in the sources, and what several texts find in one header is printed once. A file-local name that two sources of
one module or test executable share is an error here. Fuzzers and examples, which have builds of their own, are read
with plain flags. The Python package is read if the build folder was configured with it, as `make lint` does. JOBS says
how many clang-tidy run at a time; by default one per core.
"""

import argparse
import concurrent.futures
import dataclasses
import itertools
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Clang 14 does not compile libtorch's headers (1.13) as C++20.
LEFT_OUT = [ROOT / "palimpsest/torch", ROOT / "tests/torch"]
MOST_SOURCES = 100
# Where the project's sources are. Those of the last folder need nanobind's headers, which only a build knows.
FOLDERS = [ROOT / name for name in ("palimpsest", "tests", "bench", "fuzz", "examples", "python/src")]
PLAIN_FLAGS = ["-std=c++20", f"-I{ROOT}"]
FINDING = re.compile(r"/.+:\d+:\d+: (warning|error): ")


@dataclasses.dataclass
class Unit:
    """What one clang-tidy reads: one source, or sources that are pasted into one text."""

    sources: list[pathlib.Path]
    flags: list[str]
    text: pathlib.Path


def flags_of(command: str) -> list[str]:
    """The flags of a compile command of CMake's: [launcher] compiler, flags, -o object -c source."""
    words = itertools.dropwhile(lambda word: not word.startswith("-"), shlex.split(command))
    flags = shlex.join(itertools.takewhile(lambda word: word != "-o", words))
    return shlex.split(flags.replace("-isystem ", "-isystem"))


def merge(pasted: list[Unit], other: Unit) -> None:
    """Adds the unit's sources to those that are pasted already, or begins a new text with them."""
    if not pasted or len(pasted[-1].sources) + len(other.sources) > MOST_SOURCES:
        pasted.append(Unit([], [], other.text))
    unit = pasted[-1]
    unit.sources += [source for source in other.sources if source not in unit.sources]
    unit.flags += [flag for flag in other.flags if flag not in unit.flags]


def units_of_build(build: pathlib.Path) -> list[Unit]:
    targets: dict[str, Unit] = {}
    alone: dict[pathlib.Path, Unit] = {}  # some sources belong to several targets
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = pathlib.Path(entry["file"])
        target = re.search(r"CMakeFiles/([\w-]+)\.dir/", entry["command"].split(" -o ")[1])[1]
        is_unity = file.parent.name == "Unity"
        if is_unity:
            sources = [pathlib.Path(name) for name in re.findall(r'#include "(.+)"', file.read_text())]
        elif not any(folder in file.parents for folder in FOLDERS):
            continue  # generated, a header that is compiled alone, or nanobind's
        else:
            sources = [file]
        if any(folder in sources[0].parents for folder in LEFT_OUT):
            continue
        # A name of one source shadows another source's only in the pasted text; the build warns of what is left.
        flags = [*flags_of(entry["command"]), "-Wno-shadow"]
        if is_unity or target.endswith("_test") or target == "palimpsest_python":
            unit = targets.setdefault(target, Unit([], flags, build / "lint" / f"{target}.cxx"))
            unit.sources += sources
        else:
            alone[file] = Unit(sources, flags, file)
    modules: list[Unit] = []
    tests: list[Unit] = []
    for target, unit in targets.items():
        merge(tests if target.endswith("_test") else modules, unit)
    pasted = {source for unit in (*modules, *tests) for source in unit.sources}
    return [*modules, *tests, *(unit for file, unit in alone.items() if file not in pasted)]


def all_units(build: pathlib.Path) -> list[Unit]:
    units = units_of_build(build)
    built = {source for unit in units for source in unit.sources}
    for folder in FOLDERS[:-1]:
        for source in sorted(set(folder.rglob("*.cc")) - built):
            if not any(left_out in source.parents for left_out in LEFT_OUT):
                units.append(Unit([source], PLAIN_FLAGS, source))
    return units


def paste(unit: Unit) -> list[tuple[pathlib.Path, int]]:
    """Writes the unit's text; returns the source and the line that each of its lines comes from."""
    lines = []
    origins = []
    for source in unit.sources:
        for number, line in enumerate(source.read_text().splitlines(), start=1):
            lines.append(line)
            origins.append((source, number))
    unit.text.parent.mkdir(parents=True, exist_ok=True)
    unit.text.write_text("\n".join(lines) + "\n")
    return origins


def tidy(unit: Unit) -> tuple[list[str], bool, float]:
    """What clang-tidy finds, each finding with its notes as one text; whether it found nothing; and seconds."""
    origins = paste(unit) if unit.text not in unit.sources else []
    start = time.monotonic()
    command = ["clang-tidy", "--quiet", str(unit.text), "--", *unit.flags]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    findings = []
    for line in result.stdout.splitlines():
        if origins and line.startswith(f"{unit.text}:"):
            number, rest = line.removeprefix(f"{unit.text}:").split(":", 1)
            source, number = origins[int(number) - 1]
            line = f"{source}:{number}:{rest}"
        if FINDING.match(line) or not findings:
            findings.append(line)
        else:
            findings[-1] += "\n" + line
    if result.returncode != 0 and not findings:
        findings.append(result.stderr)
    return findings, result.returncode == 0, time.monotonic() - start


def main() -> int:
    parser = argparse.ArgumentParser(description="clang-tidy over the sources of the project")
    parser.add_argument("build", type=pathlib.Path, help="a configured build folder")
    parser.add_argument("paths", nargs="*", type=pathlib.Path, help="folders or sources; all by default")
    parser.add_argument("--times", action="store_true", help="print the seconds of each clang-tidy")
    arguments = parser.parse_args()
    if not shutil.which("clang-tidy"):
        sys.exit("make lint needs clang-tidy: scripts/install-deps.sh --lint")

    wanted = {path.resolve() for path in arguments.paths}
    units = [
        unit
        for unit in all_units(arguments.build.resolve())
        if not wanted or any(wanted & {source, *source.parents} for source in unit.sources)
    ]
    if not units:
        sys.exit("there is no source of the project under the given paths")
    clean = True
    printed = set()
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", os.cpu_count() or 1))) as pool:
        for unit, (findings, ok, seconds) in zip(units, pool.map(tidy, units)):
            clean = clean and ok
            if arguments.times:
                print(f"{seconds:6.1f} s  {unit.text.relative_to(ROOT)}", flush=True)
            for finding in findings:
                location = finding.splitlines()[0]
                if location not in printed:
                    printed.add(location)
                    print(finding, flush=True)
    return 0 if clean else 1


if __name__ == "__main__":
    sys.exit(main())
