"""`palimpsest plan`, and `mia --plan`, which takes everything from the plan and refuses to deviate."""

import hashlib
import json
import random
import re
import unittest

from program import EXAMPLES, ProgramTest

TINY = EXAMPLES / 'tiny-model'
TRACES = ('--forget-traces', EXAMPLES / 'traces' / 'forget.jsonl', '--holdout-traces', EXAMPLES / 'traces' / 'holdout.jsonl')
WORDS = 'In a small town near the river Where was author born'.split()


class PlanTest(ProgramTest):
    def questions(self, name, count, seed):
        draw = random.Random(seed)
        return self.write(name, *(json.dumps({'question': ' '.join(draw.choices(WORDS, k=5)), 'answer': ' '.join(draw.choices(WORDS, k=8)),
                                              'author': f'{seed} {i // 3}'}) for i in range(count)))

    def data(self):
        return ('--forget', self.questions('forget.jsonl', 30, 1), '--holdout', self.questions('holdout.jsonl', 30, 2))

    def plan(self, *arguments):
        return self.succeed('plan', *arguments, '--out', 'plan.json')

    def follow(self, *arguments):
        return ('mia', *arguments, '--plan', 'plan.json', '--out', 'out')

    def refuse_after_lock(self, *arguments):
        """A deviation that is found once the data are read: still one sentence, status 2, and nothing written."""
        before = sorted(self.folder.iterdir())
        done = self.run_program('--quiet', *arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ''), done.stderr)
        self.assertEqual(sorted(self.folder.iterdir()), before)
        return done.stderr

    def test_it_fixes_settings_sizes_and_hashes(self):
        text = self.plan(*self.data(), '--model', TINY, '--attacks', 'loss,min_k:k=0.3', '--primary', 'loss', '--margin', '0.1',
                         '--cluster-key', 'author')
        self.assertIn('30 forget records in 10 clusters and 30 holdout records in 10 clusters', text)
        plan = self.read_json('plan.json')
        self.assertRegex(plan['planned'], r'^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$')
        self.assertEqual({key: plan['settings'][key] for key in ('--attacks', '--primary', '--margin', '--cluster-key', '--fdr', '--fpr')},
                         {'--attacks': 'loss,min_k:k=0.3', '--primary': 'loss', '--margin': '0.1', '--cluster-key': 'author',
                          '--fdr': '0.1', '--fpr': '0.1,0.01,0.001'})
        self.assertEqual((plan['sample']['forget'], plan['sample']['forget_clusters']), (30, 10))
        hashes = {entry['role']: entry['sha256'] for entry in plan['inputs']}
        self.assertEqual(hashes['forget data'], hashlib.sha256((self.folder / 'forget.jsonl').read_bytes()).hexdigest())
        self.assertIn('model', hashes)

    def test_an_audit_as_planned_says_so(self):
        data = self.data()
        self.plan(*data, '--attacks', 'loss', '--margin', '0.1', '--cluster-key', 'author', '--question-key', 'question')
        self.succeed(*self.follow('--model', TINY, *data))
        planned = self.read_json('plan.json')['planned']
        audit = self.read_json('out/mia.json')
        self.assertEqual(audit['audit']['answer']['margin'], 0.1)
        self.assertEqual([key for key in audit if key != 'audit'], ['loss'])
        page = (self.folder / 'out' / 'report.html').read_text(encoding='utf-8')
        element = re.search(r'<section id="provenance".*?</section>', page, re.DOTALL).group()
        self.assertIn(f'as planned on {planned}', element)
        self.assertEqual(self.read_json('out/provenance.json')['plan']['planned'], planned)
        self.assertEqual((self.folder / 'out' / 'plan.json').read_bytes(), (self.folder / 'plan.json').read_bytes())
        self.succeed('verify', 'out')

    def test_every_option_that_deviates_is_refused_by_name_with_both_values(self):
        self.plan(*TRACES, '--independent')
        for option, value, planned in (('--margin', '0.1', '0.05'), ('--attacks', 'loss', 'all'), ('-k', '0.3', '0.2'),
                                       ('--primary', 'loss', 'nothing'), ('--fpr', '0.2', '0.1,0.01,0.001'),
                                       ('--confidence', '0.9', '0.95'), ('--fdr', '0.2', '0.1'), ('--seed', '1', '0'),
                                       ('--cluster-size', '5', '0'), ('--bootstrap', '100', '0'), ('--group-key', 'length', 'nothing'),
                                       ('--cost-fp', '2', '1'), ('--cost-fn', '2', '1'), ('--validation-split', '0.4', '0.5')):
            message = self.refuse(*self.follow(*TRACES, option, value))
            self.assertTrue(message.startswith(f'{option}: '), message)
            self.assertIn(f"'{value}'", message)
            self.assertIn(planned if planned == 'nothing' else f"'{planned}'", message)
        for flag in ('--no-blind-baseline', '--allow-overlap'):
            self.assertTrue(self.refuse(*self.follow(*TRACES, flag)).startswith(f'{flag}: '))
        self.succeed(*self.follow(*TRACES, '--margin', '0.05'))  # as planned

    def test_a_default_that_is_given_deviates_too(self):
        self.plan(*TRACES, '--margin', '0.1')
        self.assertIn("expected '0.1', found '0.05'", self.refuse(*self.follow(*TRACES, '--margin', '0.05')))

    def test_other_data_and_models_are_refused_by_their_hashes(self):
        data = self.data()
        self.plan(*data, '--model', TINY, '--independent', '--attacks', 'loss')
        self.questions('forget.jsonl', 30, 3)  # in the same place
        message = self.refuse_after_lock(*self.follow('--model', TINY, *data))
        self.assertIn('this does not match the forget data of the plan', message)
        self.assertIn(hashlib.sha256((self.folder / 'forget.jsonl').read_bytes()).hexdigest(), message)
        self.questions('forget.jsonl', 30, 1)
        self.assertIn('no baseline model', self.refuse_after_lock(*self.follow('--model', TINY, '--baseline', TINY, *data)))
        self.succeed(*self.follow('--model', TINY, *data))

    def test_traces_that_changed_are_refused(self):
        forget = self.folder / 'forget.jsonl'
        forget.write_bytes(TRACES[1].read_bytes())
        self.plan('--forget-traces', forget, *TRACES[2:])
        forget.write_bytes(TRACES[1].read_bytes() + b'\n')
        self.assertIn('this does not match the forget traces of the plan', self.refuse_after_lock(*self.follow('--forget-traces', forget, *TRACES[2:])))

    def test_plans_that_cannot_be_made(self):
        self.assertIn('--forget', self.refuse('plan', '--out', 'plan.json'))
        self.assertIn('--holdout', self.refuse('plan', '--forget', self.questions('f.jsonl', 3, 1), '--out', 'plan.json'))
        self.assertIn('--primary', self.refuse('plan', *TRACES, '--attacks', 'loss', '--primary', 'zlib', '--out', 'plan.json'))
        self.assertIn('unknown', self.refuse('plan', *TRACES, '--attacks', 'lost', '--out', 'plan.json').replace('no attack', 'unknown'))
        self.assertIn('none', self.refuse('plan', '--forget-traces', 'none.jsonl', '--holdout-traces', 'none.jsonl', '--out', 'plan.json'))

    def test_what_is_no_plan_is_refused(self):
        self.write('plan.json', '{}')
        self.assertIn('not a plan', self.refuse(*self.follow(*TRACES)))


if __name__ == '__main__':
    unittest.main()
