"""What the tests of runs under mpirun share."""

import json
import os
import pathlib
import shutil
import subprocess

from checkpoint import TINY_MODEL
from long_run import TIMEOUT, LongRunTest
from program import GOLDEN_EVAL, GOLDEN_MODELS, localised

# Each rank may use every core: there are fewer cores than ranks here.
MPIRUN = ('mpirun', '--oversubscribe', '--bind-to', 'none')
ROOT_MAY = {'OMPI_ALLOW_RUN_AS_ROOT': '1', 'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM': '1'}
VOCABULARY = 480  # of the golden evaluation's tokenizer


class MpiRunTest(LongRunTest):
    def command(self, ranks, *args, wrapper=()):
        return [*MPIRUN, '-n', str(ranks), *map(str, wrapper), os.environ['PALIMPSEST'], *map(str, args)]

    def run_ranks(self, ranks, *args, wrapper=()):
        return subprocess.run(self.command(ranks, *args, wrapper=wrapper), cwd=self.folder, capture_output=True, text=True,
                              encoding='utf-8', check=False, timeout=TIMEOUT, env=os.environ | ROOT_MAY | self.environment)

    def succeed_ranks(self, ranks, *args):
        done = self.run_ranks(ranks, *args)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def refuse_ranks(self, ranks, *args, status=2, wrapper=()):
        """The one sentence of a run that must fail. mpirun adds lines of its own."""
        done = self.run_ranks(ranks, '--quiet', *args, wrapper=wrapper)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        ours = [line for line in done.stderr.splitlines() if line.startswith('palimpsest: ')]
        self.assertEqual(len(ours), 1, done.stderr)
        return ours[0]

    def golden_model(self, family):
        """A golden checkpoint with the example's tokenizer."""
        if family == 'tiny':
            return TINY_MODEL
        model = self.folder / family
        if not model.exists():
            shutil.copytree(GOLDEN_MODELS / family, model)
            for name in ('tokenizer.json', 'tokenizer_config.json'):
                shutil.copy(TINY_MODEL / name, model)
        return model

    def random_model(self, family, seed):
        """A random model of three layers with the tokenizer of the golden evaluations."""
        source = self.folder / f'{family}-config'
        if not source.exists():
            source.mkdir()
            config = json.loads((GOLDEN_MODELS / family / 'config.json').read_text(encoding='utf-8'))
            for key, value in (('vocab_size', VOCABULARY), ('n_layer', 3), ('num_hidden_layers', 3), ('n_positions', 1024),
                               ('max_position_embeddings', 1024)):
                if key in config:
                    config[key] = value
            (source / 'config.json').write_text(json.dumps(config), encoding='utf-8')
            for name in ('tokenizer.json', 'tokenizer_config.json', 'generation_config.json'):
                shutil.copy(GOLDEN_EVAL / 'target' / name, source)
        out = self.folder / f'{family}-{seed}'
        self.succeed('--quiet', 'model', source, '--random-init', out, '--seed', str(seed))
        return out

    def evaluation(self, golden, keep=lambda name: True, models=()):
        """Arguments of a golden evaluation with some of its metrics, perhaps of other models (the evaluated one and the reference);
        the results go to the folder `out`."""
        config = localised(json.loads((GOLDEN_EVAL / f'{golden}.json').read_text(encoding='utf-8'))['config'], self.folder)
        config.update(seed=0, data_dir=str(GOLDEN_EVAL / 'data'))
        evaluator = next(iter(config['eval'].values()))
        evaluator['output_dir'] = str(self.folder / 'out')
        evaluator['metrics'] = {name: value for name, value in evaluator['metrics'].items() if keep(name)}
        text = json.dumps(config)
        for name, model in zip(('target', 'retain'), models):
            text = text.replace(json.dumps(str(GOLDEN_EVAL / name)), json.dumps(str(model)))
        self.environment['HF_HOME'] = str(self.folder / 'no-cache')
        (self.folder / 'conf').mkdir(exist_ok=True)
        self.write('conf/eval.yaml', text)
        return ('--quiet', 'eval', '--config-dir', 'conf')

    def results(self):
        """The bytes of the folder `out`, which is removed. Run records and pages tell how long parts took."""
        found = {path: content for path, content in self.files('out').items()
                 if not path.name.endswith('_RUN.json') and not (path.suffix == '.html' and (self.folder / 'conf').exists())}
        shutil.rmtree(self.folder / 'out')
        return found

    def expect_same_everywhere(self, arguments, runs):
        """The command in one process, and then under each of `runs`: (ranks, further arguments)."""
        text = self.succeed(*arguments)
        expected = self.results()
        for ranks, more in runs:
            with self.subTest(ranks=ranks, more=more):
                self.assertEqual(self.succeed_ranks(ranks, *arguments, *more), text)
                self.assertEqual(self.results(), expected)


def children_of(pid):
    return [int(child) for child in pathlib.Path(f'/proc/{pid}/task/{pid}/children').read_text(encoding='utf-8').split()]


def is_running(pid):
    try:
        state = pathlib.Path(f'/proc/{pid}/stat').read_text(encoding='utf-8').rpartition(')')[2].split()[0]
    except OSError:
        return False
    return state != 'Z'
