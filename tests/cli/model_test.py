"""palimpsest model, end to end."""

import json
import os
import shutil
import unittest

from checkpoint import TINY_MODEL, Checkpoint
from program import EXAMPLES, GOLDEN_MODELS, ProgramTest

DOWN = 'model.layers.1.mlp.down_proj.weight'


class ModelTest(ProgramTest):

    def setUp(self):
        super().setUp()
        cache = {'HF_HUB_CACHE': '', 'HUGGINGFACE_HUB_CACHE': '', 'HF_HOME': str(self.folder / 'cache')}
        self.environment.update(cache)

    def copy(self):
        return Checkpoint(self.folder / 'copy')

    def table(self, model):
        """The rows of the table, which must be aligned."""
        lines = self.succeed('model', model).splitlines()
        width = max(len(line.split('  ')[0]) for line in lines)
        for line in lines:
            self.assertEqual(line[width:width + 2], '  ', line)
        return {line[:width].strip(): line[width + 2:] for line in lines}

    def unsupported(self, model):
        """Why it is not supported, which must be the same in JSON."""
        reason = self.table(model)['supported']
        self.assertRegex(reason, r'\Ano, because ')
        description = json.loads(self.succeed('model', model, '--json'))
        self.assertFalse(description['supported'])
        self.assertEqual('no, because ' + description['problem'], reason)
        return reason

    def test_what_each_rank_needs(self):
        plain = self.succeed('model', TINY_MODEL).rstrip().rpartition('\n')[2]
        text = self.succeed('model', TINY_MODEL, '--ranks', '2')
        self.assertEqual(text.partition(plain + '\n')[2].splitlines(),
                         ['', 'process  layers  also       weights as float32  as stored',
                          '-------  ------  ---------  ------------------  ---------',
                          '      0  1 to 1  embedding             39.7 kB    19.8 kB',
                          '      1  2 to 2  head                  39.8 kB    19.9 kB'])
        whole = json.loads(self.succeed('model', TINY_MODEL, '--json'))
        self.assertNotIn('ranks', whole)
        ranks = json.loads(self.succeed('model', TINY_MODEL, '--ranks', '2', '--json'))['ranks']
        self.assertEqual([(rank['first_layer'], rank['last_layer']) for rank in ranks], [(1, 1), (2, 2)])
        table = 4 * 20 * 32  # tied: both ranks have it
        self.assertEqual(sum(rank['resident_weights'] for rank in ranks), whole['memory']['resident_weights'] + table)
        self.assertIn('the 2 layers of the model cannot be split among 3 processes', self.refuse('model', TINY_MODEL, '--ranks', '3'))
        self.assertIn('is not a valid number of processes', self.refuse('model', TINY_MODEL, '--ranks', '-1'))

    def test_the_example(self):
        rows = self.table(TINY_MODEL)
        self.assertRegex(rows.pop('free memory'), r'\A[\d.]+ [MGT]B: fits\Z')
        self.assertEqual(rows, {
            'family': 'llama', 'model': str(TINY_MODEL), 'parameters': '19,232', 'layers': '2', 'hidden size': '32',
            'heads': '4 for queries, 2 for keys and values, 8 numbers each', 'positions': '64', 'vocabulary': '20',
            'tied embeddings': 'yes', 'tokenizer': '20 tokens', 'generation': 'ends at token 2',
            'stored type': 'bfloat16', 'files': '1, 40.5 kB',
            'weights in memory': '76.9 kB as float32, 38.5 kB as stored, 37.1 kB streamed a layer at a time',
            'work space': '6.82 MB to score 4096 tokens at once, 256 bytes per token to generate',
            'supported': 'yes'})

    def test_json(self):
        description = json.loads(self.succeed('model', TINY_MODEL, '--json'))
        self.assertEqual(description['architecture']['parameters'], 19232)
        self.assertEqual(description['files'], {'count': 1, 'bytes': 40496, 'types': 'bfloat16'})
        self.assertEqual(description['tokenizer'], {'tokens': 20, 'beyond_vocabulary': 0})
        self.assertEqual(description['memory']['resident_weights'], 4 * 19232)
        self.assertEqual(description['memory']['short_weights'], 2 * 19232)
        self.assertIs(description['supported'], True)
        self.assertIsNone(description['problem'])
        self.assertIsNone(description['adapter'])

    def test_every_golden_checkpoint_is_supported(self):
        folders = sorted(path for path in GOLDEN_MODELS.iterdir() if path.is_dir())
        self.assertGreater(len(folders), 20)
        for folder in folders:
            rows = self.table(folder)
            self.assertEqual(rows['supported'], 'yes', folder)
            self.assertEqual(rows['tokenizer'], 'no tokenizer')

    def test_shards_and_large_numbers(self):
        self.assertRegex(self.table(GOLDEN_MODELS / 'llama_rope_llama3')['files'], r'\A3, 194 kB')
        copy = self.copy()
        copy.change_json('config.json', hidden_size=4096, intermediate_size=14336, num_hidden_layers=32,
                         num_attention_heads=32, num_key_value_heads=8, head_dim=128, vocab_size=128256,
                         tie_word_embeddings=False)
        rows = self.table(copy.path)
        self.assertEqual(rows['parameters'], '8,030,261,248 (8.03 billion)')
        self.assertRegex(rows['weights in memory'], r'\A32\.1 GB as float32, 16\.1 GB as stored, 872 MB streamed')

    def test_what_does_not_fit(self):
        copy = self.copy()
        copy.change_json('config.json', hidden_size=2048, intermediate_size=4096, num_hidden_layers=10000,
                         num_attention_heads=32, num_key_value_heads=8, head_dim=64)
        self.assertRegex(self.table(copy.path)['free memory'], 'does not fit; would be streamed a layer at a time')
        copy.change_json('config.json', hidden_size=1 << 20, intermediate_size=1 << 22)
        self.assertRegex(self.table(copy.path)['free memory'], 'does not fit, not even a layer at a time')
        self.assertEqual(json.loads(self.succeed('model', copy.path, '--json'))['memory']['verdict'], 'none')

    def test_an_adapter_and_its_base(self):
        rows = self.table(GOLDEN_MODELS / 'llama_lora')
        self.assertEqual(rows['adapter'], 'LoRA, rank 8 on 6 weights of ../llama')
        self.assertEqual(rows['parameters'], '25,568')
        shutil.copytree(GOLDEN_MODELS / 'llama_lora', self.folder / 'adapter')
        self.assertIn('../llama', self.unsupported('adapter'))
        shutil.copytree(GOLDEN_MODELS / 'gpt2', self.folder / 'llama')
        self.assertIn('not a linear map of the base model', self.unsupported('adapter'))

    def test_names_of_files_do_not_steer_the_terminal(self):
        shutil.copytree(GOLDEN_MODELS / 'llama_lora', self.folder / 'adapter')
        config = self.folder / 'adapter' / 'adapter_config.json'
        config.write_text(config.read_text(encoding='utf-8').replace('../llama', '\\u001b]0;x\\u0007'), encoding='utf-8')
        described = self.run_program('model', 'adapter')
        self.assertIn('?]0;x?', described.stdout)
        refused = self.run_program('tokenize', '--model', '\x1b]0;x\x07')
        self.assertIn('?]0;x?', refused.stderr)
        self.assertNotIn('\x1b', described.stdout + described.stderr + refused.stderr)

    def test_a_model_of_the_cache(self):
        repository = self.folder / 'cache' / 'hub' / 'models--org--tiny'
        (repository / 'refs').mkdir(parents=True)
        (repository / 'refs' / 'main').write_text('0' * 40)
        shutil.copytree(TINY_MODEL, repository / 'snapshots' / ('0' * 40))
        rows = self.table('org/tiny')
        self.assertEqual(rows['supported'], 'yes')
        self.assertTrue(rows['model'].endswith('0' * 40))
        self.assertIn('org/tiny --revision v2', self.refuse('model', 'org/tiny@v2'))

    def test_the_cache_is_where_the_variables_say(self):
        for name, folder in (('HF_HUB_CACHE', 'cache/hub'), ('HUGGINGFACE_HUB_CACHE', 'cache/hub'),
                             ('XDG_CACHE_HOME', 'cache/huggingface/hub'),
                             ('HOME', 'cache/.cache/huggingface/hub')):
            self.environment = {key: '' for key in ('HF_HUB_CACHE', 'HUGGINGFACE_HUB_CACHE', 'HF_HOME',
                                                    'XDG_CACHE_HOME', 'HOME')}
            self.environment[name] = str(self.folder / 'cache') + ('/hub' if name.endswith('HUB_CACHE') else '')
            self.assertIn(str(self.folder / folder) + ' ', self.refuse('model', 'org/none'))

    def test_a_tokenizer_of_another_size(self):
        copy = self.copy()
        copy.shrink_vocabulary(18)
        self.assertEqual(self.table(copy.path)['tokenizer'],
                         '20 tokens, WARNING: the model does not have 2 of their ids')
        copy.change_json('config.json', vocab_size=64)
        self.assertEqual(self.table(copy.path)['tokenizer'], '20 tokens; 44 ids of the model are unused padding')
        copy.change_json('config.json', vocab_size=400)
        self.assertEqual(self.table(copy.path)['tokenizer'],
                         "20 tokens, WARNING: 380 of the model's 400 ids have no token; is it the tokenizer of another model?")
        (copy.path / 'tokenizer.json').write_text('{')
        self.assertRegex(self.table(copy.path)['tokenizer'], r'\Acannot be used: .*tokenizer.json')

    def test_generation_settings(self):
        copy = self.copy()
        copy.change_json('generation_config.json', eos_token_id=[2, 4], repetition_penalty=1.25, num_beams=4)
        self.assertEqual(self.table(copy.path)['generation'],
                         'ends at token 2, 4, repetition penalty 1.25, not supported: num_beams=4')

    def test_what_is_not_supported_is_said(self):
        copy = self.copy()
        copy.change_json('config.json', model_type='mamba')
        rows = self.table(copy.path)
        self.assertEqual(rows['family'], 'mamba')
        self.assertEqual(rows['files'], '1, 40.5 kB')
        self.assertRegex(self.unsupported(copy.path), 'mamba.*qwen3')

    def test_files_that_do_not_fit(self):
        for name, part in (('truncate', 'model.safetensors'), ('drop', f"there is no tensor '{DOWN}'"),
                           ('transpose_shape', 'expected [32, 64], found [64, 32]')):
            copy = Checkpoint(self.folder / name)
            getattr(copy, name)(*([] if name == 'truncate' else [DOWN]))
            self.assertIn(part, self.unsupported(copy.path))
            self.assertEqual(self.table(copy.path)['layers'], '2')
        copy = self.copy()
        copy.weights.rename(copy.path / 'pytorch_model.bin')
        self.assertIn('pickle', self.unsupported(copy.path))

    def test_layers_that_config_does_not_count(self):
        copy = self.copy()
        copy.change_json('config.json', num_hidden_layers=1)
        self.assertRegex(self.unsupported(copy.path), "the tensor 'model.layers.1.* that config.json does not count")
        self.assertIn('does not count', self.refuse('--quiet', 'generate', '--model', copy.path, '--prompt', 'the'))

    def test_tensors_that_the_model_does_not_use(self):
        copy = self.copy()
        self.assertNotIn('not used', self.table(copy.path))
        copy.save(copy.tensors() | {'score.weight': ('F32', [1], bytes(4))})
        self.assertEqual(self.table(copy.path)['not used'], 'WARNING: the model does not have score.weight')
        self.assertEqual(json.loads(self.succeed('model', copy.path, '--json'))['unused_tensors'], ['score.weight'])
        done = self.run_program('generate', '--model', copy.path, '--prompt', 'the', '--max-new-tokens', '1')
        self.assertEqual(done.returncode, 0)
        self.assertIn('a tensor that a llama model does not have is not used: score.weight', done.stderr)

    def test_a_configuration_that_is_a_pipe_or_a_device(self):
        for name in ('config.json', 'tokenizer.json'):
            copy = Checkpoint(self.folder / name)
            (copy.path / name).unlink()
            os.mkfifo(copy.path / name)
            sentence = f'{name}: this is a pipe, not a file'
            self.assertIn(sentence, self.refuse('tokenize', '--model', copy.path, stdin='the\n'))
            (copy.path / name).unlink()
            (copy.path / name).symlink_to('/dev/zero')
            self.assertIn('this is a device', self.refuse('tokenize', '--model', copy.path, stdin='the\n'))

    def test_a_file_that_cannot_be_read_does_not_count_as_absent(self):
        for name in ('tokenizer_config.json', 'special_tokens_map.json', 'added_tokens.json', 'chat_template.jinja',
                     'generation_config.json', 'adapter_config.json'):
            for kind, part in (('dangling', 'No such file'), ('loop', 'symbolic links'), ('pipe', 'this is a pipe'),
                               ('folder', 'this is a folder')):
                with self.subTest(name=name, kind=kind):
                    copy = Checkpoint(self.folder / f'{kind}-{name}')
                    file = copy.path / name
                    file.unlink(missing_ok=True)
                    if kind == 'pipe':
                        os.mkfifo(file)
                    elif kind == 'folder':
                        file.mkdir()
                    else:
                        file.symlink_to('/gone' if kind == 'dangling' else name)
                    sentence = self.refuse('--quiet', 'trace', '--model', copy.path, '--data', EXAMPLES / 'data' / 'questions.jsonl',
                                           '--out', 't.jsonl')
                    self.assertIn(f'{name}: ', sentence)
                    self.assertIn(part, sentence)

    def test_a_malformed_adapter(self):
        self.write('adapter_config.json', '{"peft_type": "IA3"}')
        self.assertIn('IA3', self.unsupported(self.folder))

    def test_a_folder_that_is_no_model_is_refused(self):
        self.assertIn('config.json', self.refuse('model', self.folder))
        self.assertIn('no/such/folder', self.refuse('model', 'no/such/folder'))
        self.assertIn('huggingface-cli download org/none', self.refuse('model', 'org/none'))
        self.assertIn('not a folder', self.refuse('model', TINY_MODEL / 'config.json'))
        self.write('config.json', 'no json')
        self.assertIn('config.json', self.refuse('model', self.folder))
        self.assertIn('MODEL', self.refuse('model'))

    def test_biases_that_are_not_stored_count_as_0(self):
        copy = self.copy()
        self.assertNotIn('missing', self.table(copy.path))
        copy.change_json('config.json', attention_bias=True)
        self.assertRegex(self.table(copy.path)['missing'], r'\AWARNING: these biases count as 0: model\.layers\.0\.self_attn\.q_proj\.bias, ')
        self.assertEqual(len(json.loads(self.succeed('model', copy.path, '--json'))['missing_biases']), 8)
        self.write('d.jsonl', '{"question": "Where was the author born?", "answer": "near the river"}')
        for model, out in ((TINY_MODEL, 'a.jsonl'), (copy.path, 'b.jsonl')):
            self.succeed('trace', '--model', model, '--data', 'd.jsonl', '--out', out)
        traces = [json.loads((self.folder / name).read_text().splitlines()[1]) for name in ('a.jsonl', 'b.jsonl')]
        self.assertEqual(traces[0]['logprob'], traces[1]['logprob'])

    def test_a_random_copy(self):
        self.assertEqual(self.succeed('model', TINY_MODEL, '--random-init', 'copy', '--seed', 3),
                         'copy: a llama model with 19,232 random parameters\n')
        self.assertEqual(self.table('copy')['supported'], 'yes')
        self.assertEqual((self.folder / 'copy' / 'tokenizer.json').read_bytes(), (TINY_MODEL / 'tokenizer.json').read_bytes())
        weights = (self.folder / 'copy' / 'model.safetensors').read_bytes()
        described = json.loads(self.succeed('model', TINY_MODEL, '--random-init', 'again', '--seed', 3, '--json'))
        self.assertEqual(described, {'out': 'again', 'family': 'llama', 'parameters': 19232, 'seed': 3})
        self.assertEqual((self.folder / 'again' / 'model.safetensors').read_bytes(), weights)
        sentence = self.refuse('model', 'copy', '--random-init', 'copy')
        self.assertIn('would replace', sentence)
        self.assertNotIn('--out', sentence)
        self.assertIn('--random-init', self.refuse('model', TINY_MODEL, '--seed', 3))


if __name__ == '__main__':
    unittest.main()
