"""What results are not written to: an input of the same call, a folder in place of a file, an empty path."""

import os
import shutil
import unittest

from checkpoint import TINY_MODEL, Checkpoint
from program import EXAMPLES, GOLDEN_MODELS, ProgramTest

QUESTIONS = EXAMPLES / 'data' / 'questions.jsonl'
TRACES = EXAMPLES / 'traces'
CLIENT = EXAMPLES / 'metrics' / 'client_a.jsonl'
RESPONSES = EXAMPLES / 'service' / 'log.jsonl'
IMPORT = ('import', '--format', 'openai-completions')
PLAN = ('plan', '--independent')
METRICS = ('metrics', '--metric', 'accuracy')


class OutTest(ProgramTest):

    def copy(self, source, name):
        shutil.copy(source, self.folder / name)
        return name

    def expect_kept(self, name, *command):
        path = self.folder / name
        before = path.read_bytes()
        self.assertIn('would replace the input', self.refuse('--quiet', *command))
        self.assertEqual(path.read_bytes(), before)

    def test_an_input_is_not_replaced(self):
        log = self.copy(RESPONSES, 'log.jsonl')
        forget, holdout = self.copy(TRACES / 'forget.jsonl', 'f.jsonl'), self.copy(TRACES / 'holdout.jsonl', 'h.jsonl')
        questions, client = self.copy(QUESTIONS, 'q.jsonl'), self.copy(CLIENT, 'c.jsonl')
        prompts = self.write('p.jsonl', '{"prompt": "In a"}').name
        few_shot = self.copy(QUESTIONS, 'few.jsonl')
        trace = ('trace', '--model', TINY_MODEL, '--data', questions, '--few-shot', few_shot)
        self.expect_kept(log, *IMPORT, log, '--out', log)
        self.expect_kept(log, *IMPORT, RESPONSES, log, '--out', './' + log)
        for out in (forget, holdout):
            self.expect_kept(out, *PLAN, '--forget-traces', forget, '--holdout-traces', holdout, '--out', out)
        for out in (questions, few_shot):
            self.expect_kept(out, *trace, '--out', out)
            self.expect_kept(out, *PLAN, '--forget', questions, '--holdout', QUESTIONS, '--few-shot', few_shot, '--out', out)
        self.expect_kept(client, *METRICS, '--data', client, '--out', client)
        self.expect_kept(questions, 'metrics', '--model', TINY_MODEL, '--data', questions, '--out', questions)
        self.expect_kept(prompts, 'generate', '--model', TINY_MODEL, '--data', prompts, '--out', prompts)
        for name in ('metrics.csv', 'effective_epsilon.csv', 'models.csv'):
            self.write(name, 'label,score', '1,0.9', '0,0.1', '1,0.7', '0,0.6')
            self.expect_kept(name, 'report', name, '--out', '.')
            self.succeed('--quiet', 'report', name, '--out', 'out')

    def test_links_and_other_spellings_count(self):
        log = self.copy(RESPONSES, 'log.jsonl')
        (self.folder / 'link.jsonl').symlink_to(log)
        (self.folder / 'hard.jsonl').hardlink_to(self.folder / log)
        (self.folder / 'here').symlink_to('.')
        for out in ('link.jsonl', 'hard.jsonl', 'here/log.jsonl', self.folder / log):
            self.expect_kept(log, *IMPORT, log, '--out', out)
            self.expect_kept(log, *IMPORT, out, '--out', log)

    def test_files_of_models_and_of_data_folders_are_not_replaced(self):
        Checkpoint(self.folder / 'm')
        (self.folder / 'cache').mkdir()
        shutil.copy(TINY_MODEL / 'model.safetensors', self.folder / 'cache' / 'blob')
        (self.folder / 'linked').mkdir()
        for path in TINY_MODEL.iterdir():
            if path.name != 'model.safetensors':
                shutil.copy(path, self.folder / 'linked')
        (self.folder / 'linked' / 'model.safetensors').symlink_to('../cache/blob')
        (self.folder / 'parts').mkdir()
        part = self.copy(QUESTIONS, 'parts/1.jsonl')
        for model, out in (('m', 'm/model.safetensors'), ('m', 'm/tokenizer.json'), ('linked', 'cache/blob')):
            self.expect_kept(out, 'trace', '--model', model, '--data', QUESTIONS, '--out', out)
            self.expect_kept(out, 'generate', '--model', model, '--prompt', 'In a', '--out', out)
            self.expect_kept(out, 'metrics', '--model', model, '--data', QUESTIONS, '--out', out)
            self.expect_kept(out, *PLAN, '--model', model, '--forget', QUESTIONS, '--holdout', CLIENT, '--out', out)
        self.expect_kept(part, 'trace', '--model', 'm', '--data', 'parts', '--out', part)
        # The weights of an adapter are those of its base model.
        for name in ('llama', 'llama_lora'):
            shutil.copytree(GOLDEN_MODELS / name, self.folder / name)
        out = 'llama/model.safetensors'
        self.expect_kept(out, 'generate', '--model', 'llama_lora', '--prompt', 'In a', '--out', out)
        # A file that was not there belongs to nobody.
        self.succeed('--quiet', 'generate', '--model', 'm', '--prompt', 'In a', '--out', 'm/generations.jsonl')

    def test_devices_are_no_inputs(self):
        self.succeed(*METRICS, '--data', '-', '--out', '/dev/null', stdin=CLIENT.read_text(encoding='utf-8'))

    def test_a_folder_is_no_file(self):
        (self.folder / 'd').mkdir()
        calls = (('trace', '--model', TINY_MODEL, '--data', QUESTIONS, '--out'),
                 ('generate', '--model', TINY_MODEL, '--prompt', 'In a', '--out'),
                 ('convert', TRACES / 'forget.jsonl'),
                 (*METRICS, '--data', CLIENT, '--out'),
                 (*PLAN, '--forget-traces', TRACES / 'forget.jsonl', '--holdout-traces', TRACES / 'holdout.jsonl', '--out'),
                 (*IMPORT, RESPONSES, '--out'))
        for call in calls:
            for out in ('d', 'd/', './d/.'):
                with self.subTest(call[0], out=out):
                    self.assertIn('this is a folder, not a file', self.refuse('--quiet', *call, out))
                    self.assertEqual(os.listdir(self.folder / 'd'), [])
        self.refuse('--quiet', *calls[0], 'new/')

    def test_an_empty_path_is_refused(self):
        mia = ('--forget-traces', TRACES / 'forget.jsonl', '--holdout-traces', TRACES / 'holdout.jsonl', '--independent')
        for call in (('mia', *mia, '--out', ''), ('plan', *mia, '--out', ''), ('plan', *mia, '--out='),
                     ('generate', '--model', TINY_MODEL, '--prompt', 'In a', '--out', ''),
                     ('trace', '--model', TINY_MODEL, '--data', QUESTIONS, '--out', ''),
                     ('convert', TRACES / 'forget.jsonl', ''),
                     (*METRICS, '--data', CLIENT, '--out', ''),
                     ('merge', CLIENT, '--out', ''),
                     ('report', TRACES, '--out', ''),
                     ('demo', '--out', ''),
                     ('lab', 'data', '--out', ''),
                     ('model', TINY_MODEL, '--random-init', ''),
                     (*IMPORT, RESPONSES, '--out', '')):
            with self.subTest(call[0]):
                self.assertRegex(self.refuse('--quiet', *call), '(--out|--random-init|OUT): ')


if __name__ == '__main__':
    unittest.main()
