"""Two runs into one place: the second is refused, says who is there, and leaves nothing."""

import contextlib
import fcntl
import json
import unittest

from checkpoint import TINY_MODEL
from program import EXAMPLES, ROOT, ProgramTest

QUESTIONS = EXAMPLES / 'data' / 'questions.jsonl'
TRACES = ROOT / 'tests' / 'golden' / 'formats' / '0.2' / 'traces'
CLIENT = EXAMPLES / 'metrics' / 'client_a.jsonl'
RESPONSES = EXAMPLES / 'service' / 'log.jsonl'
TRAIN = ('lab', 'train', '--data', QUESTIONS, '--tokenizer', TINY_MODEL, '--out', 'new/model')
UNLEARN = ('lab', 'unlearn', '--model', TINY_MODEL, '--forget', QUESTIONS, '--retain', QUESTIONS, '--out', 'new/model')


class LockTest(ProgramTest):

    @contextlib.contextmanager
    def held(self, name):
        """Another run, on another machine, holds the lock."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, 'w', encoding='utf-8') as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            json.dump({'host': 'elsewhere', 'pid': 12345, 'command': 'palimpsest eval'}, file)
            file.flush()
            yield
            path.unlink()

    def expect_refusal(self, lock, *command):
        with self.held(lock):
            before = sorted(self.folder.rglob('*'))
            message = self.refuse('--quiet', *command)
            self.assertIn('another run (`palimpsest eval`, process 12345 on host elsewhere) is writing to this', message)
            self.assertEqual(sorted(self.folder.rglob('*')), before)

    def mia(self, out):
        return ('mia', '--forget-traces', TRACES / 'forget.jsonl', '--holdout-traces', TRACES / 'holdout.jsonl',
                '--attacks', 'loss', '--out', out)

    def test_commands_that_write_into_a_folder(self):
        self.succeed('--quiet', *self.mia('run'))
        for command in (self.mia('out'), ('report', 'run', '--out', 'out'), ('demo', '--out', 'out'),
                        ('lab', 'data', '--out', 'out')):
            with self.subTest(command[:2]):
                self.expect_refusal('out/.palimpsest.lock', *command)
        # Afterwards the same commands go through and leave no lock.
        for command in (self.mia('out'), ('report', 'run', '--out', 'page')):
            self.succeed('--quiet', *command)
        self.assertFalse(list(self.folder.rglob('*.lock')))

    def test_commands_that_write_one_file(self):
        metrics = ('metrics', '--data', CLIENT, '--metric', 'accuracy')
        of_model = ('metrics', '--model', TINY_MODEL, '--data', QUESTIONS, '--metric', 'sequence_token_accuracy')
        plan = ('plan', '--forget-traces', TRACES / 'forget.jsonl', '--holdout-traces', TRACES / 'holdout.jsonl', '--independent')
        for command in (('trace', '--model', TINY_MODEL, '--data', QUESTIONS, '--out', 'out.jsonl'),
                        ('generate', '--model', TINY_MODEL, '--prompt', 'Where', '--max-new-tokens', 2, '--out', 'out.jsonl'),
                        ('convert', TRACES / 'forget.jsonl', 'out.jsonl'),
                        ('import', '--format', 'openai-completions', RESPONSES, '--out', 'out.jsonl'),
                        (*plan, '--out', 'out.jsonl'), (*of_model, '--out', 'out.jsonl'), (*metrics, '--out', 'out.jsonl'),
                        ('merge', 'out.jsonl', 'out.jsonl', '--out', 'out.jsonl')):  # of what metrics wrote
            with self.subTest(command[0]):
                self.expect_refusal('.out.jsonl.palimpsest.lock', *command)
                self.succeed('--quiet', *command)
        self.assertEqual([path.name for path in self.folder.iterdir()], ['out.jsonl'])

    def test_parts_are_gathered_by_one(self):
        self.succeed('--quiet', 'trace', '--model', TINY_MODEL, '--data', QUESTIONS, '--out', 'out.jsonl', '--shard', '1/2')
        self.expect_refusal('all/.palimpsest.lock', 'gather-parts', 'out.jsonl.run', '--out', 'all')

    def test_models_of_the_lab(self):
        for command in (TRAIN, UNLEARN, ('model', TINY_MODEL, '--random-init', 'new/model')):
            with self.subTest(command[1]):
                self.expect_refusal('new/.model.palimpsest.lock', *command)

    def test_traces_of_an_audit_are_locked_too(self):
        self.expect_refusal('out/traces/.palimpsest.lock', 'mia', '--model', TINY_MODEL, '--forget', QUESTIONS, '--holdout',
                            self.write('other.jsonl', '{"question": "Where", "answer": "near the river"}'), '--out', 'out')

    def test_a_call_that_is_refused_later_leaves_no_folder(self):
        for command in (('mia', '--forget-traces', 'absent', '--holdout-traces', 'absent', '--out', 'a/b'),
                        ('report', 'absent.csv', '--out', 'a/b'),
                        ('lab', 'data', '--authors', '0', '--out', 'a/b'),
                        ('lab', 'train', '--data', 'absent', '--tokenizer', TINY_MODEL, '--out', 'a/b')):
            with self.subTest(command[:2]):
                self.refuse('--quiet', *command)

    def test_unfinished_files_of_killed_runs_go(self):
        self.succeed('--quiet', *self.mia('out'))
        (self.folder / 'out' / 'figures').mkdir(exist_ok=True)
        names = ('out/.mia.json.7.partial', 'out/figures/.roc.vl.json.7.partial')
        for name in names:
            self.write(name, 'half')
        self.succeed('--quiet', *self.mia('out'))
        for name in names:
            self.assertFalse((self.folder / name).exists(), name)


if __name__ == '__main__':
    unittest.main()
