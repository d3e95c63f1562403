#!/usr/bin/env python3
"""The examples for Slurm, submitted to a real one: the same bytes as a plain run. `make cluster-test` runs it.

PALIMPSEST is the path of the program; palimpsest-mpi lies beside it.
"""

import os
import pathlib
import re
import signal
import sys
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / 'cli')]

from checkpoint import TINY_MODEL  # noqa: E402
from long_run import LongRunTest  # noqa: E402
from program import EXAMPLES  # noqa: E402
from slurm import NODES, PATH, Slurm  # noqa: E402

SCRIPTS = EXAMPLES / 'slurm'


class SlurmTest(LongRunTest):
    slurm = None  # main() starts it
    plain = None  # what a plain run prints, and its files

    def setUp(self):
        super().setUp()
        self.forget, self.holdout = self.questions('forget.jsonl', 900, 1), self.questions('holdout.jsonl', 700, 2)
        # What the scripts take from their environment. The terminal is none, so that colour and bars are left out.
        self.variables = {'MODEL': str(TINY_MODEL), 'FORGET': self.forget, 'HOLDOUT': self.holdout,
                          'PATH': f'{pathlib.Path(os.environ["PALIMPSEST"]).parent}:{PATH}'}

    def mia(self, out):
        return ('mia', '--model', TINY_MODEL, '--forget', self.forget, '--holdout', self.holdout, '--independent', '--threads', '1',
                '--out', out)

    def slurm_run(self, *command, **variables):
        done = self.slurm.run(*command, cwd=self.folder, timeout=300, **self.variables | variables)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def submit(self, script, *options, **variables):
        return self.slurm_run('sbatch', '--parsable', '--export=ALL', *options, SCRIPTS / script, **variables).strip()

    def expect_states(self, jobs, *states):
        """That the jobs ended so, in any order."""
        found = sorted(job['JobState'] for job in jobs)
        self.assertEqual(found, sorted(states), '\n'.join(path.read_text() for path in self.folder.glob('slurm-*.out')))

    def output_of(self, job):
        """Standard output and error of a job or of a task of an array."""
        return (self.folder / f'slurm-{job}.out').read_text(encoding='utf-8')

    def expect_same_results(self, out):
        """That the folder holds what a plain run gives. Returns what that run printed."""
        if SlurmTest.plain is None:  # one for all tests: the data are the same
            SlurmTest.plain = self.succeed('--quiet', *self.mia('whole')), self.files('whole')
        printed, files = SlurmTest.plain
        self.assertEqual(self.files(out), files)
        return printed

    def test_a_job_array_and_the_job_that_finishes(self):
        told = self.slurm_run(SCRIPTS / 'submit.sh', 3, OUT='audit')
        array, finish = re.fullmatch(r'shards: job (\d+); results: job (\d+)\n', told).groups()
        self.expect_states(self.slurm.wait_for(finish), 'COMPLETED')
        tasks = self.slurm.jobs(array)
        self.expect_states(tasks, *['COMPLETED'] * 3)
        # Four cores per node and two per task: one of the nodes alone does not hold them.
        self.assertEqual({task['NodeList'] for task in tasks}, set(NODES))
        for number in (1, 2, 3):
            said = self.output_of(f'{array}_{number}')
            self.assertIn(f'this is shard {number}/3, according to SLURM_ARRAY_TASK_ID={number} (Slurm)', said)
            self.assertIn(f'shard {number}/3 is done', said)
        self.assertIn(self.expect_same_results('audit'), self.output_of(finish))

    def test_tasks_that_are_cancelled_or_requeued(self):
        # One task is cancelled before it can start; another is stopped when it holds a batch, or is finished.
        array = self.submit('audit.sbatch', '--array=1-3', '--hold', OUT='audit')
        self.slurm_run('scancel', f'{array}_2')
        self.slurm_run('scontrol', 'release', array)
        part = self.folder / 'audit' / 'traces.run' / 'pass-1.shard-1-of-3.journal'
        deadline = time.monotonic() + 100
        while not part.exists() or part.stat().st_size < 600:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        self.slurm_run('scontrol', 'requeue', f'{array}_1')
        finish = self.submit('finish.sbatch', f'--dependency=afterany:{array}', OUT='audit')
        self.expect_states(self.slurm.wait_for(finish), 'COMPLETED')
        tasks = self.slurm.jobs(array)  # a task that never started is forgotten
        self.expect_states(tasks, 'COMPLETED', 'COMPLETED')
        self.assertEqual({task['ArrayTaskId']: task['Restarts'] for task in tasks}, {'1': '1', '3': '0'})
        said = self.output_of(finish)
        missing = re.search(r'(\d+) of 1600 sequences had been run before', said)
        self.assertTrue(0 < int(missing[1]) < 1600, said)
        self.assertIn(self.expect_same_results('audit'), said)

    def test_processes_of_mpi(self):
        job = self.submit('mpi.sbatch', '--nodes=2', '--ntasks=3', '--cpus-per-task=1', OUT='audit')
        self.expect_states(self.slurm.wait_for(job), 'COMPLETED')
        printed = self.expect_same_results('audit')
        said = self.output_of(job)
        self.assertIn(printed, said)
        self.assertEqual(said.count(printed.splitlines()[0]), 1)  # one process prints

    def trace(self, out):
        return ('palimpsest', '--quiet', 'trace', '--model', TINY_MODEL, '--data', self.folder / self.forget, '--out', out)

    def test_srun_hands_over_only_with_mpi(self):
        self.succeed(*self.trace('whole.jsonl')[1:])
        whole = (self.folder / 'whole.jsonl').read_bytes()
        for mpi, processes, writers in (('none', 2, {'0', '1'}), ('pmix', 2, {'0'}), ('pmix', 1, {'0'})):
            with self.subTest(mpi=mpi, processes=processes):
                folder = self.folder / f'{mpi}-{processes}'
                # Each process has a folder of its own, so that all may write.
                for rank in range(processes):
                    (folder / str(rank)).mkdir(parents=True)
                told = self.slurm_run('srun', f'--ntasks={processes}', f'--nodes={processes}', f'--mpi={mpi}', 'sh', '-c',
                                      f'cd {folder}/$SLURM_PROCID && exec "$@"', 'sh', *self.trace('out.jsonl'))
                self.assertEqual({path.parent.name for path in folder.glob('*/out.jsonl')}, writers)
                for path in folder.glob('*/out.jsonl'):
                    self.assertEqual(path.read_bytes(), whole)
                self.assertEqual(told.count('900 examples'), len(writers))


def interrupt(*_):
    """Stops the test once; a second signal must not stop what the first one has begun to clean up."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def main():
    # Around unittest and not within it: a test that is stopped still ends its daemons.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, interrupt)
    with Slurm() as SlurmTest.slurm:
        program = unittest.main(exit=False)
    sys.exit(not program.result.wasSuccessful())


if __name__ == '__main__':
    main()
