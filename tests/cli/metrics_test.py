"""palimpsest metrics, end to end."""

import json
import os
import subprocess
import unittest

from program import EXAMPLES, ProgramTest

CLIENT_A = EXAMPLES / 'metrics' / 'client_a.jsonl'
CLIENT_B = EXAMPLES / 'metrics' / 'client_b.jsonl'
SEQUENCES = EXAMPLES / 'metrics' / 'sequences.jsonl'
FORGET = EXAMPLES / 'data' / 'forget.jsonl'
TINY_MODEL = EXAMPLES / 'tiny-model'


class MetricsTest(ProgramTest):

    def test_prints_a_table(self):
        self.assertEqual(
            self.succeed('metrics', '--data', CLIENT_A, '--metric', 'accuracy',
                         '--metric', 'cross_entropy_loss',
                         '--metric', 'confusion_matrix:num_classes=3'),
            'metric                 value  weight\n'
            '------------------  --------  ------\n'
            'accuracy            0.666667       6\n'
            'cross_entropy_loss  0.654368       6\n'
            '\n'
            'confusion_matrix:num_classes=3\n'
            '   0  1  2\n'
            '-  -  -  -\n'
            '0  1  1  0\n'
            '1  0  2  0\n'
            '2  0  1  1\n'
            '\n'
            '6 examples\n')

    def test_by_domain(self):
        both = CLIENT_A.read_text() + CLIENT_B.read_text()
        self.assertEqual(
            self.succeed('metrics', '--data', '-', '--metric', 'accuracy', '--num-domains', 3,
                         stdin=both),
            'metric    domain     value  weight\n'
            '--------  ------  --------  ------\n'
            'accuracy       0       0.8       5\n'
            'accuracy       1  0.571429       7\n'
            'accuracy       2       n/a       0\n'
            '\n'
            '12 examples\n')

    def test_matrices_by_domain(self):
        text = self.succeed('metrics', '--data', CLIENT_A, '--metric',
                            'confusion_matrix:num_classes=3', '--num-domains', 2)
        self.assertTrue(text.startswith('confusion_matrix:num_classes=3, domain 0\n   0  1  2\n'))
        self.assertIn('\nconfusion_matrix:num_classes=3, domain 1\n', text)

    def test_by_position(self):
        text = self.succeed('metrics', '--data', SEQUENCES,
                            '--metric', 'sequence_token_accuracy:per_position=true',
                            '--metric', 'sequence_token_count')
        self.assertEqual(
            text.splitlines()[2:8],
            ['sequence_token_accuracy:per_position=true         0  0.666667       3',
             'sequence_token_accuracy:per_position=true         1         1       3',
             'sequence_token_accuracy:per_position=true         2  0.666667       3',
             'sequence_token_accuracy:per_position=true         3         1       2',
             'sequence_token_count                              -        11       -',
             ''])

    def test_writes_statistics_and_prints_the_same_as_json(self):
        printed = self.succeed('metrics', '--data', CLIENT_A, '--metric', 'accuracy', '--metric',
                               'top_k_accuracy:k=2', '--out', 'a.json', '--json')
        self.assertEqual(printed, (self.folder / 'a.json').read_text())
        self.assertEqual(self.read_json('a.json'), {
            'palimpsest_stat': 1,
            'stats': {'accuracy': {'type': 'mean', 'accum': 4.0, 'weight': 6.0},
                      'top_k_accuracy:k=2': {'type': 'mean', 'accum': 5.0, 'weight': 6.0}},
            'results': {'accuracy': 4 / 6, 'top_k_accuracy:k=2': 5 / 6}})

    def test_mask(self):
        self.write('d.jsonl', '{"y": 0, "pred": [1, 0], "use": 1}', '{"use": 0}')
        text = self.succeed('metrics', '--data', 'd.jsonl', '--metric', 'accuracy', '--mask-key',
                            'use')
        self.assertTrue(text.endswith('\n1 example, 1 masked\n'), text)

    def test_other_keys(self):
        self.write('d.jsonl', '{"label": 0, "a": [1, 0], "b": [0, 1], "client": 1}')
        text = self.succeed('metrics', '--data', 'd.jsonl', '--domain-key', 'client',
                            '--num-domains', 2, '--json',
                            '--metric', 'accuracy:target_key=label,pred_key=a',
                            '--metric', 'accuracy:target_key=label,pred_key=b')
        self.assertIn('"accuracy:target_key=label,pred_key=a": [null, 1.0]', text)
        self.assertIn('"accuracy:target_key=label,pred_key=b": [null, 0.0]', text)

    def test_memory_does_not_grow_with_the_file(self):
        line = '{"y": 1, "pred": [%s]}' % ','.join(['0.25'] * 300)
        peaks = []
        for count in (2000, 30000):
            # Line by line: a child starts with the peak of its parent.
            with open(self.folder / 'd.jsonl', 'w', encoding='utf-8') as data:
                for _ in range(count):
                    data.write(line + '\n')
            process = subprocess.Popen(
                [os.environ['PALIMPSEST'], 'metrics', '--data', 'd.jsonl', '--metric', 'accuracy',
                 '--out', 'o.json'], cwd=self.folder, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(process.returncode, 0)
            self.assertEqual(self.read_json('o.json')['stats']['accuracy']['weight'], count)
            peaks.append(usage.ru_maxrss)
        # 15 times the file, which is 46 MB then; kibibytes.
        self.assertLess(peaks[1] - peaks[0], 8 * 1024)


class MetricsErrorTest(ProgramTest):

    GOOD = '{"y": 1, "pred": [0.5, 1.5]}'

    def refuse_data(self, *lines, metric='accuracy', more=()):
        self.write('d.jsonl', *lines)
        return self.refuse('metrics', '--data', 'd.jsonl', '--metric', metric, '--out', 'o.json',
                           *more)

    def test_names_the_line(self):
        self.assertRegex(self.refuse_data(self.GOOD, '', '{"y": 1, "pred": [0.5'),
                         r'^d\.jsonl:3: this is not valid JSON: ')
        self.assertEqual(self.refuse_data(self.GOOD, '{"y": 1, "pred": [0.5, NaN]}'),
                         'd.jsonl:2: accuracy: the logit of class 1 is not a number')
        self.assertEqual(self.refuse_data(self.GOOD, '{"y": 7, "pred": [0.5, 1]}'),
                         'd.jsonl:2: accuracy: the target 7 is not a class (expected 0 … 1)')
        self.assertEqual(self.refuse_data('{"y": 1}'),
                         "d.jsonl:1: the key 'pred' is missing (found the keys y)")
        self.assertEqual(
            self.refuse_data(self.GOOD, metric='top_k_accuracy:k=0'),
            "metric 'top_k_accuracy:k=0': the value of 'k' is wrong (expected a whole number, at least 1, found '0')")
        self.assertEqual(
            self.refuse_data('{"y": [1, 1], "pred": [[0, 1]]}', metric='sequence_token_accuracy'),
            "d.jsonl:1: sequence_token_accuracy: the prediction does not fit the target 'y' "
            '(expected the shape [2, V], V >= 1, found the shape [1, 2])')
        self.assertEqual(
            self.refuse_data('{"y": 1, "pred": [0, 1], "domain_id": 2}', more=['--num-domains', 2]),
            "d.jsonl:1: accuracy: 'domain_id' is 2 (expected a domain from 0 to 1)")

    def test_empty_input(self):
        self.assertEqual(self.refuse_data(''),
                         'd.jsonl: the file holds no record; write one JSON object per line')
        self.assertRegex(self.refuse('metrics', '--data', '-', '--metric', 'accuracy', stdin=''),
                         'holds no record')

    def test_no_such_file(self):
        self.assertEqual(self.refuse('metrics', '--data', 'no.jsonl', '--metric', 'accuracy'),
                         'no.jsonl: the file cannot be read: No such file or directory')

    def test_unknown_metrics_and_arguments_list_the_valid_ones(self):
        self.assertRegex(self.refuse_data(self.GOOD, metric='precision'),
                         "there is no metric 'precision' .expected one of cross_entropy_loss, acc")
        self.assertEqual(self.refuse_data(self.GOOD, metric='accuracy:k=1'),
                         "metric 'accuracy:k=1': there is no argument 'k' "
                         '(expected target_key, pred_key)')
        self.assertEqual(self.refuse_data(self.GOOD, metric='top_k_accuracy:k=two'),
                         "metric 'top_k_accuracy:k=two': the value of 'k' is wrong "
                         "(expected a whole number, found 'two')")
        self.assertRegex(self.refuse_data(self.GOOD, metric='top_k_accuracy'),
                         "the argument 'k' is missing")

    def test_the_same_metric_twice(self):
        self.assertEqual(self.refuse_data(self.GOOD, more=['--metric', 'accuracy']),
                         "the metric 'accuracy' is asked for twice")

    def test_options(self):
        self.assertRegex(self.refuse('metrics', '--data', 'd.jsonl'), '--metric is required')
        self.assertRegex(self.refuse_data(self.GOOD, more=['--domain-key', 'd']),
                         '--domain-key requires --num-domains')
        self.assertRegex(self.refuse_data(self.GOOD, more=['--num-domains', 0]),
                         'the number of domains is 0')
        self.assertRegex(self.refuse_data(self.GOOD, more=['--num-domains', 10**15]), 'too large')
        self.write('d.jsonl', self.GOOD)
        self.assertEqual(self.refuse('metrics', '--data', 'd.jsonl', '--metric', 'accuracy',
                                     '--out', 'no/o.json'),
                         'no: the folder does not exist; make it first')


class ModelMetricsTest(ProgramTest):
    """With --model the tokens that a model predicts are evaluated; a trace of the same data says what they are."""

    def setUp(self):
        super().setUp()
        records = [json.loads(line) | {'domain_id': i % 2} for i, line in enumerate(FORGET.read_text().splitlines())]
        self.data = self.write('d.jsonl', *map(json.dumps, records))
        self.succeed('trace', '--model', TINY_MODEL, '--data', self.data, '--group-key', 'domain_id', '--out', 't.jsonl')
        self.traces = [json.loads(line) for line in (self.folder / 't.jsonl').read_text().splitlines()[1:]]

    def evaluate(self, *specs, more=()):
        metrics = [word for spec in specs for word in ('--metric', spec)]
        text = self.succeed('metrics', '--model', TINY_MODEL, '--data', self.data, '--json', *metrics, *more)
        return json.loads(text)['stats']

    def test_token_metrics_are_those_of_the_trace(self):
        stats = self.evaluate('SequenceTokenAccuracy', 'sequence_token_cross_entropy_loss', 'sequence_token_count', 'sequence_count',
                              'sequence_token_top_k_accuracy:k=1', 'sequence_token_top_k_accuracy:k=20')
        tokens = [(a == b, p) for trace in self.traces for a, b, p in zip(trace['argmax'], trace['label'], trace['logprob'])]
        self.assertEqual(stats['SequenceTokenAccuracy'], {'type': 'mean', 'accum': sum(hit for hit, _ in tokens), 'weight': len(tokens)})
        self.assertEqual(stats['sequence_token_top_k_accuracy:k=1'], stats['SequenceTokenAccuracy'])
        self.assertEqual(stats['sequence_token_top_k_accuracy:k=20']['accum'], len(tokens))  # the whole vocabulary
        self.assertAlmostEqual(stats['sequence_token_cross_entropy_loss']['accum'], -sum(p for _, p in tokens), places=4)
        self.assertEqual(stats['sequence_token_count'], {'type': 'sum', 'accum': len(tokens)})
        self.assertEqual(stats['sequence_count'], {'type': 'sum', 'accum': len(self.traces)})

    def test_by_position_and_by_domain(self):
        longest = max(len(trace['label']) for trace in self.traces)
        spec = 'sequence_token_accuracy:per_position=true'
        both = self.evaluate(spec, more=('--num-domains', 2))[spec]
        self.assertEqual([len(part) for part in both['weight']], [longest] * 2)
        whole = self.evaluate(spec)[spec]
        self.assertEqual([sum(pair) for pair in zip(*both['accum'])], whole['accum'])
        first = [sum(trace['argmax'][0] == trace['label'][0] for trace in self.traces if trace['groups']['domain_id'] == str(domain))
                 for domain in range(2)]
        self.assertEqual([part[0] for part in both['accum']], first)

    def test_the_usual_ones_without_a_name(self):
        text = self.succeed('metrics', '--model', TINY_MODEL, '--data', self.data)
        for name in ('sequence_token_cross_entropy_loss', 'sequence_token_accuracy', 'sequence_length'):
            self.assertRegex(text, rf'(?m)^{name} ')
        self.assertIn('\n24 examples\n', text)

    def test_what_a_model_does_not_have(self):
        def refusal(*words):
            return self.refuse('--quiet', 'metrics', '--model', TINY_MODEL, '--data', self.data, *words)
        self.assertIn("'accuracy' is not computed from a model", refusal('--metric', 'accuracy'))
        self.assertIn('not to a model', refusal('--metric', 'sequence_token_accuracy:target_key=z'))
        self.assertIn('--mask-key', refusal('--metric', 'sequence_count', '--mask-key', 'm'))
        self.assertIn('is not a domain', refusal('--metric', 'sequence_count', '--num-domains', 1))
        self.assertIn('--metric is required', self.refuse('metrics', '--data', CLIENT_A))


if __name__ == '__main__':
    unittest.main()
