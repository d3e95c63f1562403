"""Several processes under mpirun: the same bytes as one process, whoever computes what."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import time
import unittest

from checkpoint import TINY_MODEL, Checkpoint
from long_run import LongRunTest
from program import EXAMPLES, GOLDEN_EVAL, GOLDEN_MODELS, localised

QUESTIONS = EXAMPLES / 'data' / 'questions.jsonl'
# Each rank may use every core: there are fewer cores than ranks here.
MPIRUN = ('mpirun', '--oversubscribe', '--bind-to', 'none')
ROOT_MAY = {'OMPI_ALLOW_RUN_AS_ROOT': '1', 'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM': '1'}


class MpiTest(LongRunTest):
    def command(self, ranks, *args):
        return [*MPIRUN, '-n', str(ranks), os.environ['PALIMPSEST'], *map(str, args)]

    def run_ranks(self, ranks, *args):
        return subprocess.run(self.command(ranks, *args), cwd=self.folder, capture_output=True, text=True, encoding='utf-8',
                              check=False, timeout=300, env=os.environ | ROOT_MAY | self.environment)

    def succeed_ranks(self, ranks, *args):
        done = self.run_ranks(ranks, *args)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_traces(self):
        data = self.questions('data.jsonl', 6000, 1)
        for family in ('tiny', 'gpt2', 'gemma2', 'phi'):
            with self.subTest(family):
                model = TINY_MODEL
                if family != 'tiny':
                    model = self.folder / family
                    shutil.copytree(GOLDEN_MODELS / family, model)
                    for name in ('tokenizer.json', 'tokenizer_config.json'):
                        shutil.copy(TINY_MODEL / name, model)
                trace = ('--quiet', 'trace', '--model', model, '--data', data, '--out')
                self.succeed(*trace, 'whole.jsonl')
                for ranks in (2, 3):
                    told = self.succeed_ranks(ranks, *trace, 'out.jsonl')
                    self.assertRegex(told, r'\A6000 examples, \d+ sequences, \d+ tokens: out.jsonl\n\Z')  # once
                    self.assertEqual((self.folder / 'out.jsonl').read_bytes(), (self.folder / 'whole.jsonl').read_bytes())
                    self.assertFalse((self.folder / 'out.jsonl.run').exists())
                    (self.folder / 'out.jsonl').unlink()
                (self.folder / 'whole.jsonl').unlink()

    def test_an_audit_with_a_reference(self):
        forget, holdout = self.questions('forget.jsonl', 1500, 1), self.questions('holdout.jsonl', 1200, 2)
        Checkpoint(self.folder / 'reference').change_json('config.json', rope_theta=20000.0)
        # mpirun gives the leader a terminal to write to.
        mia = ('--quiet', '--color', 'never', 'mia', '--model', TINY_MODEL, '--reference', 'reference', '--forget', forget,
               '--holdout', holdout, '--independent', '--out', 'out')
        text = self.succeed(*mia)
        expected = self.files('out')
        shutil.rmtree(self.folder / 'out')
        self.assertEqual(self.succeed_ranks(3, *mia), text)
        self.assertEqual(self.files('out'), expected)
        # The traces are there: nobody runs a model.
        self.assertEqual(self.succeed_ranks(2, *mia, '--no-run'), text)

    def test_an_evaluation_with_generations(self):
        golden = json.loads((GOLDEN_EVAL / 'tofu_tags.json').read_text(encoding='utf-8'))
        config = localised(golden['config'], self.folder)
        config.update(seed=0, data_dir=str(GOLDEN_EVAL / 'data'))
        config['eval']['tofu']['output_dir'] = str(self.folder / 'out')
        self.environment['HF_HOME'] = str(self.folder / 'no-cache')
        (self.folder / 'conf').mkdir()
        self.write('conf/eval.yaml', json.dumps(config))
        arguments = ('--quiet', 'eval', '--config-dir', 'conf')
        text = self.succeed(*arguments)
        expected = self.files('out')
        shutil.rmtree(self.folder / 'out')
        self.assertEqual(self.succeed_ranks(2, *arguments), text)
        found = self.files('out')
        self.assertEqual(found.keys(), expected.keys())
        for path, content in expected.items():
            if not path.name.endswith('_RUN.json') and path.suffix != '.html':  # these tell how long it took
                self.assertEqual(found[path], content, path)
        self.assertEqual(self.succeed_ranks(2, *arguments), text)  # every metric is finished already

    def test_a_wrong_call_is_one_sentence(self):
        for arguments, said in ((('trace', '--model', 'absent', '--data', QUESTIONS, '--out', 'x.jsonl'), 'absent'),
                                (('trace', '--model', TINY_MODEL, '--data', 'absent.jsonl', '--out', 'x.jsonl'), 'absent.jsonl')):
            done = self.run_ranks(2, '--quiet', *arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            ours = [line for line in done.stderr.splitlines() if line.startswith('palimpsest: ')]
            self.assertEqual(len(ours), 1, done.stderr)
            self.assertIn(said, ours[0])
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_processes_of_another_mpi_are_refused(self):
        # As MPICH starts them: Open MPI finds only this one.
        self.environment = ROOT_MAY | {'PMI_SIZE': '2', 'PMI_RANK': '0'}
        done = self.run_program('--quiet', 'trace', '--model', TINY_MODEL, '--data', QUESTIONS, '--out', 'x.jsonl')
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn('the MPI that started 2 processes is another one than that of palimpsest-mpi', done.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_rank_with_another_model_is_refused(self):
        # Each rank finds its own folder under the same name.
        for rank in ('0', '1'):
            (self.folder / rank).mkdir()
            Checkpoint(self.folder / rank / 'model').change_json('config.json', rope_theta=10000.0 + int(rank))
        script = self.write('rank.sh', 'cd $OMPI_COMM_WORLD_RANK && exec "$@"')
        done = subprocess.run([*MPIRUN, '-n', '2', 'sh', script, os.environ['PALIMPSEST'], '--quiet', 'trace', '--model', 'model',
                               '--data', QUESTIONS, '--out', 'x.jsonl'], cwd=self.folder, capture_output=True, text=True,
                              encoding='utf-8', check=False, timeout=300, env=os.environ | ROOT_MAY)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn('has another model than process 0', done.stderr)
        self.assertFalse((self.folder / '0' / 'x.jsonl').exists())

    @staticmethod
    def is_running(pid):
        try:
            state = pathlib.Path(f'/proc/{pid}/stat').read_text(encoding='utf-8').rpartition(')')[2].split()[0]
        except OSError:
            return False
        return state != 'Z'

    def test_killed_and_begun_again(self):
        data = self.questions('data.jsonl', 6000, 1)
        trace = ('--quiet', 'trace', '--model', TINY_MODEL, '--data', data, '--grad-norm', '2', '--threads', '1', '--out')
        self.succeed(*trace, 'whole.jsonl')
        for who in ('mpirun', 'a rank'):
            with self.subTest(who):
                with subprocess.Popen(self.command(2, *trace, 'out.jsonl'), cwd=self.folder, stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL, env=os.environ | ROOT_MAY) as process:
                    deadline = time.monotonic() + 200
                    journals = self.folder / 'out.jsonl.run'
                    while process.poll() is None and not any(path.stat().st_size > 60 for path in journals.glob('*.journal')):
                        self.assertLess(time.monotonic(), deadline)
                        time.sleep(0.001)
                    self.assertIsNone(process.poll())
                    children = pathlib.Path(f'/proc/{process.pid}/task/{process.pid}/children').read_text(encoding='utf-8').split()
                    os.kill(process.pid if who == 'mpirun' else int(children[-1]), signal.SIGKILL)
                    process.wait(timeout=200)
                self.assertNotEqual(process.returncode, 0)
                for child in children:  # without mpirun they may finish their work
                    while self.is_running(child):
                        self.assertLess(time.monotonic(), deadline)
                        time.sleep(0.01)
                if who != 'mpirun':
                    self.assertFalse((self.folder / 'out.jsonl').exists())
                self.succeed_ranks(2, *trace, 'out.jsonl')
                self.assertEqual((self.folder / 'out.jsonl').read_bytes(), (self.folder / 'whole.jsonl').read_bytes())
                (self.folder / 'out.jsonl').unlink()


if __name__ == '__main__':
    unittest.main()
