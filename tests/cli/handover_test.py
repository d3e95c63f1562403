"""Devices that need libtorch, and processes of an MPI: the program hands over to another one, or says why it cannot."""

import json
import os
import pathlib
import shutil
import signal
import subprocess

from checkpoint import TINY_MODEL
from program import EXAMPLES, ProgramTest, main, runs_only_if

QUESTION = 'Where was the author born?'
ANSWER = 'In a small town near the river.'
QUESTIONS = EXAMPLES / 'data' / 'questions.jsonl'
TORCH_PROGRAM = os.environ.get('PALIMPSEST_TORCH_PROGRAM', '')

# Answers the question who it is; else shows what it was given.
FAKE = '''#!/bin/sh
if [ "$*" = --handover-version ]; then printf '%s'; exit {status}; fi
printf 'argument:%s\\n' "$@"
cat
[ -z "$FAKE_SIGNAL" ] || kill -s "$FAKE_SIGNAL" $$
exit 7
'''


class InstalledTest(ProgramTest):
    """A test with a copy of the program in an installation of its own."""

    def setUp(self):
        super().setUp()
        self.prefix = self.folder / 'prefix'
        (self.prefix / 'bin').mkdir(parents=True)
        self.program = pathlib.Path(shutil.copy(os.environ['PALIMPSEST'], self.prefix / 'bin' / 'palimpsest'))
        self.torch_program = self.prefix / 'libexec' / 'palimpsest' / 'palimpsest-torch'

    def run_program(self, *args, stdin=None):
        return subprocess.run([self.program, *map(str, args)], cwd=self.folder, input=stdin, capture_output=True,
                              text=True, encoding='utf-8', check=False, timeout=600, env=os.environ | self.environment)

    def generate(self, device):
        return ['generate', '--model', TINY_MODEL, '--prompt', QUESTION, '--device', device]


class FakeTest(InstalledTest):
    """A test with a fake in the place of the other program."""

    def identity(self, program='palimpsest-torch'):
        version, *details = self.succeed('--version').splitlines()
        commit, = [line.split()[1] for line in details if line.startswith('commit')]
        return f"{program} {version.split()[1]}, commit {commit}"

    def install_fake(self, answer, status=0, path=None):
        path = path or self.torch_program
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(FAKE.replace('%s', answer.replace('\n', '\\n'), 1).replace('{status}', str(status)))
        path.chmod(0o755)


class HandoverTest(FakeTest):
    """To palimpsest-torch."""

    def eval(self, device):
        """A call that fails where it looks for the model, if it stays in this program."""
        return ['eval', '--config-dir', EXAMPLES.parent / 'configs', 'experiment=demo',
                'model.model_args.pretrained_model_name_or_path=no/such/model', f'model.model_args.device_map={device}']

    def test_without_the_other_program_one_sentence_says_how_to_get_it(self):
        traced = ['trace', '--model', TINY_MODEL, '--data', QUESTIONS, '--out', 'out.jsonl', '--device', 'torch']
        audited = ['mia', '--model', TINY_MODEL, '--forget', QUESTIONS, '--holdout', QUESTIONS, '--out', 'out',
                   '--device', 'cuda:1']
        for call in (self.generate('torch'), self.generate('cuda'), traced, audited, self.eval('torch')):
            message = self.refuse(*call)
            self.assertIn('needs the program palimpsest-torch, which was not found', message)
            self.assertIn(str(self.torch_program), message)
            self.assertIn('docs/models.md', message)
        self.assertIn('no program palimpsest-torch', self.succeed('--version'))

    def test_a_device_that_does_not_exist(self):
        self.install_fake(self.identity() + '\nno cuda\n')
        for device in ('tpu', 'cuda:', 'cuda:x', 'cuda:1234', 'torch:0', ''):
            self.assertIn('there is no device', self.refuse(*self.generate(device)))
        self.assertIn('there is no device', self.refuse(*self.eval('tpu')))

    def test_a_program_of_another_version_is_refused(self):
        ours = self.identity()
        for answer, status, found in ((f'palimpsest-torch 0.0.1, commit 1234567\nno cuda\n', 0, 'found palimpsest-torch 0.0.1'),
                                      (ours + 'x\nno cuda\n', 0, 'found ' + ours + 'x'),
                                      (ours + '\nno cuda\n', 1, 'does not say what it is'),
                                      ('', 0, 'does not say what it is')):
            self.install_fake(answer, status)
            message = self.refuse(*self.generate('torch'))
            self.assertIn('has a different version from this one', message)
            self.assertIn('expected ' + ours, message)
            self.assertIn(found, message)
            self.assertIn(str(self.torch_program), message)

    def test_a_file_that_is_no_program(self):
        self.install_fake(self.identity() + '\nno cuda\n')
        self.torch_program.write_bytes(b'\x00\x01')
        self.assertIn('does not say what it is', self.refuse(*self.generate('torch')))
        self.torch_program.chmod(0o644)
        self.assertIn('which was not found', self.refuse(*self.generate('torch')))

    def test_arguments_input_and_status_are_the_other_programs(self):
        self.install_fake(self.identity() + '\nno cuda\n')
        done = self.run_program(*self.generate('torch'), '--stop', '', '--stop', 'two words\n', stdin='typed\n')
        self.assertEqual(done.returncode, 7)
        self.assertEqual(done.stdout, ''.join(f'argument:{argument}\n' for argument in (
            *self.generate('torch'), '--stop', '', '--stop', 'two words\n')) + 'typed\n')
        self.environment['FAKE_SIGNAL'] = 'TERM'
        self.assertEqual(self.run_program(*self.generate('torch'), stdin='').returncode, -signal.SIGTERM)

    def test_it_may_lie_beside_the_program(self):
        self.install_fake(self.identity() + '\nno cuda\n', path=self.program.parent / 'palimpsest-torch')
        self.assertEqual(self.run_program(*self.generate('cuda'), stdin='').returncode, 7)
        self.assertIn(str(self.program.parent / 'palimpsest-torch'), self.succeed('--version'))

    def test_a_configuration_gets_cuda_where_there_is_one(self):
        self.assertIn('no/such/model', self.refuse(*self.eval('cuda')))
        self.install_fake(self.identity() + '\nno cuda\n')
        self.assertIn('no/such/model', self.refuse(*self.eval('cuda')))
        self.assertEqual(self.run_program(*self.eval('torch'), stdin='').returncode, 7)
        self.install_fake(self.identity() + '\ncuda\n')
        for device in ('cuda', 'auto', '0'):
            self.assertEqual(self.run_program(*self.eval(device), stdin='').returncode, 7)
        self.assertIn('no/such/model', self.refuse(*self.eval('cpu')))
        self.install_fake('another one')
        done = self.run_program(*self.eval('cuda'))
        self.assertEqual(done.returncode, 2)
        self.assertIn('a different version', done.stderr)
        self.assertIn('no/such/model', done.stderr)

    def test_one_job_of_many_is_enough(self):
        self.install_fake(self.identity() + '\nno cuda\n')
        done = self.run_program(*self.eval('cpu,torch'), '-m', stdin='')
        self.assertEqual(done.returncode, 7)
        self.assertTrue(done.stdout.startswith('argument:eval\n'), done.stdout)


# What starts a process leaves in its environment, and whether it belongs to several processes of an MPI.
STARTED_BY = (
    ('nobody', {}, False),
    ('mpirun of Open MPI', {'OMPI_COMM_WORLD_SIZE': '4', 'OMPI_COMM_WORLD_RANK': '1', 'PMIX_RANK': '1'}, True),
    ('mpirun -n 1', {'OMPI_COMM_WORLD_SIZE': '1', 'PMIX_RANK': '0'}, False),
    ('srun', {'SLURM_PROCID': '1', 'SLURM_NTASKS': '4', 'SLURM_STEP_NUM_TASKS': '4'}, False),
    ('sbatch, without srun', {'SLURM_JOB_ID': '7', 'SLURM_NTASKS': '4'}, False),
    ('srun --mpi=pmix', {'PMIX_RANK': '3', 'SLURM_MPI_TYPE': 'pmix', 'SLURM_STEP_NUM_TASKS': '4'}, True),
    ('srun --mpi=pmix -n 1', {'PMIX_RANK': '0', 'SLURM_MPI_TYPE': 'pmix', 'SLURM_STEP_NUM_TASKS': '1'}, False),
    ('srun --mpi=pmi2', {'PMI_RANK': '0', 'PMI_SIZE': '3', 'PMI_FD': '11', 'SLURM_MPI_TYPE': 'pmi2'}, True),
    ('srun --mpi=pmi2 -n 1', {'PMI_RANK': '0', 'PMI_SIZE': '1', 'SLURM_STEP_NUM_TASKS': '1'}, False),
    ('another launcher with PMIx', {'PMIX_RANK': '0'}, True))


class MpiHandoverTest(FakeTest):
    """To palimpsest-mpi."""

    def setUp(self):
        super().setUp()
        self.mpi_program = self.torch_program.with_name('palimpsest-mpi')
        self.call = ['--quiet', 'trace', '--model', TINY_MODEL, '--data', QUESTIONS, '--out', 'out.jsonl']

    def test_only_several_processes_of_an_mpi_become_the_other_program(self):
        self.install_fake(self.identity('palimpsest-mpi') + '\n', path=self.mpi_program)
        for name, variables, hands_over in STARTED_BY:
            with self.subTest(name):
                self.environment = variables
                done = self.run_program(*self.call, stdin='')
                self.assertEqual(done.returncode, 7 if hands_over else 0, done.stderr)
                self.assertEqual((self.folder / 'out.jsonl').exists(), not hands_over)
                if hands_over:
                    self.assertEqual(done.stdout, ''.join(f'argument:{argument}\n' for argument in self.call))
                else:
                    (self.folder / 'out.jsonl').unlink()

    def test_a_shard_and_other_commands_stay(self):
        self.install_fake(self.identity('palimpsest-mpi') + '\n', path=self.mpi_program)
        self.environment = {'PMIX_RANK': '1', 'SLURM_STEP_NUM_TASKS': '4'}
        self.assertIn('shard 1/2 is done', self.succeed(*self.call, '--shard', '1/2'))
        self.succeed('list', 'attacks')

    def test_without_the_other_program_or_with_another_version(self):
        self.environment = {'OMPI_COMM_WORLD_SIZE': '2'}
        message = self.refuse(*self.call)
        self.assertIn('several MPI processes need the program palimpsest-mpi, which was not found', message)
        self.assertIn(str(self.mpi_program), message)
        self.assertIn('docs/scale.md', message)
        self.environment = {}
        ours = self.identity('palimpsest-mpi')
        self.install_fake('palimpsest-mpi 0.0.1, commit 1234567\n', path=self.mpi_program)
        self.environment = {'OMPI_COMM_WORLD_SIZE': '2'}
        message = self.refuse(*self.call)
        self.assertIn('the MPI program has a different version from this one', message)
        self.assertIn(f'expected {ours}, found palimpsest-mpi 0.0.1', message)


@runs_only_if(TORCH_PROGRAM, 'palimpsest-torch was not built: there is no libtorch')
class TorchProgramTest(InstalledTest):
    """The real one."""

    def setUp(self):
        super().setUp()
        self.torch_program.parent.mkdir(parents=True)
        shutil.copy(TORCH_PROGRAM, self.torch_program)

    def traces(self, device, *options):
        out = f'{device}.jsonl'
        self.succeed('--quiet', 'trace', '--model', TINY_MODEL, '--data', QUESTIONS, '--out', out, '--device', device,
                     *options)
        return [json.loads(line) for line in (self.folder / out).read_text(encoding='utf-8').splitlines()][1:]

    def test_the_same_text_and_the_same_scores(self):
        self.assertEqual(self.succeed(*self.generate('torch')), ANSWER + '\n')
        self.assertEqual(self.succeed(*self.generate('cpu')), ANSWER + '\n')
        for ours, other in zip(self.traces('cpu'), self.traces('torch'), strict=True):
            self.assertEqual(ours['argmax'], other['argmax'])
            for a, b in zip(ours['logprob'], other['logprob'], strict=True):
                self.assertAlmostEqual(a, b, delta=1e-4 + 1e-4 * abs(a))

    def test_the_other_program_alone_does_not_hand_over(self):
        self.program = self.torch_program
        self.assertEqual(self.succeed(*self.generate('torch')), ANSWER + '\n')
        self.assertEqual(self.succeed(*self.generate('cpu')), ANSWER + '\n')
        self.assertRegex(self.succeed('--version'), r'\nlibtorch +\d+\.\d+')

    def test_the_version_says_where_it_is(self):
        self.assertIn(str(self.torch_program), self.succeed('--version'))

    def test_gradients_are_refused_before_anything_loads(self):
        traced = ['trace', '--model', TINY_MODEL, '--data', QUESTIONS, '--out', 'out.jsonl', '--grad-norm', '2']
        self.assertIn('only run forward', self.refuse('--quiet', *traced, '--device', 'torch'))
        holdout = self.write('holdout.jsonl', '{"question": "Where was the town?", "answer": "In a small river."}')
        audited = ['mia', '--model', TINY_MODEL, '--forget', QUESTIONS, '--holdout', holdout, '--out', 'out']
        self.assertIn('only run forward', self.refuse('--quiet', *audited, '--attacks', 'gradnorm', '--device', 'torch'))
        done = self.run_program(*audited, '--device', 'torch')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('gradnorm is left out', done.stderr)

    def test_a_gpu_that_is_not_there(self):
        done = self.run_program(*self.generate('cuda:99'))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("the device 'cuda:99' cannot be used", done.stderr)


if __name__ == '__main__':
    main()
