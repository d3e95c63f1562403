#!/usr/bin/env python3
"""Runs clang-tidy over every C++ source of the project, or over those in the folders or files that are named:

    scripts/lint.py BUILD_FOLDER [PATH …]

Most of clang-tidy's time goes into headers, so it reads as many sources at a time as the build compiles at a time: the
unity files of BUILD_FOLDER. It gets each as one text with the sources pasted in, not included, because some checks pass
over whatever the main file includes: the analyzer's path-sensitive ones, misc-unused-using-decls and
misc-unused-alias-decls. Places in that text are printed as places in the sources, and what several texts find in one
header is printed once. Fuzzers and examples, which have builds of their own, are read with plain flags. JOBS says how
many clang-tidy run at a time; by default one per core.
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
PLAIN_FLAGS = ["-std=c++20", f"-I{ROOT}"]
FINDING = re.compile(r"/.+:\d+:\d+: (warning|error): ")


@dataclasses.dataclass
class Unit:
    """What one clang-tidy reads: sources that are compiled together, with the same flags."""

    sources: list[pathlib.Path]
    flags: list[str]
    text: pathlib.Path  # the source itself where there is one alone


def flags_of(command: str) -> list[str]:
    """The flags of a compile command of CMake's: [launcher] compiler, flags, -o object -c source."""
    words = itertools.dropwhile(lambda word: not word.startswith("-"), shlex.split(command))
    return list(itertools.takewhile(lambda word: word != "-o", words))


def units_of_build(build: pathlib.Path) -> list[Unit]:
    """A unit per target that is compiled in unity files, and one per source that is compiled alone."""
    units: dict[pathlib.Path, Unit] = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = pathlib.Path(entry["file"])
        if file.parent.name == "Unity":
            sources = [pathlib.Path(name) for name in re.findall(r'#include "(.+)"', file.read_text())]
            text = build / "lint" / f"{file.parent.parent.stem}.cxx"  # …/CMakeFiles/TARGET.dir/Unity
        elif build in file.parents:  # generated, or a header that is compiled alone
            continue
        else:
            sources, text = [file], file
        # A name of one source shadows another source's only in the pasted text; the build warns of what is left.
        unit = units.setdefault(text, Unit([], [*flags_of(entry["command"]), "-Wno-shadow"], text))
        unit.sources += [source for source in sources if source not in unit.sources]
    return list(units.values())


def all_units(build: pathlib.Path) -> list[Unit]:
    units = units_of_build(build)
    built = {source for unit in units for source in unit.sources}
    for folder in ("palimpsest", "tests", "bench", "fuzz", "examples"):
        others = sorted(set((ROOT / folder).rglob("*.cc")) - built)
        units += [Unit([source], PLAIN_FLAGS, source) for source in others]
    return [unit for unit in units if not any(folder in unit.sources[0].parents for folder in LEFT_OUT)]


def paste(unit: Unit) -> list[tuple[pathlib.Path, int]]:
    """Writes the unit's text; returns the source and the line that each of its lines comes from."""
    lines = []
    places = []
    for source in unit.sources:
        for number, line in enumerate(source.read_text().splitlines(), start=1):
            lines.append(line)
            places.append((source, number))
    unit.text.parent.mkdir(parents=True, exist_ok=True)
    unit.text.write_text("\n".join(lines) + "\n")
    return places


def tidy(unit: Unit) -> tuple[list[str], bool, float]:
    """What clang-tidy finds, each finding with its notes as one text; whether it found nothing; and seconds."""
    places = paste(unit) if len(unit.sources) > 1 else []
    start = time.monotonic()
    command = ["clang-tidy", "--quiet", str(unit.text), "--", *unit.flags]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    findings = []
    for line in result.stdout.splitlines():
        if places and line.startswith(f"{unit.text}:"):
            number, rest = line.removeprefix(f"{unit.text}:").split(":", 1)
            source, number = places[int(number) - 1]
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
                place = finding.splitlines()[0]
                if place not in printed:
                    printed.add(place)
                    print(finding, flush=True)
    return 0 if clean else 1


if __name__ == "__main__":
    sys.exit(main())
