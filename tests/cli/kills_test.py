"""Nothing is lost: a rank, a shard or mpirun itself is killed as soon as a run has committed its k-th batch, for every k. The same
command then goes on, and its results have the same bytes.

    PALIMPSEST=build/palimpsest python3 kills_test.py [--sample]

With --sample only one k is tried of each. Without palimpsest-mpi only shards are killed.
"""

import os
import pathlib
import shutil
import signal
import sys
import time

from checkpoint import TINY_MODEL
from long_run import TIMEOUT, batches_in
from mpi_run import ROOT_MAY, MpiRunTest, children_of, is_running
from program import main, runs_only_if

IS_SAMPLE = '--sample' in sys.argv
sys.argv = [argument for argument in sys.argv if argument != '--sample']
HAS_MPI = pathlib.Path(os.environ['PALIMPSEST']).with_name('palimpsest-mpi').exists()
QUESTIONS = 3000  # of about 24 tokens: several batches


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
        self.environment |= ROOT_MAY

    def make_expected(self, model):
        self.trace = ('--quiet', 'trace', '--model', model, '--data', self.questions('data.jsonl', QUESTIONS, 1), '--threads', '1',
                      '--out')
        self.succeed(*self.trace, 'whole.jsonl')
        self.expected = (self.folder / 'whole.jsonl').read_bytes()
        self.succeed(*self.trace, 'out.jsonl', '--shard', '1/1')
        self.batches = self.committed()
        self.assertGreater(self.batches, 3)  # two for each of two shards
        self.succeed(*self.trace, 'out.jsonl')
        self.out.unlink()

    def kill_after(self, k, command, victim):
        """Starts the command and kills victim(its process, the children) when k batches are committed. Returns how the command
        ended, and how many batches were committed just before the kill."""
        children = []
        finished = 0

        def find_victim(pid):
            nonlocal finished
            children.extend(children_of(pid))
            finished = self.committed()
            return victim(pid, children)

        status, _ = self.cut(command, lambda: self.committed() >= k, victim=find_victim)
        deadline = time.monotonic() + TIMEOUT
        for child in children:  # without mpirun they may finish their work
            while is_running(child):
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.01)
        return status, finished

    def committed(self):
        return batches_in(*self.journals.glob('*.journal'))

    def expect_result(self):
        self.assertEqual(self.out.read_bytes(), self.expected)
        self.assertFalse(self.journals.exists())
        self.out.unlink()

    def kill_after_each(self, attempt, batches, processes):
        """Calls attempt(k) for every k of the command's batches. It says whether the run was really cut, which it must be as long as
        batches are left that no process has in hand."""
        for k in (1,) if IS_SAMPLE else range(1, batches + 1):
            with self.subTest(k=k):
                if k <= batches - processes:
                    self.until_cut(lambda _, k=k: attempt(k))
                else:
                    attempt(k)

    def test_shards(self):
        self.make_expected(TINY_MODEL)
        count = 2
        for number in range(1, count + 1):
            command = (*self.trace, 'out.jsonl', '--shard', f'{number}/{count}')
            self.succeed(*command)
            batches = self.committed()
            shutil.rmtree(self.journals)

            def attempt(k, command=command):
                status, _ = self.kill_after(k, [os.environ['PALIMPSEST'], *command], lambda pid, children: pid)
                finished = self.committed()
                self.succeed(*command)
                was_cut = status == -signal.SIGKILL and k <= finished < self.committed()
                for each in range(1, count + 1):
                    self.succeed(*self.trace, 'out.jsonl', '--shard', f'{each}/{count}')
                self.succeed(*self.trace, 'out.jsonl', '--no-run')
                self.expect_result()
                return was_cut

            with self.subTest(shard=number):
                self.kill_after_each(attempt, batches, 1)

    def kill_under_mpi(self, victims, model, *more):
        self.make_expected(model)
        for name, victim in victims.items():
            def attempt(k, name=name, victim=victim):
                status, finished = self.kill_after(k, self.command(2, *self.trace, 'out.jsonl', *more), victim)
                if name == 'mpirun':
                    was_cut = status == -signal.SIGKILL and k <= finished < self.batches
                else:  # mpirun says how its process ended, and ends the others
                    was_cut = status == 128 + signal.SIGKILL and k <= finished < self.batches and not self.out.exists()
                # Whoever goes on: the same, fewer, or processes that have whole models.
                if not self.out.exists() or k % 3 == 0:
                    self.succeed_ranks(2, *self.trace, 'out.jsonl', *more)
                if k % 3 == 1:
                    self.succeed(*self.trace, 'out.jsonl')
                self.expect_result()
                return was_cut

            with self.subTest(victim=name, more=more):
                self.kill_after_each(attempt, self.batches, 1 if '--split-layers' in more else 2)

    @staticmethod
    def victims():
        every = {'mpirun': lambda pid, children: pid,
                 'the leader': lambda pid, children: next(child for child in children if rank_of(child) == 0),
                 'the last rank': lambda pid, children: next(child for child in children if rank_of(child) == 1)}
        return every

    @runs_only_if(HAS_MPI, 'there is no palimpsest-mpi')
    def test_ranks(self):
        victims = self.victims()
        if IS_SAMPLE:
            del victims['mpirun']
        self.kill_under_mpi(victims, TINY_MODEL)

    @runs_only_if(HAS_MPI, 'there is no palimpsest-mpi')
    def test_ranks_that_share_the_layers(self):
        victims = self.victims()
        if IS_SAMPLE:
            del victims['the leader']
        self.kill_under_mpi(victims, self.golden_model('gemma2'), '--split-layers')


if __name__ == '__main__':
    main()
