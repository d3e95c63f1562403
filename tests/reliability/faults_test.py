"""Killed at any write, or without room for it, a run loses nothing: the same command then gives the bytes of a run that was never cut.

    PALIMPSEST=build/palimpsest python3 faults_test.py SCENARIO [--fault kill|full] [--every N | --sample N]

tries every call of the scenario's run that changes files, every N-th of them, or N calls spread over it.
"""

import argparse
import pathlib
import re
import resource
import shutil
import sys
import tempfile
import time

import faults
from scenarios import SCENARIOS, contents, normal

SENTENCE = re.compile(r'\Apalimpsest: [^\n]+\n\Z')
SKIPPED = 77  # as ctest is told


class Trial:
    """One scenario: its undisturbed result, and what a disturbed run must come to."""

    def __init__(self, name, folder):
        self.folder = folder
        self.scenario = SCENARIOS[name](folder)
        self.arguments = ('--quiet', *self.scenario.arguments())
        self.failures = 0
        self.run = folder / 'run'
        self.begin()
        self.calls = faults.file_calls(self.arguments, self.run)
        self.expected = {name: normal(name, content) for name, content in contents(self.run).items()}

    def begin(self):
        shutil.rmtree(self.run, ignore_errors=True)
        shutil.copytree(self.scenario.start, self.run)

    def check(self, call, kind, good, what):
        if not good:
            self.failures += 1
            print(f'{kind} at {call}\n    {what}', flush=True)

    def check_earlier(self, call, kind):
        lost = self.scenario.lost(self.run, self.expected)
        self.check(call, kind, not lost, f'earlier results are lost: {lost}')

    def check_again(self, call, kind):
        """The same command ends as if nothing had happened."""
        done = faults.run(self.arguments, self.run)
        self.check(call, kind, done.returncode == 0, f'the same command fails afterwards: {done.stderr}')
        found = {name: normal(name, content) for name, content in contents(self.run).items()}
        left = sorted(found.keys() - self.expected.keys())
        missing = sorted(self.expected.keys() - found.keys())
        other = sorted(name for name in found.keys() & self.expected.keys() if found[name] != self.expected[name])
        self.check(call, kind, not left, f'left over: {left}')
        self.check(call, kind, not missing and not other, f'missing: {missing}, different: {other}')

    def kill(self, call):
        self.begin()
        hit = faults.killed_at(call, self.arguments, self.run)
        self.check(call, 'killed', hit, 'the run never came there')
        self.check_earlier(call, 'killed')
        self.check_again(call, 'killed')

    def fill_disk(self, call):
        self.begin()
        done = faults.without_room_at(call, self.arguments, self.run)
        self.check(call, 'no room', done is not None, 'the run never came there')
        if done is None:
            return
        # What a call does not need may fail unseen: then nothing may be missing.
        if done.returncode != 0:
            self.check(call, 'no room', done.returncode == 1 and SENTENCE.match(done.stderr),
                       f'status {done.returncode}: {done.stderr}')
            self.check_earlier(call, 'no room')
        else:
            found = {name: normal(name, content) for name, content in contents(self.run).items()}
            self.check(call, 'no room', found == self.expected, 'status 0, but the result is not whole')
        self.check_again(call, 'no room')


def spread(calls, count):
    """So many of them, from the first to the last."""
    if count is None or len(calls) <= count:
        return calls
    return [calls[round(i * (len(calls) - 1) / max(count - 1, 1))] for i in range(count)]


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('scenario', choices=SCENARIOS)
    parser.add_argument('--fault', choices=('kill', 'full'))
    parser.add_argument('--every', type=int, default=1)
    parser.add_argument('--sample', type=int)
    options = parser.parse_args()
    if not faults.is_possible():
        print('strace is not installed, or may not trace here')
        return SKIPPED
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        trial = Trial(options.scenario, pathlib.Path(folder).resolve())
        killed = spread(trial.calls[::options.every], options.sample) if options.fault != 'full' else []
        needing_room = [call for call in trial.calls if call.name in faults.NEEDING_ROOM]
        full = spread(needing_room[options.every // 2::options.every], options.sample) if options.fault != 'kill' else []
        for call in killed:
            trial.kill(call)
        for call in full:
            trial.fill_disk(call)
    print(f'{options.scenario}: {len(trial.calls)} calls; killed at {len(killed)}, without room at {len(full)}; '
          f'{trial.failures} failures; {time.monotonic() - began:.0f} s, {processor_time():.0f} s of processor time')
    return 1 if trial.failures else 0


if __name__ == '__main__':
    sys.exit(main())
