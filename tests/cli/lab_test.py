"""palimpsest lab, end to end: data, training, unlearning, and what an audit says of each model."""

import json
import unittest

from checkpoint import TINY_MODEL, Checkpoint
from program import EXAMPLES, ProgramTest

SMALL = ('--layers', '1', '--width', '48', '--heads', '2', '--mlp', '96', '--batch-size', '16', '--learning-rate', '1e-2')


class LabTest(ProgramTest):

    def make_data(self, *options):
        return self.succeed('--quiet', 'lab', 'data', '--authors', '40', '--questions', '2', '--forget-percent', '25',
                            '--vocab-size', '400', '--out', 'data', *options)

    def train(self, *options, data='full', out='full', epochs=1):
        return self.succeed('--quiet', 'lab', 'train', '--data', f'data/{data}.json', '--tokenizer', 'data/tokenizer',
                            '--epochs', epochs, *SMALL, '--out', out, *options)

    def auc(self, model):
        for part in ('forget25', 'holdout25'):
            self.succeed('--quiet', 'trace', '--model', model, '--data', f'data/{part}.json', '--out', f'{part}.jsonl')
        self.succeed('--quiet', 'mia', '--forget-traces', 'forget25.jsonl', '--holdout-traces', 'holdout25.jsonl',
                     '--attacks', 'loss', '--out', f'{model}-mia')
        return self.read_json(f'{model}-mia/mia.json')['loss']['auc']

    def test_the_story(self):
        self.assertIn('60 questions to retain, 20 to forget, 20 held out', self.make_data())
        self.assertIn('80 examples, 200 steps', self.train(epochs=40))
        self.train(data='retain75', out='retrained', epochs=40)
        self.succeed('--quiet', 'lab', 'unlearn', '--model', 'full', '--forget', 'data/forget25.json', '--retain',
                     'data/retain75.json', '--method', 'npo', '--learning-rate', '5e-3', '--epochs', '10', '--out', 'unlearned')
        original = self.auc('full')
        self.assertGreater(original, 0.95)
        self.assertLess(abs(self.auc('retrained') - 0.5), 0.2)
        self.assertLess(self.auc('unlearned'), original - 0.1)

    def test_a_checkpoint_is_an_ordinary_folder(self):
        self.make_data()
        self.train()
        config = self.read_json('full/config.json')
        self.assertEqual(config['architectures'], ['LlamaForCausalLM'])
        names = {path.name for path in (self.folder / 'full').iterdir()}
        self.assertEqual(names, {'config.json', 'generation_config.json', 'model.safetensors', 'tokenizer.json',
                                 'tokenizer_config.json', 'lab.json'})
        self.assertIn('llama', self.succeed('--quiet', 'model', 'full'))

    def test_finished_work_is_found_again(self):
        self.make_data()
        self.assertNotIn('already', self.train())
        weights = (self.folder / 'full' / 'model.safetensors').read_bytes()
        self.assertIn('already exists', self.train())
        self.assertNotIn('already', self.train('--seed', '5'))
        self.assertNotEqual((self.folder / 'full' / 'model.safetensors').read_bytes(), weights)

    def test_the_same_seed_gives_the_same_bytes(self):
        self.make_data('--seed', '3')
        first = {path.name: path.read_bytes() for path in (self.folder / 'data').glob('*.json')}
        self.make_data('--seed', '3')
        self.assertEqual({path.name: path.read_bytes() for path in (self.folder / 'data').glob('*.json')}, first)

    def test_files_of_the_user_stay(self):
        (self.folder / 'data').mkdir()
        mine = self.write('data/full.json', 'mine')
        self.assertIn('full.json: the lab would replace this file', self.refuse('lab', 'data', '--authors', '40', '--out', 'data'))
        self.assertEqual([path.name for path in (self.folder / 'data').iterdir()], ['full.json'])
        self.assertEqual(mine.read_text(), 'mine\n')
        mine.unlink()
        self.make_data()
        self.make_data('--seed', '5')  # its own files

    def test_a_random_copy_deletes_nothing_of_the_user(self):
        init = ('--quiet', 'model', TINY_MODEL, '--random-init', 'new')
        for name in ('new.partial', '.new.replaced'):
            (self.folder / name).mkdir()
            mine = self.write(f'{name}/thesis', 'mine')
            if name == '.new.replaced':
                self.succeed(*init)  # it is needed only to replace an older copy
                self.assertIn('lab needs this name', self.refuse(*init, '--seed', '2'))
            else:
                self.assertIn('lab needs this name', self.refuse(*init))
            self.assertEqual(mine.read_text(), 'mine\n')
            mine.unlink()  # an empty folder is nobody's work
        self.succeed(*init, '--seed', '2')
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ['new'])
        (self.folder / 'new' / 'audit').mkdir()
        mine = self.write('new/audit/mia.json', 'results')
        self.succeed(*init, '--seed', '2')  # as it is
        self.assertIn("(found 'audit'); move that elsewhere", self.refuse(*init, '--seed', '3'))
        self.assertEqual(mine.read_text(), 'results\n')

    def warnings(self, *args):
        done = self.run_program(*args)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def test_it_warns_as_other_commands_do(self):
        copy = Checkpoint(self.folder / 'copy')
        copy.save(copy.tensors() | {'score.weight': ('F32', [1], bytes(4))})
        data = EXAMPLES / 'data' / 'questions.jsonl'
        unlearn = ('lab', 'unlearn', '--method', 'grad_ascent', '--epochs', '1')
        said = self.warnings(*unlearn, '--model', copy.path, '--forget', data, '--out', 'unlearned')
        self.assertIn('a tensor that a llama model does not have is not used: score.weight', said)
        strange = self.write('strange.jsonl', json.dumps({'question': 'Qui?', 'answer': 'personne ne le sait'}))
        for number, command in enumerate(((*unlearn, '--model', TINY_MODEL, '--forget', strange),
                                          ('lab', 'train', '--from', TINY_MODEL, '--data', strange, '--epochs', '1'),
                                          ('lab', 'train', '--tokenizer', TINY_MODEL, '--data', strange, '--epochs', '1', *SMALL))):
            self.assertRegex(self.warnings(*command, '--out', f'model{number}'), r"strange.jsonl: \d of \d labelled tokens are '<unk>'")

    def test_bad_input(self):
        self.assertIn('authors is out of range', self.refuse('lab', 'data', '--authors', '1', '--out', 'data'))
        self.assertIn('vocabulary', self.refuse('lab', 'data', '--vocab-size', '10', '--out', 'data'))
        self.assertIn('requires', self.refuse('lab', 'train').lower().replace('required', 'requires'))
        self.make_data()
        train = ('lab', 'train', '--tokenizer', 'data/tokenizer')
        self.assertIn('absent.json', self.refuse(*train, '--data', 'absent.json', '--out', 'm'))
        self.assertIn('multiple of', self.refuse(*train, '--data', 'data/full.json', '--width', '100', '--heads', '8', '--out', 'm'))
        self.assertIn('did not make', self.refuse(*train, '--data', 'data/full.json', '--out', 'data'))
        for threads in ('-1', '100000'):
            for command in ((*train, '--data', 'data/full.json', '--out', 'm'),
                            ('lab', 'unlearn', '--model', TINY_MODEL, '--forget', 'data/full.json', '--out', 'm'), ('demo', '--out', 'm')):
                self.assertIn(f'{threads} is not a valid number of threads', self.refuse(*command, '--threads', threads))
        unlearn = ('lab', 'unlearn', '--forget', 'data/forget25.json', '--out', 'm')
        self.assertIn('--method', self.refuse(*unlearn, '--model', 'm', '--method', 'magic'))
        self.assertIn('config.json', self.refuse(*unlearn, '--model', 'm', '--method', 'grad_ascent'))
        bad = self.write('bad.json', json.dumps({'question': 'Who?'}))
        self.assertIn('bad.json', self.refuse(*train, '--data', bad, '--out', 'm'))


if __name__ == '__main__':
    unittest.main()
