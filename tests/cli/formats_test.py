"""Files of the newest version of each format that only commands read (tests/golden/formats/README.md): columns of traces,
provenance, plans, journals and the lab's record of a model. The others are read by tests/report/formats_test.cc."""

import json
import shutil
import unittest

from checkpoint import TINY_MODEL
from program import ROOT, ProgramTest

FORMATS = ROOT / 'tests' / 'golden' / 'formats' / '0.2'
OF_PAGES = ('report.html', 'figures/')  # which are not kept
RESUME = ('trace', '--model', TINY_MODEL, '--data', 'journal/data.jsonl', '--isa', 'baseline', '--out', 'journal/traces.jsonl')
COPY = ('model', TINY_MODEL, '--random-init', 'lab')


def traces(ending):
    return ('--forget-traces', f'traces/forget.{ending}', '--holdout-traces', f'traces/holdout.{ending}')


class FormatsTest(ProgramTest):
    def setUp(self):
        super().setUp()
        shutil.copytree(FORMATS, self.folder, dirs_exist_ok=True)

    def test_traces_as_columns(self):
        scores = []
        for ending in ('jsonl', 'safetensors'):
            self.succeed('mia', *traces(ending), '--cluster-size', '2', '--out', ending)
            scores.append((self.folder / ending / 'scores.csv').read_bytes())
        self.assertEqual(*scores)

    def verify(self, folder):
        return json.loads(self.run_program('verify', folder, '--json').stdout)

    def test_provenance(self):
        for folder in ('mia', 'eval'):
            with self.subTest(folder):
                found = self.verify(folder)
                self.assertEqual((found['changed'], found['added'], found['failures']), ([], [], []))
                self.assertTrue(found['missing'])
                self.assertEqual([name for name in found['missing'] if not name.startswith(OF_PAGES)], [])
                path = self.folder / folder / 'provenance.json'
                path.write_text(path.read_text(encoding='utf-8').replace('"palimpsest_provenance": 1', '"palimpsest_provenance": 2'),
                                encoding='utf-8')
                failure, = self.verify(folder)['failures']
                self.assertIn('provenance.json: this provenance is of a newer version (expected version 1, found 2)', failure)

    def test_a_plan(self):
        self.succeed('mia', *traces('jsonl'), '--plan', 'mia/plan.json', '--out', 'again')
        self.assertEqual((self.folder / 'again' / 'plan.json').read_bytes(), (FORMATS / 'mia' / 'plan.json').read_bytes())
        self.assertEqual(self.read_json('again/provenance.json')['plan'], self.read_json('mia/provenance.json')['plan'])

    def test_a_journal(self):
        # All batches are in it, so that no model is run.
        done = self.run_program(*RESUME, '--no-run')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('3 of 3 sequences had been run before', done.stderr)
        lines = (self.folder / 'journal' / 'traces.jsonl').read_text(encoding='utf-8').splitlines()
        self.assertEqual(len(lines), 1 + 3)
        self.assertFalse((self.folder / 'journal' / 'traces.jsonl.run').exists())

    def test_the_record_of_a_model_of_the_lab(self):
        folder = self.folder / 'lab'
        self.succeed(*COPY)  # made already, as the record says
        self.assertEqual([path.name for path in folder.iterdir()], ['lab.json'])
        # Another one replaces it, with all files that the record names and no others.
        names = self.read_json('lab/lab.json')['files']
        self.assertIn('model.safetensors', names)
        for name in names:
            self.write(f'lab/{name}', 'old')
        mine = self.write('lab/mine', 'mine')
        self.assertIn("(found 'mine')", self.refuse('--quiet', *COPY, '--seed', '2'))
        mine.unlink()
        self.succeed(*COPY, '--seed', '2')
        self.assertEqual({path.name for path in folder.iterdir()}, {*names, 'lab.json'})
        self.assertEqual(self.read_json('lab/lab.json').keys(), json.loads((FORMATS / 'lab' / 'lab.json').read_text(encoding='utf-8')).keys())

    def test_newer_files_are_refused_by_name(self):
        journal, = (self.folder / 'journal' / 'traces.jsonl.run').iterdir()
        columns = ('mia', '--forget-traces', 'traces/forget.safetensors', '--holdout-traces', 'traces/holdout.jsonl')
        for path, now, newer, command in (
                (self.folder / 'mia' / 'plan.json', b'"palimpsest_plan": 1', b'"palimpsest_plan": 2',
                 ('mia', *traces('jsonl'), '--plan', 'mia/plan.json')),
                (self.folder / 'traces' / 'forget.safetensors', b'"palimpsest_trace":"1"', b'"palimpsest_trace":"2"', columns),
                (self.folder / 'lab' / 'lab.json', b'"palimpsest_lab": 1', b'"palimpsest_lab": 2', COPY),
                (journal, b'palimpsest journal 2\n', b'palimpsest journal 3\n', RESUME)):
            with self.subTest(path.name):
                content = path.read_bytes()
                self.assertEqual(content.count(now), 1)
                path.write_bytes(content.replace(now, newer))
                said = self.refuse('--quiet', *command)
                self.assertIn(path.name, said)
                self.assertIn('of a newer version', said)
                path.write_bytes(content)


if __name__ == '__main__':
    unittest.main()
