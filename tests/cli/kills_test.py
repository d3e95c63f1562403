"""Nothing is lost: a rank, a shard or mpirun itself is killed as soon as a run has committed its k-th batch, for every k. The same
command then goes on, and its results have the same bytes.

    PALIMPSEST=build/palimpsest python3 kills_test.py [--sample]

With --sample only one k is tried of each. Without palimpsest-mpi only shards are killed.
"""

import os
import pathlib
import signal
import struct
import subprocess
import sys
import time
import unittest

from checkpoint import TINY_MODEL
from mpi_run import ROOT_MAY, TIMEOUT, MpiRunTest, children_of, is_running
from program import GOLDEN_MODELS

IS_SAMPLE = '--sample' in sys.argv
HAS_MPI = pathlib.Path(os.environ['PALIMPSEST']).with_name('palimpsest-mpi').exists()
QUESTIONS = 1200 if IS_SAMPLE else 3000  # of about 24 tokens: some batches
HEAD = len('palimpsest journal 2\n') + 32


def commits(journals):
    """The batches that a journal in this folder holds; 0 if there is none."""
    for path in journals.glob('*.journal'):
        try:
            content = path.read_bytes()
        except OSError:
            continue
        count, place = 0, HEAD
        while place + 24 <= len(content):
            size, _, number = struct.unpack_from('<QQq', content, place)
            place += 16 + size
            count += number >= 0 and place <= len(content)
        if count > 0:
            return count
    return 0


def rank_of(pid):
    for variable in pathlib.Path(f'/proc/{pid}/environ').read_bytes().split(b'\0'):
        name, _, value = variable.partition(b'=')
        if name == b'OMPI_COMM_WORLD_RANK':
            return int(value)
    return None


class KillsTest(MpiRunTest):
    def setUp(self):
        super().setUp()
        self.out = self.folder / 'out.jsonl'
        self.journals = self.folder / 'out.jsonl.run'

    def make_expected(self, model):
        self.trace = ('--quiet', 'trace', '--model', model, '--data', self.questions('data.jsonl', QUESTIONS, 1), '--threads', '1',
                      '--out')
        self.succeed(*self.trace, 'whole.jsonl')
        self.expected = (self.folder / 'whole.jsonl').read_bytes()
        self.succeed(*self.trace, 'out.jsonl', '--shard', '1/1')
        self.batches = commits(self.journals)
        self.assertGreater(self.batches, 1)
        self.succeed(*self.trace, 'out.jsonl')
        self.out.unlink()

    def numbers(self, most):
        return (1,) if IS_SAMPLE else range(1, most + 1)

    def kill_after(self, k, command, victim):
        """Starts the command and kills victim(its process) when k batches are committed. It may be done by then."""
        with subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              env=os.environ | ROOT_MAY) as process:
            deadline = time.monotonic() + TIMEOUT
            while process.poll() is None and commits(self.journals) < k:
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.0005)
            children = []
            try:
                children = children_of(process.pid)
                os.kill(victim(process.pid, children), signal.SIGKILL)
            except (OSError, StopIteration):  # it is done
                pass
            process.wait(timeout=TIMEOUT)
        for child in children:  # without mpirun they may finish their work
            while is_running(child):
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.01)

    def expect_result(self):
        self.assertEqual(self.out.read_bytes(), self.expected)
        self.assertFalse(self.journals.exists())
        self.out.unlink()

    def test_shards(self):
        self.make_expected(TINY_MODEL)
        count = 2
        for number in range(1, count + 1):
            shard = ('--shard', f'{number}/{count}')
            for k in self.numbers(self.batches):
                with self.subTest(shard=number, k=k):
                    self.kill_after(k, [os.environ['PALIMPSEST'], *map(str, self.trace), 'out.jsonl', *shard],
                                    lambda pid, children: pid)
                    for each in range(1, count + 1):
                        self.succeed(*self.trace, 'out.jsonl', '--shard', f'{each}/{count}')
                    self.succeed(*self.trace, 'out.jsonl', '--no-run')
                    self.expect_result()

    def kill_under_mpi(self, victims, model, *more):
        self.make_expected(model)
        for name, victim in victims.items():
            for k in self.numbers(self.batches):
                with self.subTest(name, k=k, more=more):
                    self.kill_after(k, self.command(2, *self.trace, 'out.jsonl', *more), victim)
                    # Whoever goes on: the same, fewer, or processes that have whole models.
                    if not self.out.exists() or k % 3 == 0:
                        self.succeed_ranks(2, *self.trace, 'out.jsonl', *more)
                    if k % 3 == 1:
                        self.succeed(*self.trace, 'out.jsonl')
                    self.expect_result()

    @staticmethod
    def victims():
        every = {'mpirun': lambda pid, children: pid,
                 'the leader': lambda pid, children: next(child for child in children if rank_of(child) == 0),
                 'the last rank': lambda pid, children: next(child for child in children if rank_of(child) == 1)}
        return every

    @unittest.skipUnless(HAS_MPI, 'there is no palimpsest-mpi')
    def test_ranks(self):
        victims = self.victims()
        if IS_SAMPLE:
            del victims['mpirun']
        self.kill_under_mpi(victims, TINY_MODEL)

    @unittest.skipUnless(HAS_MPI, 'there is no palimpsest-mpi')
    def test_ranks_that_share_the_layers(self):
        victims = self.victims()
        if IS_SAMPLE:
            del victims['the leader']
        self.kill_under_mpi(victims, self.golden_model('gemma2'), '--split-layers')


if __name__ == '__main__':
    unittest.main(argv=[argument for argument in sys.argv if argument != '--sample'])
