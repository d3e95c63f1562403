"""What several processes reach, compared with one, on a random model of 110 million parameters (docs/scale.md).

    python3 efficiency.py PALIMPSEST [--batches N] [--labels all|half] [--only processes,ranks,independent,split]
    python3 efficiency.py PALIMPSEST --hand-out HAND_OUT [--tiny-batches N]

PALIMPSEST is the program, beside which palimpsest-mpi is. All ways to run score the same texts, one way after the other, and the
traces must have the same bytes. What a way takes for a single text (starting, hashing and loading the model) is measured as well and
taken off. Ratios of a single run on a machine that does nothing else are what counts.
"""

import argparse
import json
import os
import pathlib
import random
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TINY = ROOT / 'examples' / 'tiny-model'
WORDS = 'Where was the author born In a small town near river'.split()
CONFIG = {'architectures': ['LlamaForCausalLM'], 'model_type': 'llama', 'hidden_size': 768, 'num_hidden_layers': 12,
          'num_attention_heads': 12, 'num_key_value_heads': 12, 'intermediate_size': 2048, 'vocab_size': 32000,
          'max_position_embeddings': 2048, 'rms_norm_eps': 1e-5, 'rope_theta': 10000.0, 'tie_word_embeddings': True,
          'bos_token_id': 1, 'eos_token_id': 2, 'torch_dtype': 'float32'}
BATCH_TOKENS = 16384
MPIRUN = ('mpirun', '--oversubscribe', '--bind-to', 'none', '-n', '2')
ENVIRONMENT = os.environ | {'OMPI_ALLOW_RUN_AS_ROOT': '1', 'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM': '1'}
TEXT_TOKENS = 255  # so that 64 texts fill a batch


class Bench:
    def __init__(self, arguments, folder):
        self.program, self.folder = arguments.program, folder
        self.labels = arguments.labels
        self.model = folder / 'model'
        source = folder / 'config'
        source.mkdir()
        (source / 'config.json').write_text(json.dumps(CONFIG), encoding='utf-8')
        for name in ('tokenizer.json', 'tokenizer_config.json'):
            (source / name).write_bytes((TINY / name).read_bytes())
        self.call((self.program, '--quiet', 'model', source, '--random-init', self.model))

    def call(self, command):
        subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL, env=ENVIRONMENT)

    def data(self, name, texts, seed):
        draw = random.Random(seed)
        path = self.folder / name
        with path.open('w', encoding='utf-8') as out:
            for _ in range(texts):
                words = [draw.choice(WORDS) for _ in range(TEXT_TOKENS)]
                cut = TEXT_TOKENS // 2 if self.labels == 'half' else 0
                out.write(json.dumps({'prompt': ' '.join(words[:cut]), 'text': ' '.join(words[cut:])}) + '\n')
        return path

    def trace(self, data, out, threads, *more):
        return (self.program, '--quiet', 'trace', '--model', self.model, '--data', data, '--text-key', 'text', '--prefix-key', 'prompt',
                '--threads', threads, '--out', self.folder / out, *more)

    def seconds(self, *commands):
        """Of commands that run at the same time."""
        start = time.monotonic()
        running = [subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL, env=ENVIRONMENT) for command in commands]
        took = []
        for process in running:
            if process.wait() != 0:
                raise SystemExit(f'{process.args} failed')
            took.append(time.monotonic() - start)
        return took


def efficiency(arguments, folder):
    bench = Bench(arguments, folder)
    texts = arguments.batches * BATCH_TOKENS // (TEXT_TOKENS + 1)
    whole, one = bench.data('whole.jsonl', texts, 1), bench.data('one.jsonl', 1, 2)
    lines = whole.read_text(encoding='utf-8').splitlines(keepends=True)
    halves = []
    for number in (0, 1):
        halves.append(folder / f'half{number}.jsonl')
        halves[-1].write_text(''.join(lines[number * texts // 2:(number + 1) * texts // 2]), encoding='utf-8')
    ways = {
        'processes': lambda data, name: (bench.trace(data, f'{name}.jsonl', 2),),
        'ranks': lambda data, name: ((*MPIRUN, *bench.trace(data, f'{name}.jsonl', 1)),),
        'split': lambda data, name: ((*MPIRUN, *bench.trace(data, f'{name}.jsonl', 1, '--split-layers')),),
    }
    chosen = arguments.only.split(',')
    speeds = {}
    for way in chosen:
        if way == 'independent':
            before = max(bench.seconds(*(bench.trace(one, f'start{n}.jsonl', 1) for n in (0, 1))))
            took = bench.seconds(*(bench.trace(half, f'independent{n}.jsonl', 1) for n, half in enumerate(halves)))
            speeds[way] = sum(texts / 2 / (seconds - before) for seconds in took)
        else:
            before, = bench.seconds(*ways[way](one, f'start-{way}'))
            took = bench.seconds(*ways[way](whole, way))
            speeds[way] = texts / (took[0] - before)
        print(f'{way:<12} {speeds[way] * TEXT_TOKENS:8.0f} tokens per second; took {max(took):.1f} s, of them {before:.1f} s to start',
              flush=True)
    results = {(folder / f'{way}.jsonl').read_bytes() for way in chosen if way != 'independent'}
    if len(results) > 1:
        raise SystemExit('the traces differ')
    for name, ours, against in (('2 ranks of 1 thread / 1 process of 2 threads', 'ranks', 'processes'),
                                ('2 ranks of 1 thread / 2 independent processes of 1 thread', 'ranks', 'independent'),
                                ('layers split over 2 ranks / 2 independent processes', 'split', 'independent')):
        if ours in speeds and against in speeds:
            print(f'{name}: {speeds[ours] / speeds[against]:.3f}', flush=True)


def hand_out(arguments, folder):
    count = arguments.tiny_batches
    results = {}
    for ranks in (1, 2):
        command = [*(MPIRUN if ranks == 2 else ()), arguments.hand_out, count, folder / f'journals{ranks}']
        done = subprocess.run([str(part) for part in command], check=True, stdout=subprocess.PIPE, env=ENVIRONMENT)
        results[ranks] = json.loads(done.stdout)
        for name, batches in (('pure', count), ('journal', count // 100)):
            print(f'{batches} tiny batches, {ranks} process{"es" if ranks > 1 else ""}, {name}: {results[ranks][name]:.2f} s, '
                  f'{1e6 * results[ranks][name] / batches:.1f} microseconds each', flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('program')
    parser.add_argument('--batches', type=int, default=2)
    parser.add_argument('--labels', choices=('all', 'half'), default='all')
    parser.add_argument('--only', default='processes,ranks,independent,split')
    parser.add_argument('--hand-out')
    parser.add_argument('--tiny-batches', type=int, default=100_000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        (hand_out if arguments.hand_out else efficiency)(arguments, pathlib.Path(folder))


if __name__ == '__main__':
    main()
