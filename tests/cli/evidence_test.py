"""Evidence packs: provenance.json, `verify` and gates."""

import hashlib
import json
import os
import random
import re
import shutil
import unittest

from pack import TINY, TRACES, EvidenceTest


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


class ProvenanceTest(EvidenceTest):
    def test_it_names_every_file_and_every_input_with_its_hash(self):
        self.succeed(*self.model_audit('--independent', '--seed', '7'))
        record = self.read_json('out/provenance.json')
        self.assertRegex(record['started'], r'^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$')
        self.assertEqual(record['command'][:3], ['palimpsest', 'mia', '--model'])
        self.assertEqual(record['settings']['--seed'], '7')
        self.assertEqual(record['settings']['--independent'], 'yes')
        self.assertEqual(record['computing']['device'], 'cpu')
        self.assertEqual(record['computing']['type'], 'float32')
        listed = {entry['name']: entry['sha256'] for entry in record['files']}
        there = {str(path.relative_to(self.folder / 'out')): sha256(path) for path in self.files()}
        del there['provenance.json']
        self.assertEqual(listed, there)
        inputs = {entry['role']: entry for entry in record['inputs']}
        self.assertEqual(list(inputs), ['model', 'tokenizer and chat template', 'forget data', 'holdout data'])
        self.assertEqual(inputs['forget data']['sha256'], sha256(self.folder / 'forget.jsonl'))
        weights = {entry['name']: entry['sha256'] for entry in inputs['model']['files']}
        self.assertEqual(weights['model.safetensors'], sha256(TINY / 'model.safetensors'))
        self.assertNotIn(os.uname().nodename, json.dumps({**record, 'command': []}))

    def test_time_and_command_stand_in_one_element_of_the_page_alone(self):
        self.succeed(*self.model_audit('--independent'))
        record = self.read_json('out/provenance.json')
        for path in self.files():
            text = path.read_text(encoding='utf-8')
            if path.name == 'report.html':
                element = re.search(r'<section id="provenance".*?</section>', text, re.DOTALL).group()
                self.assertIn(record['started'], element)
                self.assertIn('--independent', element)
                self.assertIn('not forgery', element)
                text = text.replace(element, '')
            if path.name != 'provenance.json':
                self.assertNotIn(record['started'], text, path)
                self.assertNotIn('--independent', text, path)

    def test_a_repeated_run_keeps_its_time_and_another_one_does_not(self):
        self.succeed(*self.model_audit('--independent'))
        path = self.folder / 'out' / 'provenance.json'
        first = path.read_bytes()
        record = json.loads(first)
        self.assertFalse((self.folder / 'out' / '.palimpsest.start').exists())
        # As if it had been yesterday.
        text = first.decode().replace(record['started'], '2001-01-01T00:00:00Z')
        record['started'] = '2001-01-01T00:00:00Z'
        self.assertEqual(self.run_program('verify', 'out').returncode, 0)
        path.write_text(text, encoding='utf-8')
        self.assertEqual(self.run_program('verify', 'out').returncode, 1)  # the digest is another
        self.succeed(*self.model_audit('--independent', '--seed', '1'))
        self.assertNotEqual(self.read_json('out/provenance.json')['started'], '2001-01-01T00:00:00Z')

    def test_reports_have_one_too(self):
        self.succeed('mia', *TRACES, '--out', 'one')
        self.succeed('report', 'one', '--out', 'page')
        record = self.read_json('page/provenance.json')
        self.assertEqual(record['kind'], 'report')
        inputs = {file['name']: file['sha256'] for file in record['inputs'][0]['files']}
        self.assertEqual(inputs['provenance.json'], sha256(self.folder / 'one' / 'provenance.json'))
        self.assertIn('palimpsest report', (self.folder / 'page' / 'report.html').read_text(encoding='utf-8'))
        self.succeed('verify', 'page')

    def test_results_that_were_changed_are_not_reported(self):
        self.succeed('mia', *TRACES, '--out', 'one')
        self.succeed('report', 'one')
        for name, before, after in (('mia.json', '"auc": 0.', '"auc": 0.9'), ('scores.csv', ',-1', ',-2')):
            path = self.folder / 'one' / name
            text = path.read_text(encoding='utf-8')
            self.assertIn(before, text)
            path.write_text(text.replace(before, after, 1), encoding='utf-8')
            said = self.refuse('report', 'one', '--out', 'page')
            self.assertEqual(said, f'one/{name}: this is not the file whose hash provenance.json has: it was changed after it was '
                                   'written; run the audit again, or restore the file')
            # As if another audit had been killed between its results and provenance.json.
            note = self.write_json('one/.palimpsest.start', {})
            self.assertIn('an audit is writing to this folder, or was cut short', self.refuse('report', 'one'))
            note.unlink()
            if name == 'scores.csv':
                self.assertEqual(self.refuse('report', 'one/scores.csv'), said)
            path.write_text(text, encoding='utf-8')
        self.succeed('report', 'one')
        self.succeed('report', 'one/scores.csv')
        (self.folder / 'one' / 'mia.json').rename(self.folder / 'mia.json')
        self.assertIn('one/mia.json: the file is missing', self.refuse('report', 'one'))
        (self.folder / 'mia.json').rename(self.folder / 'one' / 'mia.json')
        text = (self.folder / 'one' / 'provenance.json').read_text(encoding='utf-8')
        for damaged in ('{', 'null', '[]', '', text.replace('mia.json', 'aim.json', 1)):
            (self.folder / 'one' / 'provenance.json').write_text(damaged, encoding='utf-8')
            for given in ('one', 'one/scores.csv'):
                self.assertIn('one/provenance.json', self.refuse('report', given))
        # Results of earlier versions, and those that were copied, have none.
        (self.folder / 'one' / 'provenance.json').unlink()
        self.succeed('report', 'one')

    def test_results_of_another_kind_are_not_replaced(self):
        self.succeed('mia', *TRACES, '--out', 'one')
        before = {path: path.read_bytes() for path in self.files('one')}
        said = self.refuse('report', 'one', '--out', 'one')
        self.assertEqual(said, 'one: the folder holds the results of `palimpsest mia`, whose provenance.json and page would be '
                               'replaced; give another folder, or remove this one first')
        self.succeed('report', 'one', '--out', 'page')
        self.succeed('report', 'one', '--out', 'page')
        self.assertIn('`palimpsest report`', self.refuse('mia', *TRACES, '--out', 'page'))
        self.assertIn('`palimpsest mia`', self.refuse('demo', '--authors', '4', '--out', 'one'))
        self.assertEqual({path: path.read_bytes() for path in self.files('one')}, before)
        self.succeed('verify', 'one')
        self.succeed('verify', 'page')

    def test_the_hashes_of_large_files_are_kept(self):
        model = self.folder / 'model'
        shutil.copytree(TINY, model)
        self.environment = {'XDG_CACHE_HOME': str(self.folder / 'cache')}
        self.succeed(*self.model_audit('--independent'))
        self.assertFalse((self.folder / 'cache').exists())  # the model is tiny
        self.environment = {'XDG_CACHE_HOME': '', 'HOME': ''}
        self.succeed(*self.model_audit('--independent'))  # no place for a cache is no failure


class VerifyTest(EvidenceTest):
    def check(self, *more):
        done = self.run_program('verify', 'out', *more)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return done

    def test_an_untouched_folder_passes_and_its_results_are_computed_again(self):
        self.succeed(*self.model_audit('--cluster-key', 'author', '--group-key', 'author', '--reference', TINY, '--baseline', TINY))
        text = self.succeed('verify', 'out')
        self.assertIn('mia.json: the same', text)
        self.assertIn('scores.csv: the same', text)
        self.assertIn('not forgery', text)
        self.assertIn(sha256(self.folder / 'out' / 'provenance.json'), text)
        found = json.loads(self.succeed('verify', 'out', '--json'))
        self.assertTrue(found['matches'])
        self.assertEqual(found['digest'], sha256(self.folder / 'out' / 'provenance.json'))
        # Elsewhere, by another path, it is the same pack.
        shutil.move(self.folder / 'out', self.folder / 'moved')
        again = json.loads(self.succeed('verify', self.folder / 'moved', '--json'))
        self.assertEqual((again['matches'], again['digest']), (True, found['digest']))

    def test_every_changed_byte_is_caught(self):
        self.succeed(*self.model_audit('--independent'))
        draw = random.Random(19)
        paths = self.files()
        self.assertGreater(len(paths), 8)
        for trial in range(100):
            path = paths[trial % len(paths)]
            before = path.read_bytes()
            offset = draw.randrange(len(before))
            byte = bytes([before[offset] ^ draw.randrange(1, 256)])
            path.write_bytes(before[:offset] + byte + before[offset + 1:])
            done = self.run_program('verify', 'out', '--json')
            self.assertEqual(done.returncode, 1, f'{path} at {offset}: {done.stderr}')
            self.assertEqual(json.loads(done.stdout)['changed'], [str(path.relative_to(self.folder / 'out'))])
            path.write_bytes(before)
        self.succeed('verify', 'out')

    def test_missing_and_added_files_are_named(self):
        self.succeed('mia', *TRACES, '--out', 'out')
        (self.folder / 'out' / 'scores.csv').unlink()
        (self.folder / 'out' / 'figures' / 'more.svg').write_text('<svg/>', encoding='utf-8')
        done = self.check('--json')
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r'\Apalimpsest: [^\n]+\n\Z')
        found = json.loads(done.stdout)
        self.assertEqual((found['missing'], found['added']), (['scores.csv'], ['figures/more.svg']))

    def test_traces_outside_of_the_pack_are_used_if_they_are_the_same(self):
        shutil.copy(TRACES[1], self.folder / 'f.jsonl')
        self.succeed('mia', '--forget-traces', 'f.jsonl', *TRACES[2:], '--out', 'out')
        self.assertIn('mia.json: the same', self.succeed('verify', 'out'))
        (self.folder / 'f.jsonl').write_text('', encoding='utf-8')
        text = self.succeed('verify', 'out')
        self.assertNotIn('mia.json: the same', text)
        self.assertIn('the file of that name is a different one', ' '.join(text.split()))

    def test_a_folder_that_is_no_pack_is_refused(self):
        (self.folder / 'empty').mkdir()
        self.assertIn('provenance.json', self.refuse('verify', 'empty'))
        self.assertIn('none', self.refuse('verify', 'none'))


class GateTest(EvidenceTest):
    def gate(self, *more):
        done = self.run_program('--quiet', 'mia', *TRACES, '--out', 'out', *more)
        self.assertIn('REMEMBERED', done.stdout)  # the results are there whatever the gate says
        self.assertTrue((self.folder / 'out' / 'provenance.json').exists())
        return done

    def test_status_3_and_a_sentence(self):
        done = self.gate('--fail-on', 'void,remembered')
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr, r'\Apalimpsest: the verdict is remembered, [^\n]*out\n\Z')
        done = self.gate('--require', 'equivalent,detectable_within_margin')
        self.assertEqual(done.returncode, 3)
        self.assertIn('equivalent or detectable_within_margin', done.stderr)

    def test_what_the_gates_let_pass(self):
        self.assertEqual(self.gate('--fail-on', 'void').returncode, 0)
        self.assertEqual(self.gate('--require', 'remembered').returncode, 0)

    def test_a_name_that_is_no_answer_is_refused_before_the_work(self):
        self.assertIn('over_forgotten', self.refuse('mia', *TRACES, '--out', 'out', '--fail-on', 'forgotten'))

    def test_reports_judge_the_first_run(self):
        self.gate()
        self.assertEqual(self.run_program('report', 'out', '--fail-on', 'remembered').returncode, 3)
        self.assertEqual(self.run_program('report', 'out', '--require', 'remembered').returncode, 0)
        done = self.run_program('report', 'out/scores.csv', '--require', 'equivalent')
        self.assertEqual(done.returncode, 3)
        self.assertIn('no answer', done.stderr)
        # A missing answer is not among those that are refused: the gate would let such a run pass.
        self.assertEqual(self.refuse('report', 'out/scores.csv', '--fail-on', 'remembered', '--out', 'page'),
                         '--fail-on: there is no answer to judge in out/scores.csv; the first folder must be that of an audit, '
                         'or of an evaluation with attacks')


if __name__ == '__main__':
    unittest.main()
