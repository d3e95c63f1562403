"""palimpsest generate, end to end."""

import json
import shutil

from checkpoint import TINY_MODEL, Checkpoint
from program import GOLDEN_MODELS, ProgramTest, main, on_terminal, runs_only_if

QUESTION = 'Where was the author born?'
ANSWER = 'In a small town near the river.'
# What transformers' generate gives; the last one is the end token.
ANSWER_IDS = [11, 12, 13, 14, 15, 7, 16, 17, 2]
DOWN = 'model.layers.1.mlp.down_proj.weight'


class GenerateTest(ProgramTest):

    def setUp(self):
        super().setUp()
        self.environment.update(HF_HUB_CACHE=str(self.folder / 'cache'))

    def generate(self, *options, model=TINY_MODEL):
        return self.succeed('generate', '--model', model, *options)

    def lines(self, *options, model=TINY_MODEL):
        return [json.loads(line) for line in self.generate('--json', *options, model=model).splitlines()]

    def refusal(self, *options, model=TINY_MODEL):
        return self.refuse('generate', '--model', model, *options)

    def copy(self, name='copy'):
        return Checkpoint(self.folder / name)

    def test_one_prompt(self):
        self.assertEqual(self.generate('--prompt', QUESTION), ANSWER + '\n')

    def test_several_prompts_are_numbered(self):
        self.assertEqual(self.generate('--prompt', QUESTION, '--prompt', 'In a'),
                         f'[0] {ANSWER}\n[1] small town near the river.\n')

    def test_json(self):
        self.assertEqual(self.lines('--prompt', QUESTION), [
            {'index': 0, 'prompt': QUESTION, 'text': ANSWER, 'ids': ANSWER_IDS, 'stopped': True}])

    def test_out(self):
        printed = self.generate('--prompt', QUESTION, '--out', 'out.jsonl')
        self.assertEqual(printed, ANSWER + '\n')
        self.assertEqual(self.read_json('out.jsonl')['ids'], ANSWER_IDS)

    def test_chat(self):
        self.assertEqual(self.generate('--chat', '--prompt', QUESTION), ANSWER + '\n')
        # The template's beginning is the variable's.
        other = self.lines('--chat', '--var', 'bos_token=rivers rivers ', '--prompt', QUESTION, '--max-new-tokens', '3')
        self.assertEqual(len(other[0]['ids']), 3)
        self.assertIn('rivers', self.refusal('--chat', '--var', 'rivers', '--prompt', QUESTION))
        # A system message is part of the prompt, so it can be too long.
        self.assertIn('at most 64', self.refusal('--chat', '--system-prompt', 'the ' * 70, '--prompt', QUESTION))

    def test_data_of_every_format(self):
        records = [{'prompt': QUESTION, 'other': 1}, {'prompt': 'In a'}]
        lines = self.write('d.jsonl', *map(json.dumps, records))
        array = self.write('d.json', json.dumps(records, indent=1))
        table = self.write('d.csv', 'n,prompt', f'1,{QUESTION}', '2,"In a"')
        expected = f'[0] {ANSWER}\n[1] small town near the river.\n'
        for path in (lines, array, table):
            self.assertEqual(self.generate('--data', path), expected)
        self.assertEqual(self.generate('--data', self.write('k.jsonl', '{"q": "In a"}'), '--prompt-key', 'q'),
                         'small town near the river.\n')

    def test_options_that_change_only_the_time(self):
        prompts = [QUESTION, 'In a', 'small town', 'Where', 'the', 'near the', 'author']
        data = self.write('d.jsonl', *(json.dumps({'prompt': p, 'right': ANSWER, 'wrong': 'rivers . born'})
                                       for p in prompts))
        expected = self.generate('--json', '--data', data)
        self.assertEqual(json.loads(expected.splitlines()[0])['ids'], ANSWER_IDS)
        for options in (['--batch', '1'], ['--batch', '3'], ['--threads', '1'], ['--draft-key', 'right'],
                        ['--draft-key', 'wrong'], ['--stream-layers', 'yes'], ['--stream-layers', 'no'],
                        ['--dtype', 'float32'], ['--device', 'cpu'], ['--memory-limit', '0.5']):
            self.assertEqual(self.generate('--json', '--data', data, *options), expected, options)

    def test_a_terminal_is_not_steered(self):
        copy = self.copy()
        tokenizer = copy.path / 'tokenizer.json'
        tokenizer.write_text(tokenizer.read_text(encoding='utf-8').replace('"small"', r'"\u001b\u202e\u009b\t"'), encoding='utf-8')
        call = ('generate', '--model', copy.path, '--prompt', 'In a')
        self.assertTrue(self.succeed(*call).startswith('\x1b\u202e\x9b\t town'))  # a file gets every byte
        self.assertTrue(on_terminal(call).startswith('?\\u202e?' + 8 * ' ' + ' town'))
        self.assertIn(r'"text":"\u001b\u202e\u009b\t town', on_terminal([*call, '--json']))

    def test_a_model_that_cannot_be_looked_at_is_refused(self):
        copy = self.copy()
        (copy.path / 'config.json').unlink()
        self.assertIn('there is no config.json', self.refusal('--prompt', 'In a', model=copy.path))
        (copy.path / 'config.json').symlink_to('config.json')
        self.assertIn('config.json: the file cannot be read: Too many levels', self.refusal('--prompt', 'In a', model=copy.path))

    def test_a_prompt_that_is_too_long(self):
        self.assertTrue(self.refusal('--prompt', 'the ' * 70).endswith('(expected at most 64); shorten the prompt'))

    def test_a_long_pattern_is_not_quoted_whole(self):
        copy = self.copy()
        pattern = {'type': 'Split', 'pattern': {'Regex': '(' * 200_000}, 'behavior': 'Isolated', 'invert': False}
        copy.change_json('tokenizer.json', pre_tokenizer=pattern)
        self.assertLess(len(self.refusal('--prompt', 'In a', model=copy.path)), 1000)

    def test_ends(self):
        cut = self.lines('--prompt', QUESTION, '--max-new-tokens', '3')[0]
        self.assertEqual((cut['ids'], cut['stopped']), (ANSWER_IDS[:3], False))
        stop = self.lines('--prompt', QUESTION, '--stop', 'zzz', '--stop', 'town near')[0]
        self.assertEqual((stop['text'], stop['stopped']), ('In a small town near', True))
        copy = self.copy()
        copy.change_json('generation_config.json', eos_token_id=[14, 2])
        self.assertEqual(self.lines('--prompt', QUESTION, model=copy.path)[0]['ids'], ANSWER_IDS[:4])
        # Without any word of the model's own the tokenizer's end token ends.
        copy.change_json('generation_config.json', eos_token_id=None)
        self.assertEqual(self.lines('--prompt', QUESTION, model=copy.path)[0]['ids'], ANSWER_IDS)

    def test_repetition_penalty(self):
        penalised = self.lines('--prompt', QUESTION, '--repetition-penalty', '100')[0]['ids']
        self.assertNotIn(7, penalised)  # "the" was in the question
        copy = self.copy()
        copy.change_json('generation_config.json', repetition_penalty=100.0)
        self.assertEqual(self.lines('--prompt', QUESTION, model=copy.path)[0]['ids'], penalised)
        self.assertEqual(self.lines('--prompt', QUESTION, '--repetition-penalty', '1', model=copy.path)[0]['ids'],
                         ANSWER_IDS)

    def test_sampling_repeats_with_its_seed(self):
        def sampled(*options):
            return self.generate('--sample', '--temperature', '3', '--prompt', QUESTION, *options)
        self.assertEqual(sampled('--seed', '4'), sampled('--seed', '4'))
        self.assertGreater(len({sampled('--seed', seed) for seed in range(4)}), 1)
        self.assertEqual(sampled('--top-k', '1'), ANSWER + '\n')
        self.assertEqual(sampled('--top-p', '0.000001'), ANSWER + '\n')

    def test_an_adapter_finds_its_base_and_tokenizer(self):
        base = self.folder / 'llama'
        shutil.copytree(GOLDEN_MODELS / 'llama', base)
        for name in ('tokenizer.json', 'tokenizer_config.json'):
            shutil.copy(TINY_MODEL / name, base)
        shutil.copytree(GOLDEN_MODELS / 'llama_lora', self.folder / 'adapter')
        options = ['--prompt', QUESTION, '--max-new-tokens', '8']
        plain = self.lines(*options, model='llama')[0]['ids']
        adapted = self.lines(*options, model='adapter')[0]['ids']
        self.assertEqual(len(plain), 8)
        self.assertNotEqual(plain, adapted)

    def test_models_that_cannot_be_used(self):
        prompt = ('--prompt', QUESTION)
        self.assertIn('no/such/folder', self.refusal(*prompt, model='no/such/folder'))
        self.assertIn('huggingface-cli download org/none', self.refusal(*prompt, model='org/none'))
        self.assertIn('tokenizer.json', self.refusal(*prompt, model=GOLDEN_MODELS / 'llama'))
        for spoil, part in ((lambda c: c.truncate(), 'model.safetensors'),
                            (lambda c: c.drop(DOWN), f"there is no tensor '{DOWN}'"),
                            (lambda c: c.transpose_shape(DOWN), 'expected [32, 64], found [64, 32]'),
                            (lambda c: c.put_nan(DOWN), f"'{DOWN}'"),
                            (lambda c: c.put_nan('model.embed_tokens.weight'), "'model.embed_tokens.weight'"),
                            (lambda c: c.put_nan('model.norm.weight'), "'model.norm.weight'"),
                            (lambda c: c.change_json('config.json', model_type='mamba'), 'mamba'),
                            (lambda c: c.change_json('generation_config.json', num_beams=4), 'num_beams=4')):
            copy = self.copy()
            spoil(copy)
            self.assertIn(part, self.refusal(*prompt, model=copy.path))
            shutil.rmtree(copy.path)

    def test_prompts_that_cannot_be_used(self):
        copy = self.copy()
        copy.shrink_vocabulary(18)
        self.assertRegex(self.refusal('--prompt', 'near the rivers', model=copy.path), '18.*tokenizer')
        self.assertRegex(self.refusal('--prompt', 'the ' * 70), '71.*64')
        self.assertIn('UTF-8', self.refusal('--prompt', b'a\xff'.decode(errors='surrogateescape')))

    def test_options_that_cannot_be_used(self):
        prompt = ('--prompt', QUESTION)
        for option, value in (('--dtype', 'int8'), ('--device', 'tpu'), ('--device', 'cuda:x'), ('--threads', '-1'),
                              ('--memory-limit', '-1'), ('--stream-layers', 'maybe'), ('--var', 'a=b'),
                              ('--system-prompt', 'x'), ('--temperature', '1'), ('--draft-key', 'x')):
            self.assertIn(option, self.refusal(*prompt, option, value))
        for option, value in (('--max-new-tokens', '-1'), ('--batch', '0'), ('--repetition-penalty', '0')):
            self.refusal(*prompt, option, value)
        self.assertIn('memory', self.refusal(*prompt, '--memory-limit', '0.000001'))
        for temperature in ('0', '1e-320'):  # logits divided by the second would be infinite
            self.assertIn('temperature', self.refusal(*prompt, '--sample', '--temperature', temperature))
        greedy = self.generate(*prompt)
        self.assertEqual(self.generate(*prompt, '--sample', '--temperature', '1e-30'), greedy)
        self.assertIn('stop', self.refusal(*prompt, '--stop', ''))
        self.assertIn('no-such-folder', self.refusal(*prompt, '--out', 'no-such-folder/out.jsonl'))
        self.refusal()
        self.refusal('--prompt', 'a', '--data', 'b')

    @runs_only_if(shutil.which('nvidia-smi') is None, 'this machine has a GPU')
    def test_a_gpu_that_is_not_there(self):
        self.assertIn("'cuda'", self.refusal('--prompt', QUESTION, '--device', 'cuda'))

    def test_data_that_cannot_be_used(self):
        for name, text, part in (('a.jsonl', '{"question": "x"}', "a.jsonl:1: the record has no 'prompt'"),
                                 ('b.jsonl', '{"prompt": "x"}\n{"prompt": 1}', 'b.jsonl:2'),
                                 ('c.jsonl', '{"prompt": ', 'c.jsonl:1'),
                                 ('d.json', '[{"prompt": "x"}, 5]', 'd.json, record 1'),
                                 ('e.json', '[', 'e.json'),
                                 ('f.jsonl', '', 'no record'),
                                 ('g.csv', 'prompt\n', 'no record'),
                                 ('h.csv', 'prompt,n\nx\n', 'h.csv:2'),
                                 ('i.csv', 'prompt,prompt\nx,y\n', "'prompt'"),
                                 ('j.csv', 'prompt\n"x\n', 'j.csv:2: a quote is not closed')):
            self.write(name, text)
            self.assertIn(part, self.refusal('--data', name, '--out', 'out.jsonl'))
        self.assertIn('question', self.refusal('--data', 'a.jsonl'))
        self.assertIn('none.jsonl', self.refusal('--data', 'none.jsonl'))
        self.write('k.jsonl', '{"prompt": "x"}')
        self.assertIn("'guess'", self.refusal('--data', 'k.jsonl', '--draft-key', 'guess'))


if __name__ == '__main__':
    main()
