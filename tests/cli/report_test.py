"""palimpsest report, end to end."""

import csv
import io
import json
import random
import unittest

from program import EXAMPLES, ProgramTest, on_terminal, same_bytes

QUICK = ['--bootstrap', '100']


def score_lines(count=200, shift=1.0, attack='loss', seed=1):
    rng = random.Random(seed)
    return [f'{i % 2},{rng.gauss(shift * (i % 2), 1):.4f},{attack}' for i in range(count)]


class ReportTest(ProgramTest):

    def write_scores(self, name='scores.csv'):
        return self.write(name, 'label,score,attack', *score_lines(), *score_lines(attack='zlib', seed=2))

    def read_csv(self, name):
        return list(csv.DictReader(io.StringIO((self.folder / name).read_text(encoding='utf-8'))))

    def write_run(self, name, shift):
        (self.folder / name).mkdir()
        rng = random.Random(5)
        base = [rng.random() for _ in range(100)]
        by_index = {str(i): {'rougeL_recall': value * shift} for i, value in enumerate(base)}
        mean = sum(entry['rougeL_recall'] for entry in by_index.values()) / 100
        self.write_json(f'{name}/TOFU_EVAL.json',
                        {'forget_Q_A_ROUGE': {'agg_value': mean, 'value_by_index': by_index}})

    def test_a_scores_file_gives_tables_and_figures(self):
        self.write_scores()
        printed = self.succeed('report', 'scores.csv', *QUICK, '--zoom', '1,0.1', '--epsilon-line', '1',
                               '--epsilon', '--out', 'out')
        self.assertIn('attack', printed.splitlines()[0])
        self.assertIn('Effective epsilon', printed)
        self.assertIn('Assumes: every score comes from a run of its own', printed)
        self.assertIn('effective_epsilon: the largest over the thresholds', printed)
        rows = self.read_csv('out/metrics.csv')
        self.assertEqual([row['attack'] for row in rows], ['loss', 'zlib'])
        for row in rows:
            self.assertLess(float(row['auc_low']), float(row['auc']))
            self.assertLess(float(row['auc']), float(row['auc_high']))
            self.assertAlmostEqual(float(row['privacy_gain']), 1 - float(row['mia_advantage']))
        epsilons = self.read_csv('out/effective_epsilon.csv')
        self.assertEqual({row['confidence'] for row in epsilons}, {'0.9', '0.95', '0.99'})
        self.assertTrue(all('(δ = 1e-05)' in row['assumption'] for row in epsilons))
        self.assertTrue(all(row['delta'] == '1e-05' for row in epsilons))
        for row in epsilons:
            self.assertGreaterEqual(float(row['epsilon_low']), 0)
            if row['method'] == 'two_step':
                self.assertLessEqual(float(row['epsilon_low']), float(row['epsilon_low_raw']))
        figures = {path.name for path in (self.folder / 'out' / 'figures').iterdir()}
        names = ('auc_by_attack', 'compare_attack_by_target_id', 'roc', 'roc_log', 'roc_zoom=0.1_high', 'roc_zoom=0.1_low',
                 'score_distributions')
        self.assertEqual(figures, {f'{name}.{kind}' for name in names for kind in ('svg', 'vl.json')})
        for name in names:
            self.assertIn('vega-lite/v5', self.read_json(f'out/figures/{name}.vl.json')['$schema'])

    def test_scores_of_one_model_give_no_epsilon_unless_asked_for(self):
        self.write_scores()
        printed = self.succeed('report', 'scores.csv', *QUICK, '--out', 'out')
        self.assertNotIn('psilon', printed)
        self.assertFalse((self.folder / 'out' / 'effective_epsilon.csv').exists())
        self.assertNotIn('effective_epsilon', self.read_csv('out/metrics.csv')[0])
        self.write('target.csv', 'label,score,attack,target_id', *[line + ',42' for line in score_lines()])
        self.assertIn('Effective epsilon', self.succeed('report', 'target.csv', *QUICK))

    def test_csv_for_spreadsheets(self):
        self.write('scores.csv', 'label,score,attack', *score_lines(attack='=1+1'))
        self.succeed('report', 'scores.csv', *QUICK, '--out', 'plain')
        self.assertEqual(self.read_csv('plain/metrics.csv')[0]['attack'], '=1+1')
        printed = self.succeed('report', 'scores.csv', *QUICK, '--csv-safe', '--format', 'csv', '--out', 'safe')
        self.assertEqual(self.read_csv('safe/metrics.csv')[0]['attack'], "'=1+1")
        self.assertIn("\n'=1+1,", printed)

    def test_the_same_call_gives_the_same_bytes(self):
        self.write_scores()
        self.succeed('report', 'scores.csv', *QUICK, '--out', 'a')
        self.succeed('report', 'scores.csv', *QUICK, '--out', 'b')
        for path in (self.folder / 'a').rglob('*.*'):
            other = self.folder / 'b' / path.relative_to(self.folder / 'a')
            self.assertEqual(same_bytes(path), same_bytes(other), path.name)

    def test_formats(self):
        self.write_scores()
        call = ['report', 'scores.csv', *QUICK, '--metrics', 'auc', '--format']
        self.assertTrue(self.succeed(*call, 'markdown').startswith('| attack | auc |\n|---|---:|\n| loss |'))
        self.assertTrue(self.succeed(*call, 'latex').startswith('% needs \\usepackage{booktabs}\n\\begin{tabular}{lr}\n\\toprule\n'))
        rows = list(csv.DictReader(io.StringIO(self.succeed(*call, 'csv'))))
        self.assertEqual(list(rows[0]), ['attack', 'auc', 'auc_low', 'auc_high'])
        self.assertEqual(json.loads(self.succeed(*call, 'json'))[1]['attack'], 'zlib')

    def test_a_terminal_is_not_steered(self):
        self.write('scores.csv', 'label,score,attack', *score_lines(attack='a\x1b\u009b\u202e'))
        for form in ('table', 'markdown', 'latex', 'csv', 'json'):
            call = ['report', 'scores.csv', *QUICK, '--format', form]
            self.assertNotRegex(on_terminal(call, cwd=self.folder), '[\x1b\u009b\u202e]', form)
        self.assertIn('a\x1b\u009b\u202e', self.succeed(*call[:-1], 'csv'))  # a file gets every byte

    def test_comparisons_of_any_column(self):
        lines = [f'{line},{"short" if i % 3 else "long"}' for i, line in enumerate(score_lines())]
        self.write('scores.csv', 'label,score,attack,length', *lines)
        self.succeed('report', 'scores.csv', *QUICK, '--compare', 'length', '--fix', 'attack', '--marker', 'attack',
                     '--disaggregate-by', 'length', '--curve-label', 'length', '--out', 'out')
        figures = {path.name for path in (self.folder / 'out' / 'figures').iterdir()}
        self.assertIn('compare_length_by_attack_attack=loss.svg', figures)
        self.assertIn('roc_length=short.vl.json', figures)

    def test_runs_stand_beside_each_other(self):
        self.write_run('original', 1.0)
        self.write_run('unlearned', 0.5)
        printed = self.succeed('report', 'original', 'unlearned', *QUICK, '--out', 'out')
        self.assertRegex(printed.splitlines()[3], r'^unlearned +0\.\d+✱ \(')
        self.assertIn('✱ differs from original (paired tests over clusters, Holm-corrected per metric, 95%)', printed)
        rows = self.read_csv('out/models.csv')
        self.assertEqual([row['forget_Q_A_ROUGE_differs'] for row in rows], ['0', '1'])

    def write_summary(self, name, **metrics):
        (self.folder / name).mkdir()
        self.write_json(f'{name}/TOFU_SUMMARY.json', metrics)

    def test_tables_as_papers_print_them(self):
        self.write_summary('original', forget_quality=4.3e-08, model_utility=0.76, forget_Q_A_ROUGE=0.96, other=1.5)
        self.write_summary('unlearned', forget_quality=0.25, model_utility=0.72, forget_Q_A_ROUGE=0.49, other=2.5)
        runs = ['report', 'original', 'unlearned', '--independent']
        self.assertEqual(self.succeed(*runs, '--preset', 'tofu'),
                         'model      Forget quality ↑  Model utility ↑  Forget ROUGE ↓\n'
                         '---------  ----------------  ---------------  --------------\n'
                         'original            4.3e-08             0.76            0.96\n'
                         'unlearned              0.25             0.72            0.49\n')
        self.assertEqual(self.succeed(*runs, '--columns', 'other,model_utility', '--models-as', 'columns'),
                         'metric         original  unlearned\n'
                         '-------------  --------  ---------\n'
                         'other               1.5        2.5\n'
                         'model_utility      0.76       0.72\n')
        self.assertIn('original & $4.3 \\times 10^{-8}$ & $0.760$',
                      self.succeed(*runs, '--preset', 'tofu', '--format', 'latex'))
        rows = json.loads(self.succeed(*runs, '--columns', 'other', '--json'))
        self.assertEqual(rows, [{'model': 'original', 'other': 1.5, 'flags': []},
                                {'model': 'unlearned', 'other': 2.5, 'flags': []}])
        self.assertIn("the table has no column 'utility'", self.refuse(*runs, '--columns', 'utility', '--out', 'out'))
        self.assertIn("no run has a metric of the preset 'muse'", self.refuse(*runs, '--preset', 'muse'))
        self.assertIn('--columns excludes --preset', self.refuse(*runs, '--preset', 'tofu', '--columns', 'other'))

    def test_no_line_is_wider_than_the_terminal(self):
        self.write_run('original', 1.0)
        self.write_run('unlearned', 0.5)
        arguments = ['report', 'original', 'unlearned', '--independent', *QUICK]
        piped = self.succeed(*arguments)

        def widest(text):
            return max(map(len, text.splitlines()))

        wide = on_terminal([*arguments, '--wide'], columns=50, cwd=self.folder)
        self.assertEqual(wide.replace('\x1b', ''), piped)
        for columns in (40, 60, 100):
            shown = on_terminal(arguments, columns=columns, cwd=self.folder)
            table = shown.split('\n\n')[0]
            self.assertLessEqual(widest(table), columns, shown)

    def test_nothing_is_said_of_epsilon_unless_asked(self):
        self.write_scores()
        done = self.run_program('report', 'scores.csv', *QUICK)
        self.assertNotIn('psilon', done.stdout + done.stderr)
        asked = self.run_program('report', 'scores.csv', *QUICK, '--metrics', 'effective_epsilon')
        self.assertIn('no epsilon for', asked.stderr)

    def test_examples_that_belong_together(self):
        self.write_run('original', 1.0)
        self.write_run('unlearned', 0.5)

        def width(*options):
            row = json.loads(self.succeed('report', 'original', 'unlearned', '--format', 'json', *options))[1]
            low, high = row['forget_Q_A_ROUGE_interval']
            return high - low, 'forget_Q_A_ROUGE_differs' in row

        self.assertEqual(width('--independent'), width())
        clustered, differs = width('--cluster-size', '50')
        self.assertGreater(clustered, width()[0])
        self.assertFalse(differs)  # two clusters cannot
        self.assertTrue(width('--cluster-size', '5')[1])
        self.refuse('report', 'original', '--cluster-size', '5', '--independent')
        self.refuse('report', 'original', '--cluster-size', '-5')

    def write_attack(self, name, parameters):
        (self.folder / name).mkdir()
        rng = random.Random(len(name))
        scores = {part: {str(i): {'score': rng.gauss(0, 1)} for i in range(30)} for part in ('forget', 'holdout')}
        self.write_json(f'{name}/TOFU_EVAL.json', {'mia_min_k': {
            'agg_value': 0.5, **{part: {'value_by_index': values} for part, values in scores.items()}}})
        self.write_json(f'{name}/TOFU_RUN.json', {'metrics': {'mia_min_k': {'agg_value': 0.5, **parameters}}})

    def test_other_parameters_are_not_compared(self):
        self.write_attack('a', {'parameters': {'k': 0.2}})
        self.write_attack('bb', {'parameters': {'k': 0.4}})
        self.write_attack('ccc', {})
        result = self.run_program('report', 'a', 'bb', '--independent')
        self.assertEqual(result.stdout.splitlines()[0].split()[1:], ['mia_min_k', 'mia_min_k', '(k=0.4)'])
        self.assertIn('mia_min_k was run with different parameters', result.stderr)
        result = self.run_program('report', 'bb', 'ccc', '--independent')
        self.assertEqual(result.stdout.splitlines()[0].split()[1:], ['mia_min_k', '(k=0.4)'])
        self.assertIn('not every run records the parameters of mia_min_k', result.stderr)

    def test_what_mia_wrote_is_read(self):
        traces = EXAMPLES / 'traces'
        self.succeed('mia', '--forget-traces', traces / 'forget.jsonl', '--holdout-traces',
                     traces / 'holdout.jsonl', '--out', 'run')
        row = json.loads(self.succeed('report', 'run', *QUICK, '--format', 'json'))[0]
        audit = self.read_json('run/mia.json')
        self.assertEqual(row['mia_loss'], audit['loss']['auc'])
        self.assertEqual(row['mia_loss_interval'], audit['loss']['auc_ci'])
        # It names the attack as the columns do.
        self.assertEqual(row['answer'], audit['audit']['answer'] | {'attack_name': 'mia_loss'})
        self.assertEqual(audit['audit']['answer']['attack_name'], 'loss')
        self.assertEqual(row['flags'], audit['audit']['flags'])
        self.assertEqual(row['verdict'], audit['audit']['answer']['verdict'])
        printed = self.succeed('report', 'run', *QUICK)
        self.assertIn(audit['audit']['answer']['sentence'][:40], printed)
        self.assertNotIn('psilon', printed)
        rows = list(csv.DictReader(io.StringIO(
            self.succeed('report', 'run/scores.csv', *QUICK, '--format', 'csv'))))
        self.assertEqual(float(rows[0]['auc']), audit['loss']['auc'])

    def test_models_can_be_named(self):
        traces = EXAMPLES / 'traces'
        for name in ('a', 'b'):
            (self.folder / name).mkdir()
            self.succeed('mia', '--forget-traces', traces / 'forget.jsonl', '--holdout-traces', traces / 'holdout.jsonl',
                         '--attacks', 'loss', '--out', f'{name}/audit')
        runs = ('report', 'a/audit', 'b/audit', *QUICK)
        # Folders of one name are told apart by as little of their paths as it takes.
        rows = json.loads(self.succeed(*runs, '--format', 'json'))
        self.assertEqual([row['model'] for row in rows], ['a/audit', 'b/audit'])
        self.assertEqual([[flag['code'] for flag in row['flags']] for row in rows], [['small_sample']] * 2)
        self.succeed(*runs, '--model-name', 'Model A,Model B', '--title', 'Case 17', '--out', 'named')
        page = (self.folder / 'named/report.html').read_text(encoding='utf-8')
        self.assertIn('<title>Case 17</title>', page)
        self.assertIn('Does Model A still remember what it was asked to forget?', page)
        self.assertIn('more names than models', self.refuse(*runs, '--model-name', 'A,B,C', '--out', 'no'))
        self.assertIn('two models have the same name', self.refuse(*runs, '--model-name', 'A,A', '--out', 'no'))

    def test_an_audit_has_one_page(self):
        traces = EXAMPLES / 'traces'
        self.succeed('mia', '--forget-traces', traces / 'forget.jsonl', '--holdout-traces',
                     traces / 'holdout.jsonl', '--attacks', 'loss,min_k', '-k', '0.3', '--cluster-size', '2', '--out', 'run')
        self.succeed('report', 'run', *QUICK, '--out', 'again')
        self.assertEqual(same_bytes(self.folder / 'again/report.html'), same_bytes(self.folder / 'run/report.html'))

    def test_labels_of_several_classes(self):
        self.write('scores.csv', 'label,prediction,sensitive_attribute', 'red,red,colour', 'blue,red,colour')
        printed = self.succeed('report', 'scores.csv', '--metrics', 'accuracy', '--bootstrap', '0', '--format', 'csv')
        self.assertEqual(printed, 'accuracy\n0.5\n')
        printed = self.succeed('report', 'scores.csv', '--positive-label', 'red', '--bootstrap', '0', '--metrics',
                               'true_positive_rate', '--format', 'csv')
        self.assertEqual(printed, 'true_positive_rate\n1\n')


class ReportErrorTest(ProgramTest):

    def refuse_scores(self, *lines, options=()):
        self.write('scores.csv', *lines)
        return self.refuse('report', 'scores.csv', '--out', 'out', *options)

    def test_files_that_are_no_scores(self):
        self.assertRegex(self.refuse_scores('score,attack', '1,a'), "^scores.csv:1: there is no column 'label'")
        self.assertRegex(self.refuse_scores('label,attack', '1,a'), "^scores.csv:1: there is neither a column 'score'")
        self.assertEqual(self.refuse_scores('label,score'), 'scores.csv: the file has a header line but no rows')
        self.assertRegex(self.refuse_scores('label,score', '1,0.5', ',0.5'), '^scores.csv:3: the label is missing')
        self.assertRegex(self.refuse_scores('label,score', '1,0.5', '0,NaN'),
                         "^scores.csv:3: the score is not a finite number .found 'NaN'")
        self.assertRegex(self.refuse_scores('label,score', '1,0.5', '2,0.5'),
                         "^scores.csv:3: a label is neither 0 nor 1 .found '2'.; say with --positive-label")

    def test_columns_that_are_not_there(self):
        lines = ['label,score,attack', *score_lines(20)]
        self.assertRegex(self.refuse_scores(*lines, options=['--compare', 'author']),
                         "^scores.csv:1: there is no column 'author'")
        self.assertRegex(self.refuse_scores(*lines, options=['--compare', 'generator']),
                         "^--compare: there is no column 'generator'")
        self.assertRegex(self.refuse_scores(*lines, options=['--fix', 'attack']), '--fix and --marker need --compare')

    def test_options_out_of_range(self):
        lines = ['label,score,attack', *score_lines(20)]
        for options, message in [
                (['--format', 'html'], "there is no format 'html'"),
                (['--metrics', 'f1'], "there is no metric 'f1'"),
                (['--zoom', '0'], 'the zoom 0 is out of range'),
                (['--zoom', '1e-17'], 'the zoom 1e-17 is out of range (expected a number from 1e-10 to 1)'),
                (['--cluster-size', '0'], '--cluster-size: the size of a cluster must be at least 1 (found 0)'),
                (['--cluster-size', '-1'], 'the size of a cluster must be at least 1'),
                (['--epsilon-line', '-1'], 'the epsilon -1'),
                (['--validation-split', '1'], 'the validation split 1'),
                (['--confidence', '2'], '2'),
                (['--heuristic', 'best'], "--heuristic: 'best' is unknown"),
                (['--bootstrap', '-5'], '-5 bootstrap resamples'),
                (['--bootstrap', '99999999999'], '99999999999 bootstrap resamples are too many'),
                (['--delta', '1'], '1'),
        ]:
            self.assertIn(message, self.refuse_scores(*lines, options=options))

    def test_no_such_input(self):
        self.assertRegex(self.refuse('report', 'no.csv'), '^no.csv: the file cannot be read')
        (self.folder / 'empty').mkdir()
        self.assertRegex(self.refuse('report', 'empty'), '^empty: the folder holds no results')
        self.assertRegex(self.refuse('report'), 'INPUT is required')
        (self.folder / 'loop').symlink_to('loop')
        self.assertRegex(self.refuse('report', 'loop'), '^loop: the file cannot be read: Too many levels of symbolic links')
        self.assertRegex(self.refuse('report', 'x' * 300), '^x+: the file cannot be read: File name too long')
        self.assertIn('loop: the folder cannot be made', self.refuse('report', 'loop', '--out', 'loop'))

    def test_a_file_that_is_given_twice_counts_twice_and_is_named(self):
        self.write('scores.csv', 'label,score,attack', *score_lines(20))
        done = self.run_program('report', 'scores.csv', './scores.csv', *QUICK)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('./scores.csv is given more than once and counts each time', done.stderr)

    def test_names_of_a_run_that_lead_nowhere(self):
        (self.folder / 'run').mkdir()
        (self.folder / 'run' / 'loop.json').symlink_to('loop.json')
        metric = {'agg_value': 0.5, 'value_by_index': {'0': {'score': 0.5}, '1': {'score': 0.5}}}
        self.write_json('run/TOFU_EVAL.json', {'my_metric': metric})
        source = {'agg_value': 0.5, 'traces': {'forget': 'x' * 300}}
        self.write_json('run/TOFU_RUN.json', {'palimpsest_run': 2, 'complete': True, 'metrics': {'my_metric': source}})
        self.assertIn('my_metric', self.succeed('report', 'run', '--independent', '--out', 'page'))
        (self.folder / 'run' / 'TOFU_RUN.json').unlink()
        (self.folder / 'run' / 'TOFU_RUN.json').symlink_to('TOFU_RUN.json')
        self.assertRegex(self.refuse('report', 'run'), '^run/TOFU_RUN.json: the file cannot be read')


if __name__ == '__main__':
    unittest.main()
