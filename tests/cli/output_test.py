"""What becomes of results on standard output that cannot be written."""

import os
import subprocess
import unittest

from program import EXAMPLES, ProgramTest

TRACES = EXAMPLES / 'traces'
COMMANDS = [
    ['--version'],
    ['--help'],
    ['list', 'attacks'],
    ['model', EXAMPLES / 'tiny-model'],
    ['generate', '--model', EXAMPLES / 'tiny-model', '--prompt', 'In a'],
    ['tokenize', '--model', EXAMPLES / 'tiny-tokenizer', '--pair', 'near', 'near the'],
    ['metrics', '--data', EXAMPLES / 'metrics' / 'client_a.jsonl', '--metric', 'accuracy'],
    ['mia', '--forget-traces', TRACES / 'forget.jsonl', '--holdout-traces', TRACES / 'holdout.jsonl', '--json'],
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
                self.assertIn('palimpsest: ', done.stderr)
                self.assertIn('No space left on device', done.stderr)

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
