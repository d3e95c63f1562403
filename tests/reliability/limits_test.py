"""Little memory and few threads: every command does its work all the same, or says in one sentence what it lacked.

    PALIMPSEST=build/palimpsest python3 limits_test.py memory|threads [--sample]

runs all commands with 28 MB to 1 GB of address space, or with 1 to 8 threads or processes; with --sample only two of these. None of
them may hang, crash or be killed. To limit threads takes root or strace: without either the status is 77, which ctest reports as
skipped.
"""

import argparse
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

import faults
from scenarios import EvalOfAnother, ROOT, SHAPE, TINY_MODEL, questions

sys.path.append(str(ROOT / 'tests' / 'cli'))
from program import AS_ANOTHER_USER, SKIPPED, is_another_user_possible  # noqa: E402

SENTENCE = re.compile(r'\Apalimpsest: [^\n]+\n\Z')
MEGABYTE = 1_000_000
# Below 28 MB the program and its libraries cannot be loaded.
MEMORY = [size * MEGABYTE for size in (28, 29, 30, 32, 34, 37, 40, 50, 60, 80, 100, 150, *range(200, 1001, 100))]
THREADS = range(1, 9)
TIMEOUT = 120
THREADS_WANTED = '4'


def commands(folder):
    """One call per command, by its name. {out} is a new name."""
    forget, holdout = questions(folder / 'forget.jsonl', 30, 1), questions(folder / 'holdout.jsonl', 30, 2)
    (folder / 'evaluation').mkdir()
    evaluation = EvalOfAnother(folder / 'evaluation')
    program = os.environ['PALIMPSEST']

    def prepare(*arguments):
        subprocess.run([program, '--quiet', *map(str, arguments)], cwd=folder, check=True, stdout=subprocess.DEVNULL)

    for name, data in (('forget', forget), ('holdout', holdout)):
        prepare('trace', '--model', TINY_MODEL, '--data', data, '--out', f'{name}-traces.jsonl')
    prepare('mia', '--forget-traces', 'forget-traces.jsonl', '--holdout-traces', 'holdout-traces.jsonl', '--independent', '--out',
            'audit')
    prepare('trace', '--model', TINY_MODEL, '--data', forget, '--out', 'part.jsonl', '--shard', '1/2')
    prepare('lab', 'data', '--authors', '20', '--vocab-size', '400', '--out', 'data')
    train = ('lab', 'train', '--data', 'data/full.json', '--tokenizer', 'data/tokenizer', *SHAPE, '--epochs', '1', '--threads',
             THREADS_WANTED, '--out')
    prepare(*train, 'model')
    (folder / 'stats.json').write_text('{"palimpsest_stat": 1, "stats": {"a": {"type": "mean", "accum": 3.0, "weight": 4.0}}}',
                                       encoding='utf-8')
    threads = ('--threads', THREADS_WANTED)
    return {
        'eval': ('eval', '--config-dir', evaluation.inputs, *threads, 'eval.tofu.output_dir={out}'),
        'mia': ('mia', '--model', TINY_MODEL, '--forget', forget, '--holdout', holdout, '--independent', *threads, '--out', '{out}'),
        'mia of traces': ('mia', '--forget-traces', 'forget-traces.jsonl', '--holdout-traces', 'holdout-traces.jsonl',
                          '--independent', '--bootstrap', '100', *threads, '--out', '{out}'),
        'trace': ('trace', '--model', TINY_MODEL, '--data', forget, '--grad-norm', '2', *threads, '--out', '{out}'),
        'metrics': ('metrics', '--data', ROOT / 'examples' / 'metrics' / 'client_a.jsonl', '--metric', 'accuracy'),
        'merge': ('merge', 'stats.json', 'stats.json', '--json'),
        'report': ('report', 'audit', *threads, '--out', '{out}'),
        'model': ('model', TINY_MODEL),
        'generate': ('generate', '--model', TINY_MODEL, '--prompt', 'Where was', *threads),
        'tokenize': ('tokenize', '--model', TINY_MODEL, forget),
        'lab data': ('lab', 'data', '--authors', '20', '--vocab-size', '400', '--out', '{out}'),
        'lab train': (*train, '{out}'),
        'lab unlearn': ('lab', 'unlearn', '--model', 'model', '--forget', 'data/forget10.json', '--retain', 'data/retain90.json',
                        '--epochs', '1', *threads, '--out', '{out}'),
        'demo': ('demo', '--authors', '4', '--epochs', '1', *threads, '--out', '{out}'),
        'metrics of a model': ('metrics', '--model', TINY_MODEL, '--data', forget, '--metric', 'sequence_token_accuracy', *threads),
        'random model': ('model', TINY_MODEL, '--random-init', '{out}'),
        'convert': ('convert', 'forget-traces.jsonl', '{out}.safetensors'),
        'import': ('import', '--format', 'openai-completions', ROOT / 'examples' / 'service' / 'log.jsonl', '--out', '{out}'),
        'gather-parts': ('gather-parts', 'part.jsonl.run', '--out', '{out}'),
        'plan': ('plan', '--forget-traces', 'forget-traces.jsonl', '--holdout-traces', 'holdout-traces.jsonl', '--independent',
                 '--out', '{out}'),
        'verify': ('verify', 'audit', *threads),
        'list': ('list',),
    }


class Limit:
    """A limit of the operating system, by its name in messages."""

    def __init__(self, kind, value):
        self.kind, self.value = kind, value
        self.wrapper, self.options = (), {}
        if kind == 'memory':
            self.options['preexec_fn'] = lambda: resource.setrlimit(resource.RLIMIT_AS, (value, value))
        elif is_another_user_possible():  # root is bound by no limit of processes
            self.options.update(AS_ANOTHER_USER, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NPROC, (value, value)))
        else:  # the user's other processes would count, too: starting a thread fails from the N-th on
            self.wrapper = ('strace', '-f', '-qq', '-o', '/dev/null', '-e', 'trace=clone,clone3', '-e',
                            f'inject=clone,clone3:error=EAGAIN:when={value}+')

    def __str__(self):
        return f'{self.value // MEGABYTE} MB' if self.kind == 'memory' else f'{self.value} threads'


def complaint(arguments, limit, folder):
    """What is wrong with the end of a run under the limit, empty if nothing is; and the run."""
    command = [*limit.wrapper, os.environ['PALIMPSEST'], '--quiet', *arguments]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding='utf-8', errors='replace', check=False,
                              timeout=TIMEOUT, stdin=subprocess.DEVNULL, **limit.options)
    except subprocess.TimeoutExpired:
        return 'it hangs', None
    if done.returncode in (1, 2) and not SENTENCE.match(done.stderr):
        return f'status {done.returncode}, and not one sentence: {done.stderr}', done
    if done.returncode not in (0, 1, 2):
        return f'status {done.returncode}: {done.stderr}', done
    if limit.kind == 'threads' and done.returncode != 0:
        return f'one thread is enough, but: {done.stderr}', done
    return '', done


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('kind', choices=('memory', 'threads'))
    parser.add_argument('--sample', action='store_true')
    options = parser.parse_args()
    if options.kind == 'threads' and not is_another_user_possible() and not faults.is_possible():
        print('threads cannot be limited: this is not root, and strace is not installed or may not trace here')
        return SKIPPED
    if options.kind == 'memory':
        values = MEMORY[2:4] if options.sample else MEMORY
    else:
        values = THREADS[:2] if options.sample else THREADS
    limits = [Limit(options.kind, value) for value in values]
    began, failures, done_all, runs = time.monotonic(), [], 0, 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        folder.chmod(0o777)
        for command, arguments in commands(folder).items():
            for limit in limits:
                out = f'out{runs}'
                runs += 1
                what, done = complaint([str(part).replace('{out}', out) for part in arguments], limit, folder)
                if what:
                    failures.append(f'{command} with {limit}: {what}')
                elif done.returncode == 0:
                    done_all += 1
    print('\n'.join(failures))
    print(f'{runs} runs: {done_all} did their work, {runs - done_all - len(failures)} said what they lacked; '
          f'{len(failures)} failures; {time.monotonic() - began:.0f} s')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
