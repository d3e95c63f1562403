"""SIGINT and SIGTERM: what is finished is kept, one sentence says how to go on, and the same command ends with the same bytes."""

import fcntl
import json
import os
import pathlib
import random
import signal
import shutil
import struct
import subprocess
import termios
import unittest

from checkpoint import TINY_MODEL
from long_run import LongRunTest, batches_in
from program import GOLDEN_EVAL, localised

GOES_ON = 'palimpsest: interrupted; finished work is kept; the same command continues from there\n'
BEGINS_ANEW = 'palimpsest: interrupted; nothing was written; the same command starts over\n'
SMALL = ('--layers', '1', '--width', '48', '--heads', '2', '--mlp', '96', '--batch-size', '4')


def unread(pipe):
    """The number of bytes in the pipe that nobody has read."""
    return struct.unpack('i', fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))[0]


class InterruptionTest(LongRunTest):
    SMALL_DEMO = ('--authors', '10', '--epochs', '3')

    def start(self, *args, **options):
        return subprocess.Popen([os.environ['PALIMPSEST'], *map(str, args)], cwd=self.folder, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, encoding='utf-8', env=os.environ | self.environment,
                                **options)

    def interrupt(self, which, moment, *args):
        """What a run says that is sent the signal as soon as moment(process) holds; it must not have ended before."""
        with self.start(*args) as process:
            self.wait_until(process, lambda: moment(process))
            process.send_signal(which)
            out, said = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 128 + which, said)
        self.assertEqual(out, '')
        return said

    def has_batch(self, folder):
        return batches_in(*(self.folder / folder).glob('*.journal')) > 0

    @staticmethod
    def handles_signals(process):
        """Whether the program has begun to handle SIGINT, and has started the threads that models run on."""
        status = pathlib.Path(f'/proc/{process.pid}/status').read_text(encoding='utf-8')
        caught = int(status.split('SigCgt:')[1].split()[0], 16)
        threads = int(status.split('Threads:')[1].split()[0])
        return bool(caught & (1 << (signal.SIGINT - 1))) and threads > 1

    def test_trace_goes_on(self):
        data = self.questions('data.jsonl', 6000, 1)
        arguments = ('--quiet', 'trace', '--model', TINY_MODEL, '--data', data, '--grad-norm', '2', '--out')
        self.succeed(*arguments, 'whole.jsonl')
        expected = (self.folder / 'whole.jsonl').read_bytes()
        for which in (signal.SIGINT, signal.SIGTERM):
            out = f'{which.name}.jsonl'
            said = self.interrupt(which, lambda _: self.has_batch(f'{out}.run'), *arguments, out)
            self.assertEqual(said, GOES_ON)
            self.assertFalse((self.folder / out).exists())
            self.assertTrue(self.has_batch(f'{out}.run'))
            again = self.run_program(*arguments[1:], out)
            self.assertRegex(again.stderr, r'\d+ of 6000 sequences had been run before')
            self.assertEqual((self.folder / out).read_bytes(), expected)
        self.assertEqual([path.name for path in self.folder.glob('*.run')], [])

    def test_mia_goes_on(self):
        forget, holdout = self.questions('forget.jsonl', 4000, 1), self.questions('holdout.jsonl', 3000, 2)
        arguments = ('--quiet', 'mia', '--model', TINY_MODEL, '--forget', forget, '--holdout', holdout, '--independent',
                     '--out', 'out')
        self.succeed(*arguments)
        expected = self.files('out')
        (self.folder / 'out').rename(self.folder / 'whole')
        said = self.interrupt(signal.SIGTERM, lambda _: self.has_batch('out/traces.run'), *arguments)
        self.assertEqual(said, GOES_ON)
        self.assertFalse((self.folder / 'out' / 'mia.json').exists())
        note = self.read_json('out/.palimpsest.start')
        self.succeed(*arguments)
        self.assertEqual(self.files('out'), expected)
        self.assertEqual(self.read_json('out/provenance.json')['started'], note['started'])

    def long_evaluation(self):
        """One that scores and generates: the golden one over the same data many times."""
        config = localised(json.loads((GOLDEN_EVAL / 'tofu_tags.json').read_text(encoding='utf-8'))['config'], self.folder)
        shutil.copytree(GOLDEN_EVAL / 'data', self.folder / 'data')
        for path in (self.folder / 'data' / 'TOFU').iterdir():
            path.write_text(json.dumps(json.loads(path.read_text(encoding='utf-8')) * 150), encoding='utf-8')
        tofu = config['eval']['tofu']
        tofu['metrics'] = {name: tofu['metrics'][name] for name in ('forget_Q_A_Prob', 'mia_loss', 'forget_Q_A_ROUGE')}
        tofu['output_dir'] = 'out'
        config.update(seed=0, data_dir='data')
        (self.folder / 'conf').mkdir()
        self.write('conf/eval.yaml', json.dumps(config))
        return ('--quiet', 'eval', '--config-dir', 'conf')

    def test_eval_goes_on(self):
        arguments = self.long_evaluation()
        text = self.succeed(*arguments)
        (self.folder / 'out').rename(self.folder / 'whole')
        expected = self.files('whole')
        for which in (signal.SIGINT, signal.SIGTERM):
            said = self.interrupt(which, lambda _: self.has_batch('out/TOFU.run'), *arguments)
            self.assertEqual(said, GOES_ON)
            self.assertTrue(self.has_batch('out/TOFU.run'))
            self.assertFalse((self.folder / 'out' / 'provenance.json').exists())
            self.assertEqual(self.succeed(*arguments), text)
            self.check_results('out', expected)
            shutil.rmtree(self.folder / 'out')

    def long_traces(self, name):
        trace = '{"index": %d, "num_labels": 40, "avg_loss": 1.5, "logprob": [' + ', '.join(['-1.5'] * 40) + ']}'
        self.write(name, '{"palimpsest_trace": 1}', *(trace % i for i in range(200_000)))

    def test_conversion_leaves_nothing_behind(self):
        self.long_traces('long.jsonl')
        for out in ('out.jsonl', 'out.safetensors'):
            for which in (signal.SIGINT, signal.SIGTERM):
                said = self.interrupt(which, lambda _: list(self.folder.glob(f'.{out}.*.partial')), '--quiet', 'convert',
                                      'long.jsonl', out)
                self.assertEqual(said, BEGINS_ANEW)
                self.assertEqual([path.name for path in self.folder.iterdir()], ['long.jsonl'])

    def test_an_import_leaves_nothing_behind(self):
        tokens = [f' w{i}' for i in range(60)]
        response = {'model': 'm', 'choices': [{'text': ''.join(tokens),
                                               'logprobs': {'tokens': tokens, 'token_logprobs': [None, *[-1.0] * 59]}}],
                    'usage': {'prompt_tokens': 60, 'completion_tokens': 0}}
        self.write('log.jsonl', *[json.dumps(response)] * 10_000)
        for which in (signal.SIGINT, signal.SIGTERM):
            said = self.interrupt(which, lambda _: list(self.folder.glob('*out.jsonl*')), '--quiet', 'import', '--format',
                                  'openai-completions', 'log.jsonl', '--out', 'out.jsonl')
            self.assertEqual(said, BEGINS_ANEW)
            self.assertEqual([path.name for path in self.folder.iterdir()], ['log.jsonl'])

    def test_a_file_that_becomes_shorter_is_one_sentence(self):
        self.long_traces('long.jsonl')
        self.succeed('--quiet', 'convert', 'long.jsonl', 'long.safetensors')
        with self.start('--quiet', 'convert', 'long.safetensors', 'out.jsonl') as process:
            self.wait_until(process, lambda: list(self.folder.glob('.out.jsonl.*.partial')))
            os.truncate(self.folder / 'long.safetensors', 4096)
            _, said = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 1, said)
        self.assertIn('palimpsest: a file that was being read became shorter, or its disk failed', said)
        self.assertFalse((self.folder / 'out.jsonl').exists())

    def test_training_leaves_nothing_behind(self):
        self.succeed('--quiet', 'lab', 'data', '--authors', '40', '--vocab-size', '400', '--out', 'data')
        train = ('--quiet', 'lab', 'train', '--data', 'data/full.json', '--tokenizer', 'data/tokenizer', *SMALL)
        self.succeed(*train, '--epochs', '1', '--out', 'model')
        earlier = self.files('model')
        names = sorted(path.name for path in self.folder.iterdir())
        unlearn = ('--quiet', 'lab', 'unlearn', '--model', 'model', '--forget', 'data/forget10.json', '--retain',
                   'data/retain90.json')
        for arguments, out in (((*train, '--epochs', '10000', '--out', 'new'), 'new'),
                               ((*train, '--epochs', '10000', '--out', 'model'), 'model'),  # over an earlier result
                               ((*unlearn, '--epochs', '10000', '--out', 'new'), 'new')):
            partial = self.folder / f'{out}.partial'
            said = self.interrupt(signal.SIGINT, lambda _: partial.exists(), *arguments)
            self.assertEqual(said, BEGINS_ANEW)
            self.assertEqual(sorted(path.name for path in self.folder.iterdir()), names)
            self.assertEqual(self.files('model'), earlier)

    def test_generate_writes_nothing(self):
        self.write('prompts.jsonl', *(f'{{"prompt": "Where was {n}"}}' for n in range(5000)))
        said = self.interrupt(signal.SIGINT, self.handles_signals, '--quiet', 'generate', '--model', TINY_MODEL, '--data',
                              'prompts.jsonl', '--sample', '--threads', '2', '--out', 'out.jsonl')
        self.assertEqual(said, BEGINS_ANEW)
        self.assertFalse((self.folder / 'out.jsonl').exists())

    def test_a_report_leaves_nothing_behind(self):
        draw = random.Random(1)
        self.write('scores.csv', 'label,score', *(f'{i % 2},{draw.gauss(i % 2, 1):.4f}' for i in range(20_000)))
        for which in (signal.SIGINT, signal.SIGTERM):
            said = self.interrupt(which, self.handles_signals, '--quiet', 'report', 'scores.csv', '--bootstrap', '1000000',
                                  '--threads', '2', '--out', 'new/out')
            self.assertEqual(said, BEGINS_ANEW)
            self.assertEqual([path.name for path in self.folder.iterdir()], ['scores.csv'])

    def test_made_up_data_leave_nothing_behind(self):
        for which in (signal.SIGINT, signal.SIGTERM):
            said = self.interrupt(which, lambda _: (self.folder / 'new' / '.palimpsest.lock').exists(), '--quiet', 'lab', 'data',
                                  '--authors', '2000', '--vocab-size', '16384', '--out', 'new')
            self.assertEqual(said, BEGINS_ANEW)
            self.assertEqual(list(self.folder.iterdir()), [])

    def test_the_demo_keeps_its_finished_models(self):
        models = self.folder / 'demo' / 'models'
        said = self.interrupt(signal.SIGINT, lambda _: (models / 'retrained.partial').exists(), '--quiet', 'demo', '--out',
                              'demo', *self.SMALL_DEMO)
        self.assertEqual(said, GOES_ON)
        self.assertIn('original', [path.name for path in models.iterdir()])
        self.assertEqual(list(models.glob('*.partial')), [])
        made = {path: path.stat().st_mtime_ns for path in models.rglob('*')}
        results = self.folder / 'demo' / 'evals' / 'reference' / 'TOFU.run'
        said = self.interrupt(signal.SIGTERM, lambda _: self.has_batch(results), '--quiet', 'demo', '--out', 'demo',
                              *self.SMALL_DEMO)
        self.assertEqual(said, GOES_ON)
        text = self.succeed('--quiet', 'demo', '--out', 'demo', *self.SMALL_DEMO)
        self.assertEqual({path: path.stat().st_mtime_ns for path in made}, made)
        (self.folder / 'demo').rename(self.folder / 'cut')
        self.assertEqual(self.succeed('--quiet', 'demo', '--out', 'demo', *self.SMALL_DEMO), text)
        self.check_results('cut', self.files('demo'))

    def test_the_second_signal_ends_the_process(self):
        # Both are waiting when the process goes on, on its only thread: the first one's handler makes way for the second.
        data = self.questions('data.jsonl', 6000, 1)
        with self.start('trace', '--model', TINY_MODEL, '--data', data, '--threads', '1', '--grad-norm', '2', '--out',
                        'out.jsonl') as process:
            self.wait_until(process, lambda: self.has_batch('out.jsonl.run'))
            for which in (signal.SIGSTOP, signal.SIGINT, signal.SIGTERM, signal.SIGCONT):
                process.send_signal(which)
            process.communicate(timeout=300)
        self.assertEqual(process.returncode, -signal.SIGTERM)

    def test_a_signal_that_is_ignored_stays_ignored(self):
        # As a shell starts what it runs in the background.
        data = self.questions('data.jsonl', 3000, 1)
        with self.start('--quiet', 'trace', '--model', TINY_MODEL, '--data', data, '--out', 'out.jsonl',
                        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)) as process:
            self.wait_until(process, lambda: self.has_batch('out.jsonl.run'))
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=300)
        self.assertEqual((process.returncode, said), (0, ''))

    def test_short_commands_are_ended_as_usual(self):
        with self.start('tokenize', '--model', TINY_MODEL, '-', stdin=subprocess.PIPE) as process:
            process.stdin.write('Where\n')
            process.stdin.flush()
            self.wait_until(process, lambda: unread(process.stdin) == 0)  # now it waits for more
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=60)
        self.assertEqual(process.returncode, -signal.SIGTERM)


if __name__ == '__main__':
    unittest.main()
