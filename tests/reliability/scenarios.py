"""Runs that are over in a moment, one per command that writes: what they start from, the command, and what must survive it."""

import json
import pathlib
import random
import re

import faults

ROOT = pathlib.Path(__file__).resolve().parents[2]
TINY_MODEL = ROOT / 'examples' / 'tiny-model'
GOLDEN = ROOT / 'tests' / 'golden' / 'eval'
WORDS = 'Where was the author born In a small town near river'.split()
SHAPE = ('--layers', '1', '--width', '32', '--heads', '2', '--mlp', '64')
SMALL = (*SHAPE, '--batch-size', '16', '--threads', '1')


class Scenario:
    """`start` is a folder that runs begin with a copy of: earlier results. Inputs that nothing changes are in `inputs`."""

    def __init__(self, folder):
        self.inputs = folder / 'inputs'
        self.start = folder / 'start'
        self.inputs.mkdir()
        self.start.mkdir()
        self.prepare()
        self.earlier = contents(self.start)

    def program(self, *arguments, folder=None):
        done = faults.run(('--quiet', *arguments), folder or self.inputs)
        if done.returncode != 0:
            raise AssertionError(f'{arguments}: {done.stderr}')

    def prepare(self):
        raise NotImplementedError

    def arguments(self):
        raise NotImplementedError

    def lost(self, folder, expected):
        """Earlier results that are gone although the new ones are not in their place."""
        return [name for name, content in self.earlier.items()
                if normal(name, read(folder / name)) not in (normal(name, content), expected.get(name))]


def read(path):
    try:
        return path.read_bytes()
    except OSError:
        return None


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob('*')) if path.is_file()}


# Time and command line stand in provenance.json and in this element of the page, and nowhere else.
PROVENANCE = re.compile(rb'<section id="provenance".*?</section>', re.DOTALL)


def normal(name, content):
    """What is compared of a file: all bytes, but of a run record not how long parts took and in how many passes, and not when a
    run was started."""
    if content is None:
        return content
    if name.endswith('report.html'):
        return PROVENANCE.sub(b'', content)
    if name.endswith('provenance.json'):
        return normal_provenance(content)
    if not name.endswith('_RUN.json'):
        return content
    record = json.loads(content)
    record.pop('passes', None)
    for metric in record['metrics'].values():
        metric.pop('seconds', None)
    return record


def normal_provenance(content):
    """Without the time, and without the hashes of what differs from run to run."""
    record = json.loads(content)
    del record['started'], record['digest']
    for entry in (*record['files'], *(file for entry in record['inputs'] for file in entry['files'])):
        if entry['name'].endswith(('report.html', 'provenance.json', '_RUN.json')):
            del entry['sha256'], entry['bytes']
    for entry in record['inputs']:
        if entry['role'] == 'run':
            del entry['sha256']
    return record


def questions(path, count, seed):
    draw = random.Random(seed)

    def words():
        return ' '.join(draw.choice(WORDS) for _ in range(draw.randint(8, 11)))

    path.write_text(''.join(json.dumps({'question': words(), 'answer': words()}) + '\n' for _ in range(count)), encoding='utf-8')
    return path


class Trace(Scenario):
    def prepare(self):
        self.data = questions(self.inputs / 'data.jsonl', 900, 1)  # more than one batch
        self.program('trace', '--model', TINY_MODEL, '--data', questions(self.inputs / 'other.jsonl', 5, 2), '--out', 'out.jsonl',
                     folder=self.start)

    def arguments(self):
        return ('trace', '--model', TINY_MODEL, '--data', self.data, '--threads', '1', '--out', 'out.jsonl')


class Mia(Scenario):
    def prepare(self):
        self.forget = questions(self.inputs / 'forget.jsonl', 30, 1)
        self.holdout = questions(self.inputs / 'holdout.jsonl', 30, 2)
        self.program(*self.call(questions(self.inputs / 'other.jsonl', 30, 3)), folder=self.start)

    def call(self, forget):
        return ('mia', '--model', TINY_MODEL, '--forget', forget, '--holdout', self.holdout, '--independent', '--threads', '1',
                '--attacks', 'loss,zlib,min_k', '--out', 'out')

    def arguments(self):
        return self.call(self.forget)


def localised(value):
    """A golden configuration with the paths of this machine."""
    if isinstance(value, dict):
        return {key: localised(item) for key, item in value.items()}
    if isinstance(value, list):
        return [localised(item) for item in value]
    return value.replace('@golden', str(GOLDEN)).replace('@out', 'out') if isinstance(value, str) else value


class Eval(Scenario):
    METRICS = ('forget_Q_A_Prob', 'mia_loss')

    def prepare(self):
        config = localised(json.loads((GOLDEN / 'tofu_tags.json').read_text(encoding='utf-8'))['config'])
        config.update(seed=0, data_dir=str(GOLDEN / 'data'))
        tofu = config['eval']['tofu']
        tofu['output_dir'] = 'out'
        tofu['metrics'] = {name: tofu['metrics'][name] for name in self.METRICS}
        (self.inputs / 'eval.yaml').write_text(json.dumps(config), encoding='utf-8')

    def arguments(self):
        return ('eval', '--config-dir', self.inputs, '--threads', '1')


class EvalOfAnother(Eval):
    """Over the results of another model, whose log is kept; with generations as well."""

    METRICS = (*Eval.METRICS, 'forget_Q_A_ROUGE')

    def prepare(self):
        super().prepare()
        self.program(*self.arguments(), f'model.model_args.pretrained_model_name_or_path={GOLDEN / "retain"}', folder=self.start)

    def lost(self, folder, expected):
        kept = contents(folder).values() if folder.exists() else ()
        return [name for name in ('out/TOFU_EVAL.json',) if self.earlier[name] not in kept]


class Train(Scenario):
    EPOCHS = 1

    def prepare(self):
        self.program('lab', 'data', '--authors', '20', '--vocab-size', '400', '--out', 'data')
        self.program(*self.train(0), folder=self.start)

    def train(self, epochs):
        return ('lab', 'train', '--data', self.inputs / 'data' / 'full.json', '--tokenizer', self.inputs / 'data' / 'tokenizer',
                '--epochs', str(epochs), *SMALL, '--out', 'model')

    def arguments(self):
        return self.train(self.EPOCHS)

    def lost(self, folder, expected):
        # A folder is replaced by two renames. Between them the old one has another name, which the next run knows.
        hidden = folder / '.model.replaced'
        if not (folder / 'model').exists() and hidden.exists():
            hidden.rename(folder / 'model')
        return super().lost(folder, expected)


class Unlearn(Train):
    def prepare(self):
        self.program('lab', 'data', '--authors', '20', '--vocab-size', '400', '--out', 'data')
        self.program(*self.train(1))
        self.program(*self.unlearn(0), folder=self.start)

    def unlearn(self, epochs):
        return ('lab', 'unlearn', '--model', self.inputs / 'model', '--forget', self.inputs / 'data' / 'forget10.json', '--retain',
                self.inputs / 'data' / 'retain90.json', '--epochs', str(epochs), '--threads', '1', '--out', 'model')

    def arguments(self):
        return self.unlearn(1)


class Demo(Scenario):
    def prepare(self):
        pass

    def arguments(self):
        return ('demo', '--out', 'demo', '--authors', '4', '--epochs', '1', '--threads', '1')


class Report(Scenario):
    def prepare(self):
        holdout = questions(self.inputs / 'holdout.jsonl', 30, 2)
        for number in (1, 2):
            self.program('mia', '--model', TINY_MODEL, '--forget', questions(self.inputs / f'forget{number}.jsonl', 30, 2 + number),
                         '--holdout', holdout, '--independent', '--attacks', 'loss,zlib', '--out', f'audit{number}')
        self.program('report', self.inputs / 'audit1', '--out', 'page', folder=self.start)

    def arguments(self):
        return ('report', self.inputs / 'audit1', self.inputs / 'audit2', '--threads', '1', '--out', 'page')


class Convert(Scenario):
    def prepare(self):
        for name, count in (('traces', 200), ('other', 5)):
            self.program('trace', '--model', TINY_MODEL, '--data', questions(self.inputs / f'{name}-data.jsonl', count, count), '--out',
                         f'{name}.jsonl')
        self.program('convert', self.inputs / 'other.jsonl', 'out.safetensors', folder=self.start)

    def arguments(self):
        return ('convert', self.inputs / 'traces.jsonl', 'out.safetensors')


class GatherParts(Scenario):
    def prepare(self):
        data = questions(self.inputs / 'data.jsonl', 1800, 1)  # several batches
        for number in (1, 2):
            self.program('trace', '--model', TINY_MODEL, '--data', data, '--out', f'{number}.jsonl', '--shard', f'{number}/2')
        self.program('gather-parts', self.inputs / '1.jsonl.run', '--out', 'all', folder=self.start)

    def arguments(self):
        return ('gather-parts', self.inputs / '1.jsonl.run', self.inputs / '2.jsonl.run', '--out', 'all')


SCENARIOS = {'trace': Trace, 'mia': Mia, 'eval': Eval, 'eval_of_another': EvalOfAnother, 'lab_train': Train,
             'lab_unlearn': Unlearn, 'demo': Demo, 'report': Report, 'convert': Convert, 'gather_parts': GatherParts}
