"""palimpsest list, end to end."""

import json
import re
import unittest

from program import ROOT, ProgramTest


class ListTest(ProgramTest):

    def test_metrics_with_their_arguments(self):
        text = self.succeed('list', 'metrics')
        self.assertRegex(text, r'\Ametric +argument +default +meaning\n')
        self.assertRegex(text, r'\ntop_k_accuracy +share of examples .*\n +k +required +how many')
        self.assertRegex(text, r'\n +masked_target_values +\[0\] +targets that do not count')
        self.assertNotIn('weighted mean', text)

    def test_every_metric_can_be_asked_for(self):
        required = {}  # metric → its required arguments
        for line in self.succeed('list', 'metrics').splitlines()[2:]:
            words = line.split()
            if not line.startswith(' '):
                required[words[0]] = []
            elif words[1] == 'required':
                required[list(required)[-1]].append(words[0])
        self.assertIn('accuracy', required)
        data = self.write('d.jsonl', '{"y": 1, "t": [1], "pred": [0, 1], "p": [[0, 1]]}')
        values = {'k': 1, 'num_classes': 2, 'oov_target_values': 3, 'eos_target_value': 1}
        for name, arguments in required.items():
            args = [f'{argument}={values[argument]}' for argument in arguments]
            if name.startswith('sequence_'):
                args.append('target_key=t')
                if 'accuracy' in name or 'loss' in name:
                    args.append('pred_key=p')
            spec = name + (':' + ','.join(args) if args else '')
            self.assertIn(name, self.succeed('metrics', '--data', data, '--metric', spec))

    def test_attacks_say_what_they_need(self):
        text = self.succeed('list', 'attacks')
        attacks = self.attacks()
        self.assertGreaterEqual(len(attacks), 10)
        for name, (needs, _) in attacks.items():
            self.assertRegex(text, rf'\n{name}\n  measures +\w.*\n  cost +\w')
            self.assertTrue(needs, name)
        self.assertEqual(attacks['min_k_plus_plus'], ({"'logprob'", "'mean' and 'var'"}, set()))
        self.assertEqual(attacks['ez_mia'], ({"'logprob'", "'argmax' and 'label'"}, {"'logprob'"}))
        self.assertIn("'mean' and 'var' in each trace", text)
        self.assertIn("in each trace of a reference model", text)

    def test_attacks_name_their_parameters_and_fit_100_columns(self):
        text = self.succeed('list', 'attacks')
        self.assertIn('k = 0.2: share of the least likely tokens; k=sweep for 0.1, 0.2 … 1', text)
        self.assertIn('p=sweep for 1, 2, inf', text)
        self.assertLessEqual(max(len(line) for line in text.splitlines()), 100)

    def test_models_are_the_families_that_are_supported(self):
        text = self.succeed('list', 'models')
        self.assertRegex(text, r'\Afamily +models +what is supported\n')
        families = [line.split()[0] for line in text.splitlines()[2:]]
        # The same families as in the sentence on any other one.
        self.write_json('config.json', {'model_type': 'none'})
        known = re.search(r'expected one of ([^)]+)', self.succeed('model', self.folder))
        self.assertEqual(families, known[1].split(', '))
        self.assertLessEqual({'gpt2', 'llama', 'qwen3'}, set(families))

    def test_statistics(self):
        self.assertRegex(self.succeed('list', 'statistics'), r'\nmean +weighted mean')

    def test_handlers_with_their_keys(self):
        text = self.succeed('list', 'handlers')
        self.assertRegex(text, r'\nmia_min_k +AUC of the attack .*\n.*\n +k +share of the least likely tokens')
        handlers = [path.stem for path in (ROOT / 'palimpsest' / 'eval' / 'handlers').glob('*.cc')]
        self.assertIn('rouge', handlers)
        for name in (*handlers, *(f'mia_{attack}' for attack in self.attacks())):
            self.assertRegex(text, rf'\n{name} ')

    def test_data_sets_and_evaluators(self):
        self.assertRegex(self.succeed('list', 'datasets'), r'\nQADataset .*few_shot_dataset_hf_args')
        text = self.succeed('list', 'evaluators')
        self.assertRegex(text, r'\nTOFUEvaluator +TOFU_EVAL.json')
        self.assertNotIn('LMEval', text)

    def test_configurations_in_one_line_each(self):
        benchmarks = self.succeed('list', 'benchmarks')
        self.assertRegex(benchmarks, r'\Abenchmark \(eval=…\) +about\n')
        self.assertRegex(benchmarks, r'\ntofu +TOFU, the benchmark of fictitious authors')
        self.assertRegex(self.succeed('list', 'experiments'), r'\neval/tofu/quick +The same model')
        shipped = sorted((ROOT / 'configs').rglob('*.yaml'))
        rows = json.loads(self.succeed('list', 'configs', '--json'))['configs']
        self.assertEqual(len(rows), len(shipped))
        self.assertEqual(len(self.succeed('list', 'configs').splitlines()), len(shipped) + 2)
        for row in rows:
            self.assertTrue(row['about'], f'{row["group"]}/{row["name"]} does not say what it is')
            self.assertTrue((ROOT / 'configs' / row['group'] / f'{row["name"]}.yaml').exists(), row)

    def test_without_a_name_all_tables(self):
        tables = ('attacks', 'benchmarks', 'configs', 'datasets', 'evaluators', 'experiments', 'handlers', 'metrics',
                  'models', 'statistics')
        self.assertEqual(self.succeed('list'), '\n'.join(self.succeed('list', name) for name in tables))

    def test_unknown_table(self):
        self.assertRegex(self.refuse('list', 'colours'), '.colours. is not one of attacks, benchmarks, configs, datasets')


if __name__ == '__main__':
    unittest.main()
