"""The configuration part of palimpsest eval, end to end."""

import os
import subprocess
import unittest

from program import ProgramTest, on_terminal


class EvalConfigurationTest(ProgramTest):

    def setUp(self):
        super().setUp()
        (self.folder / 'conf' / 'g').mkdir(parents=True)
        self.write('conf/eval.yaml', 'defaults:', '  - g: a', '  - _self_', 'k: 1', 'copy: ${g.x}', 'cwd: ${hydra:runtime.cwd}',
                   'home: ${oc.env:PALIMPSEST_TEST_HOME}', 'needed: ???')
        self.write('conf/g/a.yaml', 'x: [1, 2]')
        self.write('conf/g/b.yaml', 'x: b')
        self.environment = {'PALIMPSEST_TEST_HOME': 'here'}

    def print_config(self, *args):
        return self.succeed('eval', '--config-dir', 'conf', '--cfg', 'job', *args)

    def test_prints_the_configuration_as_written(self):
        self.assertEqual(self.print_config('k=2'),
                         'g:\n  x:\n  - 1\n  - 2\nk: 2\ncopy: ${g.x}\ncwd: ${hydra:runtime.cwd}\n'
                         'home: ${oc.env:PALIMPSEST_TEST_HOME}\nneeded: ???\n')

    def test_prints_it_resolved(self):
        self.assertEqual(self.print_config('--resolve', 'g=b', 'needed=x'),
                         f'g:\n  x: b\nk: 1\ncopy: b\ncwd: {self.folder.resolve()}\nhome: here\nneeded: x\n')

    def test_prints_a_part(self):
        self.assertEqual(self.print_config('--package', 'g.x'), '# @package g.x\n- 1\n- 2\n')
        self.assertIn("there is no 'g.y'", self.refuse('eval', '--config-dir', 'conf', '--cfg', 'job', '--package', 'g.y'))

    def test_sweeps(self):
        text = self.print_config('-m', '--package', 'k', 'k=5,6', 'g=a,b')
        self.assertEqual(text.count('---\n'), 3)
        self.assertIn('multirun', self.refuse('eval', '--config-dir', 'conf', 'k=5,6'))

    def test_a_terminal_is_not_steered(self):
        self.write('conf/g/b.yaml', 'x: "a\u202eb\u009b"')
        text = on_terminal(['eval', '--config-dir', 'conf', '--cfg', 'job', 'g=b'], cwd=self.folder)
        self.assertNotRegex(text, '[\u202e\u009b]')

    def test_a_working_directory_that_was_removed(self):
        (self.folder / 'gone').mkdir()
        done = subprocess.run(['bash', '-c', 'cd gone && rmdir ../gone && exec "$@"', 'bash', os.environ['PALIMPSEST'], 'eval',
                               '--config-dir', self.folder / 'conf', '--cfg', 'job'], cwd=self.folder, check=False,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, r'\Apalimpsest: the working directory does not exist: [^\n]+\n\Z')

    def test_mistakes(self):
        def refusal(*args):
            return self.refuse('eval', '--config-dir', 'conf', '--cfg', 'job', *args)
        self.assertIn("the group 'g' has no option 'c' (expected one of a, b)", refusal('g=c'))
        self.assertIn("there is no key 'kk'", refusal('kk=1'))
        self.assertIn("there is no =", refusal('k'))
        self.assertIn('there is no config', refusal('--config-name', 'absent'))
        self.assertIn('does not exist', self.refuse('eval', '--config-dir', 'absent', '--cfg', 'job'))
        self.write('conf/g/broken.yaml', 'x: 1', 'x: 2')
        self.assertIn("conf/g/broken.yaml:2: the key 'x' occurs twice", refusal('g=broken'))

    def test_the_configurations_that_ship(self):
        text = self.succeed('eval', '--cfg', 'job', '--resolve', 'experiment=eval/tofu/default', 'task_name=t')
        self.assertIn('handler: TOFUEvaluator\n', text)
        self.assertIn('output_dir: ./saves/eval/t\n', text)


if __name__ == '__main__':
    unittest.main()
