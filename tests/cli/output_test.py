"""What becomes of results on standard output that cannot be written."""

import os
import subprocess
import unittest

from program import EXAMPLES, ProgramTest

TRACES = EXAMPLES / 'traces'
MIA = ['mia', '--forget-traces', TRACES / 'forget.jsonl', '--holdout-traces', TRACES / 'holdout.jsonl']
LOST = r'(?m)^palimpsest: standard output cannot be written, so results are lost: No space left on device$'
COMMANDS = [
    ['--version'],
    ['--help'],
    ['list', 'attacks'],
    ['help', 'mia'],
    ['completion', 'bash'],
    ['model', EXAMPLES / 'tiny-model'],
    ['generate', '--model', EXAMPLES / 'tiny-model', '--prompt', 'In a'],
    ['tokenize', '--model', EXAMPLES / 'tiny-tokenizer', '--pair', 'near', 'near the'],
    ['metrics', '--data', EXAMPLES / 'metrics' / 'client_a.jsonl', '--metric', 'accuracy'],
    [*MIA, '--json'],
    ['convert', TRACES / 'forget.jsonl', 'out.safetensors'],
    ['import', '--format', 'vllm', EXAMPLES / 'service' / 'log.jsonl', '--out', 'out.jsonl'],
    ['plan', '--forget-traces', TRACES / 'forget.jsonl', '--holdout-traces', TRACES / 'holdout.jsonl', '--json', '--out', 'plan.json'],
    ['model', EXAMPLES / 'tiny-model', '--random-init', 'random'],
    ['eval', '--cfg', 'job', 'experiment=eval/tofu/default', 'task_name=x'],
]


class OutputTest(ProgramTest):

    def run_into(self, output, args):
        return subprocess.run([os.environ['PALIMPSEST'], *map(str, args)], cwd=self.folder, stdout=output,
                              stderr=subprocess.PIPE, text=True, check=False, timeout=600)

    def test_a_full_disk_is_a_failed_run(self):
        for args in COMMANDS:
            with self.subTest(args[0]), open('/dev/full', 'w', encoding='utf-8') as full:
                done = self.run_into(full, args)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertRegex(done.stderr, LOST)

    def test_a_gate_does_not_hide_that_results_are_lost(self):
        with open('/dev/full', 'w', encoding='utf-8') as full:
            done = self.run_into(full, ['--quiet', *MIA, '--independent', '--fail-on', 'remembered'])
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, LOST)

    def test_a_limit_of_the_file_size_is_a_failed_run(self):
        for limit in (0, 1, 4, 40):  # KiB; the first one stops the lock
            with self.subTest(limit):
                done = subprocess.run(['bash', '-c', f'ulimit -f {limit}; exec "$@"', 'bash', os.environ['PALIMPSEST'], '--quiet',
                                       *map(str, MIA), '--independent', '--out', 'out'], cwd=self.folder, capture_output=True,
                                      text=True, check=False)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertRegex(done.stderr, r'\Apalimpsest: [^\n]+ cannot be written: File too large\n\Z')
                left = [path.name for path in self.folder.rglob('*')]
                self.assertFalse([name for name in left if name.endswith(('.lock', '.partial'))], left)

    def test_too_few_open_files_are_a_failed_run(self):
        for limit in (4, 5, 6, 7, 8):
            with self.subTest(limit):
                done = subprocess.run(['bash', '-c', f'ulimit -n {limit}; exec "$@"', 'bash', os.environ['PALIMPSEST'], '--quiet',
                                       *map(str, MIA), '--independent', '--out', 'out'], cwd=self.folder, capture_output=True,
                                      text=True, check=False)
                if limit > 4 and done.returncode == 0:
                    continue  # these were enough
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertRegex(done.stderr, r'\Apalimpsest: [^\n]+: Too many open files\n\Z')

    def test_messages_that_cannot_be_written_change_no_status(self):
        for args, status in ((['list', 'nothing'], 2), (['list', 'attacks'], 0)):
            with self.subTest(args), open('/dev/full', 'w', encoding='utf-8') as full:
                done = subprocess.run([os.environ['PALIMPSEST'], *args], stdout=subprocess.DEVNULL, stderr=full, check=False)
                self.assertEqual(done.returncode, status)
        with open('/dev/full', 'w', encoding='utf-8') as full:
            done = subprocess.run([os.environ['PALIMPSEST'], 'list', 'attacks'], stdout=full, stderr=full, check=False)
            self.assertEqual(done.returncode, 1)

    def test_closed_descriptors_are_not_those_of_results(self):
        # A file that is opened then must not get the number of standard output or error: messages would go into it.
        trace = ['trace', '--model', EXAMPLES / 'tiny-model', '--data', EXAMPLES / 'data' / 'questions.jsonl', '--out']
        self.succeed(*trace, 'whole.jsonl')
        expected = (self.folder / 'whole.jsonl').read_bytes()
        for closed, status in (((0,), 0), ((1,), 1), ((2,), 0), ((1, 2), 1), ((0, 1, 2), 1)):
            with self.subTest(closed):
                shell = ' '.join(f'{descriptor}>&-' for descriptor in closed)
                done = subprocess.run(['sh', '-c', f'exec "$@" {shell}', 'sh', os.environ['PALIMPSEST'], *map(str, trace),
                                       'out.jsonl'], cwd=self.folder, check=False, capture_output=True)
                self.assertEqual(done.returncode, status, done.stderr)
                self.assertEqual((self.folder / 'out.jsonl').read_bytes(), expected)
                (self.folder / 'out.jsonl').unlink()
        # Nothing can be read from a closed descriptor.
        done = subprocess.run(['sh', '-c', 'exec "$@" 0<&-', 'sh', os.environ['PALIMPSEST'], 'metrics', '--data', '-', '--metric',
                               'accuracy'], check=False, capture_output=True, text=True)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, r'\Apalimpsest: [^\n]+\n\Z')

    def test_a_reader_that_has_seen_enough_is_none(self):
        for args in COMMANDS:
            with self.subTest(args[0]):
                reading, writing = os.pipe()
                os.close(reading)
                with os.fdopen(writing, 'w') as pipe:
                    done = self.run_into(pipe, args)
                self.assertIn(done.returncode, (0, -13), done.stderr)  # 13: SIGPIPE
                self.assertNotIn('palimpsest: ', done.stderr)


if __name__ == '__main__':
    unittest.main()
