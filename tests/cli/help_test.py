"""Help, corrections, completion, colours and verbosity: what every command has."""

import json
import re
import subprocess
import unittest

from program import EXAMPLES, ProgramTest, on_terminal

TRACES = EXAMPLES / 'traces'
MIA = ['mia', '--forget-traces', TRACES / 'forget.jsonl', '--holdout-traces', TRACES / 'holdout.jsonl']
RED = '\x1b[1;31m'


class HelpTest(ProgramTest):

    def commands(self):
        listed = self.succeed('help').split('\nCommands:\n')[1].split('\n\n')[0]
        return re.findall(r'^  ([\w-]+)  ', listed, re.MULTILINE)

    def test_every_command_has_help(self):
        commands = self.commands()
        self.assertIn('import', commands)
        for command in commands:
            with self.subTest(command):
                text = self.succeed('help', command)
                self.assertEqual(text, self.succeed(command, '--help'))
                self.assertIn(f'Usage: palimpsest {command}', text)
                self.assertIn('\nGeneral:\n', text)
                self.assertLessEqual(max(map(len, text.splitlines())), 80)
        self.assertIn('Usage: palimpsest lab train', self.succeed('help', 'lab', 'train'))

    def test_exit_statuses_are_in_the_help(self):
        text = self.succeed('help')
        for status in ('0 ', '1 ', '2 ', '3 ', '130', '143'):
            self.assertRegex(text, rf'(?m)^  {status} ')

    def test_misspelt_names_are_corrected(self):
        self.assertEqual(self.refuse('metric'),
                         "there is no command 'metric'; did you mean 'metrics'? `palimpsest help` lists the commands")
        self.assertIn("did you mean '--holdout-traces'", self.refuse('mia', '--holdout-trace', 'x'))
        self.assertIn("did you mean 'attacks'", self.refuse('list', 'atacks'))
        self.assertIn("did you mean 'unlearn'", self.refuse('help', 'lab', 'unlern'))
        self.assertIn('palimpsest needs a command', self.refuse())

    def test_quiet_and_verbose_stand_anywhere(self):
        for arguments in (['--quiet', 'merge'], ['merge', '--quiet']):
            self.assertIn('FILE is required', self.refuse(*arguments))
        data = EXAMPLES / 'metrics' / 'client_a.jsonl'
        run = ['metrics', '--data', data, '--metric', 'accuracy', '--out', 'a.json']
        self.assertEqual(self.run_program(*run, '--quiet').stderr, '')
        self.assertIn('the statistics are in a.json', self.run_program(*run).stderr)
        verbose = self.run_program(*run, '--verbose').stderr
        self.assertRegex(verbose, r'debug: took [\d.]+ s, .* MiB of memory')

    def test_colours(self):
        plain = self.succeed(*MIA)
        self.assertNotIn('\x1b', plain)
        self.assertTrue(plain.startswith('REMEMBERED. '))
        colored = self.succeed(*MIA, '--color', 'always')
        self.assertTrue(colored.startswith(RED + 'REMEMBERED\x1b[0m. '))
        self.assertEqual(re.sub(r'\x1b\[[\d;]*m', '', colored), plain)
        self.assertTrue(on_terminal(MIA).startswith(RED))
        self.assertNotIn('\x1b', on_terminal(MIA, environment={'NO_COLOR': '1'}))
        self.assertNotIn('\x1b', on_terminal([*MIA, '--color', 'never']))
        self.assertTrue(on_terminal([*MIA, '--color', 'always'], environment={'NO_COLOR': '1'}).startswith(RED))
        self.assertIn('is not one of auto, always, never', self.refuse('list', '--color', 'sometimes'))

    def test_results_as_json(self):
        self.assertIn('loss', [row['name'] for row in json.loads(self.succeed('list', 'attacks', '--json'))['attacks']])
        self.assertEqual(len(json.loads(self.succeed('list', '--json'))), 10)
        made = json.loads(self.succeed('lab', 'data', '--authors', '20', '--out', 'lab', '--json'))
        self.assertEqual(made['out'], 'lab')
        trained = json.loads(self.succeed('lab', 'train', '--data', 'lab/full.json', '--tokenizer', 'lab/tokenizer', '--epochs',
                                          '0', '--layers', '1', '--width', '16', '--heads', '2', '--mlp', '16', '--out', 'm',
                                          '--json', '--quiet'))
        self.assertFalse(trained['reused'])
        traced = json.loads(self.succeed('trace', '--model', 'm', '--data', 'lab/forget10.json', '--out', 't.jsonl', '--json',
                                         '--quiet'))
        self.assertGreater(traced['tokens'], 0)

    def test_bash_completes(self):
        self.write('complete.bash', self.succeed('completion', 'bash'))
        cases = [(['palimpsest', 'mi'], {'mia'}),
                 (['palimpsest', 'lab', 't'], {'train'}),
                 (['palimpsest', 'mia', '--forget'], {'--forget', '--forget-traces'}),
                 (['palimpsest', 'mia', '--device', 'c'], {'cpu', 'cuda'}),
                 (['palimpsest', 'import', '--format', 'v'], {'vllm'}),
                 (['palimpsest', 'completion', ''], {'bash', 'zsh', '--help', '-h', '--quiet', '--verbose', '--color'}),
                 (['palimpsest', 'mia', '--out', 'x'], set())]
        for words, expected in cases:
            with self.subTest(words=words):
                quoted = ' '.join(f"'{word}'" for word in words)
                script = (f'source complete.bash; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _palimpsest; '
                          'printf "%s\\n" "${COMPREPLY[@]}"')
                done = subprocess.run(['bash', '-c', script], cwd=self.folder, capture_output=True, text=True, check=True)
                self.assertEqual(set(done.stdout.split()), expected)

    def test_zsh_completion_is_a_script(self):
        script = self.succeed('completion', 'zsh')
        self.assertTrue(script.startswith('#compdef palimpsest\n'))
        for command in self.commands():
            self.assertIn(f'_palimpsest_{command}() {{', script)


if __name__ == '__main__':
    unittest.main()
