"""The examples for many machines, without a cluster: what a batch system sets is set by hand. tests/cluster has a real Slurm."""

import os
import pathlib
import re
import shutil
import subprocess

from checkpoint import TINY_MODEL
from long_run import LongRunTest
from program import EXAMPLES, has_avx2, main, runs_only_if

PROGRAM = pathlib.Path(os.environ['PALIMPSEST'])


def container_arguments(yaml):
    """The `args` of each container, by its name."""
    found = re.findall(r'- name: (\w+)\n +image: .*\n +args:\n((?: +- .*\n)+?)(?= +volumeMounts)', yaml)
    return {name: re.findall(r'- (.*)\n', lines) for name, lines in found}


class ClusterExamplesTest(LongRunTest):
    def setUp(self):
        super().setUp()
        (self.folder / 'bin').mkdir()
        (self.folder / 'bin' / 'palimpsest').symlink_to(PROGRAM)
        self.environment = {'PATH': f'{self.folder}/bin:{os.environ["PATH"]}'}
        shutil.copytree(TINY_MODEL, self.folder / 'my-model')
        self.questions('forget.json', 500, 1)
        self.questions('holdout.json', 400, 2)  # two batches together

    def plain(self, *options):
        """What a plain run prints; its results are in the folder whole."""
        return self.succeed('--quiet', 'mia', '--model', 'my-model', '--forget', 'forget.json', '--holdout', 'holdout.json',
                            '--independent', '--threads', '1', '--out', 'whole', *options)

    def script(self, *command, **variables):
        done = subprocess.run([str(word) for word in command], cwd=self.folder, capture_output=True, text=True,
                              encoding='utf-8', check=False, timeout=600, env=os.environ | self.environment | variables)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    @runs_only_if(has_avx2(), 'the example pins avx2, which this processor lacks')
    def test_kubernetes(self):
        yaml = (EXAMPLES / 'kubernetes' / 'job.yaml').read_text(encoding='utf-8')
        pods, = map(int, re.findall(r'\n +completions: (\d+)\n', yaml))
        arguments = {name: [text.replace('/data/', '') for text in texts] for name, texts in container_arguments(yaml).items()}
        self.assertEqual(set(arguments), {'shard', 'results'})
        for index in reversed(range(pods)):
            done = self.script(PROGRAM, *arguments['shard'], '--threads', 1, JOB_COMPLETION_INDEX=str(index))
            self.assertIn(f'this is shard {index + 1}/{pods}, according to JOB_COMPLETION_INDEX={index} (Kubernetes)', done.stderr)
        # Everything is there: --no-run would refuse to compute.
        done = self.script(PROGRAM, *arguments['results'], '--no-run')
        self.assertEqual(done.stdout, self.plain('--isa', 'avx2'))
        self.assertEqual(self.files('audit'), self.files('whole'))

    def test_slurm(self):
        named = {'MODEL': 'my-model', 'FORGET': 'forget.json', 'HOLDOUT': 'holdout.json', 'OUT': 'audit',
                 'SLURM_CPUS_PER_TASK': '1'}
        for task in ('3', '5'):  # sbatch --array=3-5:2
            self.script('bash', EXAMPLES / 'slurm' / 'audit.sbatch', SLURM_ARRAY_TASK_ID=task, SLURM_ARRAY_TASK_MIN='3',
                        SLURM_ARRAY_TASK_STEP='2', SLURM_ARRAY_TASK_COUNT='2', **named)
        done = self.script('bash', EXAMPLES / 'slurm' / 'finish.sbatch', **named)
        self.assertEqual(done.stdout, self.plain())
        self.assertEqual(self.files('audit'), self.files('whole'))

    @runs_only_if(PROGRAM.with_name('palimpsest-mpi').exists(), 'palimpsest-mpi was not built: there is no MPI')
    def test_mpi(self):
        self.script(EXAMPLES / 'mpi' / 'audit.sh', 'my-model', 'forget.json', 'holdout.json', 'audit', '--oversubscribe',
                    RANKS='2', OMPI_ALLOW_RUN_AS_ROOT='1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM='1')
        self.plain()
        self.assertEqual(self.files('audit'), self.files('whole'))


if __name__ == '__main__':
    main()
