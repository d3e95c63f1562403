"""palimpsest tokenize, end to end."""

import json
import os
import subprocess
import unittest

from program import EXAMPLES, ProgramTest

MODEL = EXAMPLES / 'tiny-tokenizer'


class TokenizeTest(ProgramTest):

    def tokenize(self, *options, stdin):
        printed = self.succeed('tokenize', '--model', MODEL, *options, stdin=stdin)
        return [json.loads(line) for line in printed.splitlines()]

    def refusal(self, *options, stdin=''):
        return self.refuse('tokenize', '--model', MODEL, *options, stdin=stdin)

    def test_a_line_a_text(self):
        self.assertEqual(self.tokenize(stdin='In a town.\n\nIn\n'), [
            {'ids': [1, 11, 12, 14, 17], 'tokens': ['<s>', 'In', 'a', 'town', '.']},
            {'ids': [1], 'tokens': ['<s>']},
            {'ids': [1, 11], 'tokens': ['<s>', 'In']}])

    def test_without_special_tokens(self):
        self.assertEqual(self.tokenize('--no-special', stdin='In\n')[0]['ids'], [11])

    def test_a_file_and_offsets(self):
        path = self.write('texts', 'In a')
        printed = self.succeed('tokenize', '--model', MODEL, '--offsets', path)
        self.assertEqual(json.loads(printed)['offsets'], [[0, 0], [0, 2], [3, 4]])

    def test_json_strings_can_hold_any_text(self):
        self.assertEqual(self.tokenize('--json', stdin='"In\\na"\n')[0]['ids'], [1, 11, 12])

    def test_decodes(self):
        self.assertEqual(self.tokenize('--decode', stdin='[1, 11, 12]\n'), [{'text': '<s> In a'}])
        self.assertEqual(self.tokenize('--decode', '--no-special', stdin='[1, 11, 12]\n'),
                         [{'text': 'In a'}])

    def test_chats(self):
        messages = json.dumps([{'role': 'user', 'content': 'Where?'}])
        answer = self.tokenize('--chat', '--add-generation-prompt', stdin=messages + '\n')[0]
        self.assertEqual(answer['text'], '<s>[user] Where?</s>[assistant]')
        self.assertEqual(answer['ids'], [1, 3, 5, 10, 2, 4])
        plain = self.tokenize('--chat', stdin=messages + '\n')[0]
        self.assertEqual(plain['text'], '<s>[user] Where?</s>')
        other = self.tokenize('--chat', '--var', 'bos_token=In ', stdin=messages + '\n')[0]
        self.assertEqual(other['text'], 'In [user] Where?</s>')

    def test_pairs_show_where_they_part(self):
        printed = json.loads(self.succeed('tokenize', '--model', MODEL, '--pair', 'near the river',
                                          'near the rivers'))
        self.assertEqual(printed['first_difference'], 3)
        self.assertFalse(printed['prompt_is_prefix'])

    def test_bad_input_names_the_line(self):
        self.assertIn('standard input, line 1', self.refusal('--json', stdin='no json\n'))
        self.assertIn('not a JSON string', self.refusal('--json', stdin='[1]\n'))
        self.assertIn('not a JSON array', self.refusal('--decode', stdin='{}\n'))
        self.assertIn('not a whole number', self.refusal('--decode', stdin='[1.5]\n'))
        self.assertIn('line 1', self.refusal('--chat', stdin='{}\n'))
        self.assertIn('NAME=VALUE', self.refusal('--chat', '--var', 'x', stdin='[]\n'))
        self.assertIn('--chat', self.refusal('--add-generation-prompt', stdin='[]\n'))

    def test_text_that_is_not_utf8_gives_the_byte(self):
        run = subprocess.run([os.environ['PALIMPSEST'], 'tokenize', '--model', MODEL],
                             input=b'ab\xff\n', capture_output=True, check=False)
        self.assertEqual(run.returncode, 2)
        self.assertIn(b'byte 2', run.stderr)

    def test_a_folder_without_a_tokenizer_is_refused(self):
        self.assertIn('tokenizer.json', self.refuse('tokenize', '--model', self.folder, stdin=''))
        self.assertIn('none', self.refuse('tokenize', '--model', 'none', stdin=''))

    def test_a_tokenizer_that_multiplies_a_text_is_refused(self):
        grow = {'type': 'Replace', 'pattern': {'String': 'a'}, 'content': 'a' * 100}
        self.write('tokenizer.json', json.dumps({
            'normalizer': {'type': 'Sequence', 'normalizers': [grow] * 8},
            'model': {'type': 'BPE', 'vocab': {'a': 0}, 'merges': []}}))
        self.assertIn('the text grows beyond', self.refuse('tokenize', '--model', self.folder, stdin='a\n'))

    def test_a_broken_tokenizer_is_refused(self):
        for text in ('{', '[]', '{"model": {"type": "Magic"}}'):
            self.write('tokenizer.json', text)
            self.assertIn('tokenizer.json', self.refuse('tokenize', '--model', self.folder, stdin=''))


if __name__ == '__main__':
    unittest.main()
