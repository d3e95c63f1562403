#!/usr/bin/env python3
"""Where the time of a build goes: ninja's log summed per module.

    tools/build_times.py build/release

For each part of the tree: the commands that ninja ran (compiling, archiving, linking), the seconds from the start to
the end of each, added up, and the longest one. These are seconds by the clock. They equal CPU seconds only for a build
with one job (ninja -j1) on a machine that does nothing else, from an empty folder and without a compiler cache
(CCACHE_DISABLE=1). Of a command that ran more than once the last run counts, and outputs that were deleted since are
left out.
"""

import argparse
import collections
import pathlib
import sys


def part_of(output: str) -> str:
    """The folder that an output belongs to: palimpsest/stat, tests/stat, bench …"""
    if "_headers.dir/" in output:
        return "headers"
    folders = output.split("/")
    return "/".join(folders[:2]) if folders[0] in ("palimpsest", "tests") else folders[0]


def read_log(build: pathlib.Path) -> dict[str, float]:
    """Seconds per command, under the first output that the log names for it."""
    log = build / ".ninja_log"
    if not log.exists():
        sys.exit(f"{log}: there is no such file; give the folder of a build with ninja")
    last = {}
    for line in log.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        start, end, _, output, command = line.split("\t")
        last[output] = (int(start), int(end), command)
    seconds, seen = {}, set()
    for output, run in last.items():
        # A command with several outputs has a line for each.
        if run in seen or not (build / output).exists() or output == "build.ninja" or output.startswith("/"):
            continue
        seen.add(run)
        seconds[output] = (run[1] - run[0]) / 1000
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="the folder of a build with ninja")
    seconds = read_log(parser.parse_args().build)
    parts = collections.defaultdict(list)
    for output, taken in seconds.items():
        parts[part_of(output)].append((taken, output))
    print(f"{'part':<24}{'commands':>9}{'seconds':>9}  longest")
    for part, runs in sorted(parts.items(), key=lambda item: -sum(taken for taken, _ in item[1])):
        longest, output = max(runs)
        print(f"{part:<24}{len(runs):>9}{sum(taken for taken, _ in runs):>9.1f}  {longest:.1f} {output.split('/')[-1]}")
    print(f"{'all':<24}{len(seconds):>9}{sum(seconds.values()):>9.1f}")


if __name__ == "__main__":
    main()
