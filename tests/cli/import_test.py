"""palimpsest import: from logged responses to an audit."""

import json
import random
import unittest

from program import ProgramTest


def echo(index, words, logprobs):
    """An entry of a log: the answer, which these words make, follows the prompt "Q:"."""
    tokens = ['Q', ':', *words, ' more']
    return {'id': index, 'prompt': 'Q:', 'request': {'prompt': ''.join(tokens[:-1]), 'echo': True, 'max_tokens': 1},
            'response': {'model': 'served', 'object': 'text_completion',
                         'choices': [{'text': ''.join(tokens),
                                      'logprobs': {'tokens': tokens, 'token_logprobs': [None, -1.0, *logprobs, -9.0]}}],
                         'usage': {'prompt_tokens': len(tokens) - 1, 'completion_tokens': 1}}}


class ImportTest(ProgramTest):

    def write_log(self, name, mean):
        rows = random.Random(name)
        lines = []
        for i in range(40):
            words = [f' w{rows.randrange(1000)}' for _ in range(12)]
            lines.append(json.dumps(echo(i, words, [-abs(rows.gauss(mean, 0.5)) for _ in words])))
        return self.write(name, *lines)

    def test_from_a_log_to_an_audit(self):
        self.write_log('forget.jsonl', 1)
        self.write_log('holdout.jsonl', 4)
        printed = self.succeed('import', '--format', 'openai-completions', 'forget.jsonl', '--out', 'f.jsonl')
        self.assertEqual(printed, '40 examples, 480 tokens scored, 80 prompt tokens not scored: f.jsonl\n')
        counts = json.loads(self.succeed('import', '--format', 'vllm', 'holdout.jsonl', '--out', 'h.jsonl', '--json'))
        self.assertEqual((counts['model'], counts['tokens'], counts['generated_tokens']), ('served', 480, 40))
        header, first, *_ = map(json.loads, (self.folder / 'f.jsonl').read_text().splitlines())
        self.assertEqual(header, {'palimpsest_trace': 1, 'model': 'served', 'dataset': 'forget.jsonl'})
        self.assertEqual(first['prompt'], 'Q:')
        self.assertEqual(first['num_labels'], 12)
        audit = self.succeed('mia', '--forget-traces', 'f.jsonl', '--holdout-traces', 'h.jsonl', '--attacks', 'loss',
                             '--independent')
        self.assertIn('40 forget and 40 holdout examples of served', audit)

    def test_what_cannot_be_used_is_refused(self):
        self.write('chat.json', '{"object": "chat.completion", "choices": [{"message": {"content": "x"}}]}')
        self.assertIn('chat.json: this is a response of the chat endpoint',
                      self.refuse('import', '--format', 'openai-completions', 'chat.json', '--out', 'f.jsonl'))
        self.write('own.json', '{"content": "x", "completion_probabilities": []}')
        self.assertIn('generated tokens alone', self.refuse('import', '--format', 'llama.cpp', 'own.json', '--out', 'f.jsonl'))
        self.write('tgi.json', '{"generated_text": "x", "details": {"prefill": []}}')
        self.assertIn("'prefill' is empty", self.refuse('import', '--format', 'tgi', 'tgi.json', '--out', 'f.jsonl'))
        self.assertIn('did you mean', self.refuse('import', '--format', 'vlm', 'tgi.json', '--out', 'f.jsonl'))
        self.assertIn('the folder does not exist', self.refuse('import', '--format', 'tgi', 'tgi.json', '--out', 'no/f.jsonl'))
        self.assertIn('nothing.json', self.refuse('import', '--format', 'tgi', 'nothing.json', '--out', 'f.jsonl'))


if __name__ == '__main__':
    unittest.main()
