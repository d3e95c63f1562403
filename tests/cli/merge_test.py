"""palimpsest merge, end to end."""

import os
import subprocess
import unittest

from program import EXAMPLES, ProgramTest

METRICS = ['--metric', 'accuracy', '--metric', 'confusion_matrix:num_classes=3']


def stat_file(**stats):
    return {'palimpsest_stat': 1, 'stats': stats}


def mean(accum, weight):
    return {'type': 'mean', 'accum': accum, 'weight': weight}


class MergeTest(ProgramTest):

    def test_clients_merge_to_what_their_data_give_together(self):
        text = ''
        for client in ('client_a', 'client_b'):
            data = EXAMPLES / 'metrics' / f'{client}.jsonl'
            text += data.read_text()
            self.succeed('metrics', '--data', data, *METRICS, '--out', f'{client}.json')
        self.succeed('metrics', '--data', '-', *METRICS, '--out', 'together.json', stdin=text)
        printed = self.succeed('merge', 'client_a.json', 'client_b.json', '--out', 'merged.json')
        self.assertEqual(self.read_json('merged.json'), self.read_json('together.json'))
        self.assertEqual(printed,
                         'metric       value  weight\n'
                         '--------  --------  ------\n'
                         'accuracy  0.666667      12\n'
                         '\n'
                         'confusion_matrix:num_classes=3\n'
                         '   0  1  2\n'
                         '-  -  -  -\n'
                         '0  3  1  0\n'
                         '1  1  3  0\n'
                         '2  1  1  2\n')

    def test_one_file_is_merged_with_nothing(self):
        self.write_json('a.json', stat_file(accuracy=mean([3, 0], [4, 0])))
        self.assertEqual(self.succeed('merge', 'a.json'),
                         'metric    index  value  weight\n'
                         '--------  -----  -----  ------\n'
                         'accuracy      0   0.75       4\n'
                         'accuracy      1    n/a       0\n')

    def test_what_is_no_file_is_refused(self):
        done = subprocess.run(['bash', '-c', 'exec "$0" merge <(echo 1) <(echo 2)', os.environ['PALIMPSEST']], check=False,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, r'\Apalimpsest: \S+: this is a pipe, not a file; [^\n]+\n\Z')
        (self.folder / 'loop').symlink_to('loop')
        for name, why in (('loop', 'Too many levels of symbolic links'), ('x' * 300, 'File name too long')):
            self.assertIn(f'the file cannot be read: {why}', self.refuse('merge', name, name))
            self.assertIn('the folder does not exist', self.refuse('merge', 'a.json', '--out', f'{name}/out.json'))

    def test_json(self):
        self.write_json('a.json', stat_file(accuracy=mean(1, 2)))
        self.write_json('b.json', stat_file(accuracy=mean(2, 3)))
        printed = self.succeed('merge', 'a.json', 'b.json', '--json', '--out', 'm.json')
        self.assertEqual(printed, (self.folder / 'm.json').read_text())
        self.assertEqual(self.read_json('m.json')['results'], {'accuracy': 0.6})

    def test_the_order_of_the_files_does_not_matter(self):
        for i in range(3):
            self.write_json(f'{i}.json', stat_file(a=mean(i, 2), b={'type': 'sum', 'accum': i}))
        self.assertEqual(self.succeed('merge', '0.json', '1.json', '2.json', '--json'),
                         self.succeed('merge', '2.json', '0.json', '1.json', '--json'))

    def test_a_file_that_is_given_twice_is_warned_about(self):
        self.write_json('a.json', stat_file(accuracy=mean(1, 2)))
        done = self.run_program('merge', 'a.json', './a.json')
        self.assertEqual(done.returncode, 0)
        self.assertIn('./a.json is given more than once and counts each time', done.stderr)
        self.assertIn('0.5       4', done.stdout)


class MergeErrorTest(ProgramTest):

    def setUp(self):
        super().setUp()
        self.write_json('a.json', stat_file(accuracy=mean(1, 2)))

    def refuse_second(self, value):
        self.write_json('b.json', value)
        return self.refuse('merge', 'a.json', 'b.json', '--out', 'm.json')

    def test_files_that_do_not_belong_together(self):
        self.assertEqual(
            self.refuse_second(stat_file(loss=mean(1, 2))),
            'b.json: the files do not hold the same metrics (expected accuracy, found loss); '
            'merge files that were made with the same --metric options')
        self.assertEqual(
            self.refuse_second(stat_file(accuracy=mean([1, 2], [2, 3]))),
            'b.json: accuracy: statistics of the shapes [] and [2] do not merge')
        self.assertEqual(
            self.refuse_second(stat_file(accuracy={'type': 'sum', 'accum': 3})),
            "b.json: accuracy: statistics of the types 'mean' and 'sum' do not merge")

    def test_files_that_are_no_statistics(self):
        self.assertEqual(
            self.refuse_second({'palimpsest_stat': 2, 'stats': {}}),
            'b.json: this statistics file is of a newer version (expected version 1, found 2); '
            'read it with the version of palimpsest that wrote it, or a later one')
        self.assertRegex(self.refuse_second({'accuracy': 0.5}),
                         '^b.json: this is not a statistics file')
        self.assertRegex(self.refuse_second(stat_file(accuracy={'type': 'median'})),
                         "^b.json: accuracy: unknown type of statistic 'median'")
        self.assertRegex(self.refuse_second(stat_file(accuracy=mean(1, -2))),
                         "^b.json: accuracy: the field 'weight' holds -2")
        self.write('b.json', '{"palimpsest_stat": 1,')
        self.assertRegex(self.refuse('merge', 'a.json', 'b.json'), '^b.json: this is not valid JSON')

    def test_no_such_file(self):
        self.assertEqual(self.refuse('merge', 'a.json', 'no.json'),
                         'no.json: the file cannot be read: No such file or directory')
        self.assertRegex(self.refuse('merge'), 'FILE is required')


if __name__ == '__main__':
    unittest.main()
