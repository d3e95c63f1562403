#!/usr/bin/env python3
"""Prints bench/figures.json as a table: what, our time, the other one's, the ratio, what it must be, whether it is.

    table.py FIGURES RESULT…

A RESULT named *.ours.json is Google Benchmark's output (medians are taken where there are any), one named
*.peer.json is {name: seconds}, where a peer that ran our program itself gives its time as "ours:NAME". A figure
compares one of our benchmarks ("ours") with "peer:NAME" or, where the yardstick is a benchmark of ours, "ours:NAME":
their ratio must be "at_least" so much; a "unit" (MB) says that they are no times. A figure with "at_most" and a
"unit" compares with nothing: our number itself must not be larger. Where a number is missing the line says which and fails nothing; the exit status is 1 if a
figure does not hold.
"""

import json
import pathlib
import sys

SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
# What Google Benchmark appends to a name.
SUFFIXES = ("/real_time", "/process_time", "/manual_time", "/min_time:", "/iterations:", "/repeats:", "/threads:")


def plain_name(name):
    ends = [name.find(suffix) for suffix in SUFFIXES if suffix in name]
    return name[:min(ends)] if ends else name


def our_times(document):
    times = {}
    for run in document["benchmarks"]:
        if run.get("error_occurred"):
            sys.exit(f"{run['name']}: {run.get('error_message', 'failed')}")
        if run.get("aggregate_name", "median") == "median":
            times[plain_name(run["run_name"])] = run["real_time"] * SECONDS[run["time_unit"]]
    return times


def read_times(paths):
    """{"ours:NAME" or "peer:NAME": seconds}"""
    times = {}
    for path in map(pathlib.Path, paths):
        document = json.loads(path.read_text(encoding="utf-8"))
        kind = "ours" if path.name.endswith(".ours.json") else "peer"
        found = our_times(document) if kind == "ours" else document
        times |= {name if name.startswith("ours:") else f"{kind}:{name}": seconds for name, seconds in found.items()}
    return times


def spell(seconds):
    if seconds is None:
        return "-"
    for unit, size in reversed(SECONDS.items()):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def amount_row(figure, numbers):
    """Our number itself, in the figure's unit."""
    unit, limit, ours = figure["unit"], figure["at_most"], numbers.get("ours:" + figure["ours"])
    shown = "-" if ours is None else f"{ours:.3g} {unit}"
    verdict = "not measured" if ours is None else "ok" if ours <= limit else "above"
    return [figure["what"], shown, "-", "-", f"<= {limit:g} {unit}", verdict]


def row(figure, times):
    if "at_most" in figure:
        return amount_row(figure, times)
    ours, other = times.get("ours:" + figure["ours"]), times.get(figure["against"])
    ratio = other / ours if ours is not None and other is not None else None
    if ratio is None:
        verdict = "not measured" if ours is None else "no peer"
    else:
        verdict = "ok" if ratio >= figure["at_least"] else "below"
    shown = "-" if ratio is None else f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.3g}"
    amount = (lambda number: "-" if number is None else f"{number:,.0f} {figure['unit']}") if "unit" in figure else spell
    return [figure["what"], amount(ours), amount(other), shown, f">= {figure['at_least']:g}", verdict]


def main():
    figures = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    times = read_times(sys.argv[2:])
    rows = [["what", "ours", "peer", "ratio", "must be", ""]] + [row(figure, times) for figure in figures]
    widths = [max(len(line[column]) for line in rows) for column in range(len(rows[0]))]
    for line in rows:
        cells = [line[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(line[1:5], widths[1:5])]
        print("  ".join(cells + [line[5]]).rstrip())
    sys.exit(1 if any(line[5] in ("below", "above") for line in rows) else 0)


if __name__ == "__main__":
    main()
