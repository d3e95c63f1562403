"""Traces as columns: every command takes them, and they are the same traces."""

import json
import shutil
import struct
import unittest

from checkpoint import TINY_MODEL
from program import EXAMPLES, ROOT, ProgramTest, same_bytes

QUESTIONS = EXAMPLES / 'data' / 'questions.jsonl'
TRACES = EXAMPLES / 'traces'
TRACES_OF_ALL = ROOT / 'tests' / 'golden' / 'formats' / '0.2' / 'traces'


class ConvertTest(ProgramTest):

    def header(self, name):
        raw = (self.folder / name).read_bytes()
        length, = struct.unpack('<Q', raw[:8])
        return json.loads(raw[8:8 + length])

    def test_there_and_back_again(self):
        for source in (TRACES / 'forget.jsonl', TRACES_OF_ALL / 'forget.jsonl'):
            with self.subTest(source):
                self.succeed('convert', source, 'a.jsonl')  # as this version writes it
                self.succeed('convert', 'a.jsonl', 'a.safetensors')
                self.succeed('convert', 'a.safetensors', 'b.jsonl')
                self.assertEqual((self.folder / 'b.jsonl').read_bytes(), (self.folder / 'a.jsonl').read_bytes())
                self.assertEqual(self.header('a.safetensors')['__metadata__']['palimpsest_trace'], '1')

    def test_trace_writes_columns(self):
        trace = ('--quiet', 'trace', '--model', TINY_MODEL, '--data', QUESTIONS, '--grad-norm', '2', '--group-key', 'topic',
                 '--out')
        self.succeed(*trace, 'a.jsonl')
        self.succeed(*trace, 'a.safetensors')
        self.assertIn('grad_norm.2', self.header('a.safetensors'))
        self.succeed('convert', 'a.safetensors', 'b.jsonl')
        self.assertEqual((self.folder / 'b.jsonl').read_bytes(), (self.folder / 'a.jsonl').read_bytes())
        # The file is found by its fingerprint: no model is run again.
        self.succeed(*trace, 'a.safetensors', '--no-run')

    def test_an_audit_is_the_same_from_both(self):
        # Where an attack lacks something, a note names the line or the trace.
        mia = ('--quiet', 'mia', '--forget-traces', 'traces/forget.jsonl', '--holdout-traces', 'traces/holdout.jsonl', '--attacks',
               'loss,min_k,min_k_plus_plus,zlib', '--out', 'out')
        (self.folder / 'traces').mkdir()
        for name in ('forget', 'holdout'):
            self.succeed('convert', TRACES / f'{name}.jsonl', f'traces/{name}.jsonl')
        expected = self.succeed(*mia)
        (self.folder / 'out').rename(self.folder / 'lines')
        for name in ('forget', 'holdout'):
            self.succeed('convert', f'traces/{name}.jsonl', f'{name}.safetensors')
            shutil.move(self.folder / f'{name}.safetensors', self.folder / 'traces' / f'{name}.jsonl')
        self.assertEqual(self.succeed(*mia), expected)
        for path in sorted((self.folder / 'lines').rglob('*')):
            if path.is_file():
                self.assertEqual(same_bytes(self.folder / 'out' / path.relative_to(self.folder / 'lines')), same_bytes(path), path)
        self.succeed('verify', 'out')
        self.succeed('plan', '--forget-traces', 'traces/forget.jsonl', '--holdout-traces', 'traces/holdout.jsonl', '--independent',
                     '--out', 'plan.json')

    def test_bad_files(self):
        self.assertIn('absent', self.refuse('convert', 'absent', 'out.jsonl'))
        model = TINY_MODEL / 'model.safetensors'
        self.assertIn('this is not a trace file: its metadata lack', self.refuse('convert', model, 'out.jsonl'))
        self.succeed('convert', TRACES / 'forget.jsonl', 'a.safetensors')
        whole = (self.folder / 'a.safetensors').read_bytes()
        (self.folder / 'cut.safetensors').write_bytes(whole[:-100])
        self.assertIn('cut.safetensors: the file is', self.refuse('convert', 'cut.safetensors', 'out.jsonl'))


if __name__ == '__main__':
    unittest.main()
