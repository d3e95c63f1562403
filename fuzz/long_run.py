"""Long runs of the fuzzers, one after the other, and the table of docs/reliability.md.

    python3 fuzz/long_run.py BUILD LOGS [NAME …] [--runs N]

runs every fuzzer in BUILD (build/sanitizers/fuzz), or those that are named, from its corpus. What it finds by the way and what it says
goes to LOGS, which may lie anywhere; fuzzers whose log there is complete are not run again. Ends with status 1 if one of them
found something.
"""

import argparse
import os
import pathlib
import re
import resource
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
# -timeout counts elapsed seconds, of which a busy machine gives a fuzzer few: no input takes a second of processor time.
# Inputs are short, so that there are many of them.
LONGEST = {'kernels': 64, 'trace_file': 4096, 'mia_json': 4096, 'run_record': 4096, 'eval_log': 4096}
USUAL = 1024
# Memory that was freed is kept for 16 MB, which are many inputs: by default, the system fills 256 MB with zeros again and again.
SANITIZER = 'quarantine_size_mb=16:malloc_context_size=8'


def executions(log):
    """What a run that came to its end says; None of one that did not."""
    found = re.search(r'stat::number_of_executed_units: (\d+)', log.read_text(encoding='utf-8', errors='replace')) if log.exists() else None
    return int(found.group(1)) if found else None


def run(program, logs, runs):
    name = program.name.removesuffix('_fuzz')
    found = logs / name
    found.mkdir(parents=True, exist_ok=True)
    arguments = [program, '-seed=7', f'-runs={runs}', f'-max_len={LONGEST.get(name, USUAL)}', '-timeout=120', '-rss_limit_mb=2048',
                 '-entropic=0',  # weighing inputs takes up to a third of the time
                 '-print_final_stats=1', f'-artifact_prefix={logs}/{name}-']
    dictionary = next((path for path in (HERE / f'{name}.dict', program.parent / f'{name}.dict') if path.exists()), None)
    arguments += [f'-dict={dictionary}'] if dictionary else []
    corpus = HERE / 'corpus' / name
    with open(logs / f'{name}.log', 'wb') as log:
        return subprocess.run([*map(str, arguments), found, *([corpus] if corpus.exists() else [])], stdout=log, stderr=log,
                              env={**os.environ, 'ASAN_OPTIONS': SANITIZER}, check=False).returncode


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('build', type=pathlib.Path)
    parser.add_argument('logs', type=pathlib.Path)
    parser.add_argument('names', nargs='*')
    parser.add_argument('--runs', type=int, default=1_000_000)
    options = parser.parse_args()
    options.logs.mkdir(parents=True, exist_ok=True)
    failed = False
    for program in sorted(options.build.resolve().glob('*_fuzz')):
        name = program.name.removesuffix('_fuzz')
        if options.names and name not in options.names:
            continue
        if (executions(options.logs / f'{name}.log') or 0) >= options.runs:
            continue
        began = processor_time()
        status = run(program, options.logs.resolve(), options.runs)
        failed = failed or status != 0
        print(f'| `{name}` | {executions(options.logs / f"{name}.log") or 0:,} | {"0" if status == 0 else "see its log"} | '
              f'{processor_time() - began:.0f} s |', flush=True)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
