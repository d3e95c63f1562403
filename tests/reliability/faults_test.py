"""Killed at any write, or without room for it, a run loses nothing: the same command then gives the bytes of a run that was never cut.

    PALIMPSEST=build/palimpsest python3 faults_test.py SCENARIO [--fault kill|full] [--every N | --sample N]

tries every place of the scenario's run at which files change, every N-th of them, or N places spread over it.
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
        self.places = faults.places(self.arguments, self.run)
        self.expected = {name: normal(name, content) for name, content in contents(self.run).items()}

    def begin(self):
        shutil.rmtree(self.run, ignore_errors=True)
        shutil.copytree(self.scenario.start, self.run)

    def check(self, place, kind, good, what):
        if not good:
            self.failures += 1
            print(f'{kind} at {place}\n    {what}', flush=True)

    def check_earlier(self, place, kind):
        lost = self.scenario.lost(self.run, self.expected)
        self.check(place, kind, not lost, f'earlier results are lost: {lost}')

    def check_again(self, place, kind):
        """The same command ends as if nothing had happened."""
        done = faults.run(self.arguments, self.run)
        self.check(place, kind, done.returncode == 0, f'the same command fails afterwards: {done.stderr}')
        found = {name: normal(name, content) for name, content in contents(self.run).items()}
        left = sorted(found.keys() - self.expected.keys())
        missing = sorted(self.expected.keys() - found.keys())
        other = sorted(name for name in found.keys() & self.expected.keys() if found[name] != self.expected[name])
        self.check(place, kind, not left, f'left over: {left}')
        self.check(place, kind, not missing and not other, f'missing: {missing}, different: {other}')

    def kill(self, place):
        self.begin()
        hit = faults.killed_at(place, self.arguments, self.run)
        self.check(place, 'killed', hit, 'the run never came there')
        self.check_earlier(place, 'killed')
        self.check_again(place, 'killed')

    def fill_disk(self, place):
        self.begin()
        done = faults.without_room_at(place, self.arguments, self.run)
        self.check(place, 'no room', done is not None, 'the run never came there')
        if done is None:
            return
        # What a call does not need may fail unseen: then nothing may be missing.
        if done.returncode != 0:
            self.check(place, 'no room', done.returncode == 1 and SENTENCE.match(done.stderr),
                       f'status {done.returncode}: {done.stderr}')
            self.check_earlier(place, 'no room')
        else:
            found = {name: normal(name, content) for name, content in contents(self.run).items()}
            self.check(place, 'no room', found == self.expected, 'status 0, but the result is not whole')
        self.check_again(place, 'no room')


def spread(places, count):
    """So many of them, from the first to the last."""
    if count is None or len(places) <= count:
        return places
    return [places[round(i * (len(places) - 1) / max(count - 1, 1))] for i in range(count)]


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
        killed = spread(trial.places[::options.every], options.sample) if options.fault != 'full' else []
        needing_room = [place for place in trial.places if place.call in faults.NEEDING_ROOM]
        full = spread(needing_room[options.every // 2::options.every], options.sample) if options.fault != 'kill' else []
        for place in killed:
            trial.kill(place)
        for place in full:
            trial.fill_disk(place)
    print(f'{options.scenario}: {len(trial.places)} places; killed at {len(killed)}, without room at {len(full)}; '
          f'{trial.failures} failures; {time.monotonic() - began:.0f} s, {processor_time():.0f} s of processor time')
    return 1 if trial.failures else 0


if __name__ == '__main__':
    sys.exit(main())
