"""Evidence packs for publication: names in place of paths, and packs without texts."""

import json
import re
import shutil
import stat
import unittest

from checkpoint import Checkpoint, save_tensors
from pack import SECRET, TINY, TRACES, EvidenceTest
from program import EXAMPLES


class PublicationTest(EvidenceTest):
    def contents(self, out='out'):
        return {path: path.read_text(encoding='utf-8') for path in self.files(out)}

    def test_paths_stand_once_where_they_were_given(self):
        self.succeed(*self.model_audit('--independent'))
        for path, text in self.contents().items():
            if path.name == 'report.html':
                text = re.sub(r'<section id="provenance".*?</section>', '', text, flags=re.DOTALL)
            if path.name != 'provenance.json':
                self.assertNotIn(str(EXAMPLES), text, path)
                self.assertNotIn(str(self.folder), text, path)
        record = self.read_json('out/provenance.json')
        record['command'] = []
        self.assertEqual(json.dumps(record).count(str(TINY)), 1)
        self.assertEqual(self.read_json('out/mia.json')['audit']['model'], TINY.name)

    def test_models_of_the_same_name_are_told_apart(self):
        for name in ('a', 'b'):
            shutil.copytree(TINY, self.folder / name / 'final')
        self.succeed('mia', '--model', 'a/final', '--baseline', self.folder / 'b' / 'final', '--forget', self.questions('f.jsonl', 30, 1),
                     '--holdout', self.questions('h.jsonl', 30, 2), '--independent', '--attacks', 'loss', '--out', 'out')
        audit = self.read_json('out/mia.json')['audit']
        self.assertEqual((audit['model'], audit['baseline_model']), ('a/final', 'b/final'))

    def test_no_paths_leaves_none(self):
        self.succeed(*self.model_audit('--independent', '--no-paths'))
        for path, text in self.contents().items():
            self.assertNotIn(str(EXAMPLES), text, path)
            self.assertNotIn(str(self.folder), text, path)
        self.assertEqual(self.read_json('out/provenance.json')['left_out'], ['paths'])
        self.succeed('verify', 'out')
        self.succeed('mia', *TRACES, '--no-paths', '--out', 'traced')
        for path, text in self.contents('traced').items():
            self.assertNotIn(str(EXAMPLES), text, path)

    def add_surplus(self, model):
        """A tensor that the architecture does not have, of which a warning speaks."""
        model.save(model.tensors() | {'surplus': ('F32', [1], bytes(4))})

    def expect_no_paths(self, warnings, *models):
        out = 'out-without-paths'
        self.succeed('mia', *models, '--forget', self.questions('forget.jsonl', 30, 1), '--holdout', self.questions('holdout.jsonl', 30, 2),
                     '--independent', '--attacks', 'loss', '--attention-mask', 'full', '--no-paths', '--out', out)
        for path, text in self.contents(out).items():
            self.assertNotIn(str(self.folder), text, path)
        stored = self.read_json(f'{out}/mia.json')['audit']['warnings']
        self.assertEqual(sorted(warning.split(':')[0] for warning in stored), sorted(warnings))
        shutil.rmtree(self.folder / out)

    def test_the_base_of_an_adapter_is_no_path(self):
        base = Checkpoint(self.folder / 'bases' / 'tiny')
        self.add_surplus(base)
        base.change_json('tokenizer_config.json', tokenizer_class='Unheard')
        adapter = self.folder / 'runs' / 'adapter'
        adapter.mkdir(parents=True)
        self.write_json('runs/adapter/adapter_config.json', {'peft_type': 'LORA', 'r': 1, 'lora_alpha': 1, 'target_modules': ['q_proj'],
                                                             'base_model_name_or_path': str(base.path)})
        tensors = {}
        for layer in range(2):
            module = f'base_model.model.model.layers.{layer}.self_attn.q_proj'
            tensors |= {f'{module}.lora_A.weight': ('F32', [1, 32], bytes(128)), f'{module}.lora_B.weight': ('F32', [32, 1], bytes(128))}
        save_tensors(adapter / 'adapter_model.safetensors', tensors)
        notes = ['tiny/model.safetensors', 'tiny/tokenizer_config.json']
        self.expect_no_paths(notes, '--model', adapter)
        self.expect_no_paths(notes, '--model', TINY, '--reference', adapter)

    def test_a_model_may_be_given_with_a_slash_at_its_end(self):
        model = Checkpoint(self.folder / 'models' / 'mine')
        self.add_surplus(model)
        for folder in ('models/mine/', f'{model.path}/'):
            self.expect_no_paths(['mine/model.safetensors'], '--model', folder)
        model.split()
        for folder in ('models/mine/', f'{model.path}/'):
            self.expect_no_paths(['mine'], '--model', folder)

    def test_warnings_call_data_by_the_names_that_tell_them_apart(self):
        for name, seed in (('forget', 1), ('holdout', 2)):
            (self.folder / name).mkdir()
            self.questions(f'{name}/data.jsonl', 30, seed)
        self.succeed('mia', '--model', TINY, '--forget', 'forget/data.jsonl', '--holdout', self.folder / 'holdout' / 'data.jsonl', '--independent',
                     '--attacks', 'loss', '--attention-mask', 'full', '--template', 'tags', '--max-length', '6', '--out', 'out')
        warnings = self.read_json('out/mia.json')['audit']['warnings']
        self.assertEqual([warning.split(':')[0] for warning in warnings], ['forget/data.jsonl', 'holdout/data.jsonl'])

    def test_no_text_leaves_no_text(self):
        self.succeed(*self.model_audit('--cluster-key', 'author', '--group-key', 'author', '--no-text'))
        for path, text in self.contents().items():
            self.assertNotIn(SECRET, text, path)
            if path.parent.name == 'traces':
                for line in text.splitlines()[1:]:
                    trace = json.loads(line)
                    self.assertFalse({'text', 'prompt', 'tokens', 'argmax', 'label'} & trace.keys())
                    self.assertGreater(trace['zlib_size'], 0)
                    self.assertRegex(trace['text_hash'], '^[0-9a-f]{16}$')
        page = (self.folder / 'out' / 'report.html').read_text(encoding='utf-8')
        for answer in (self.folder / 'forget.jsonl').read_text(encoding='utf-8').splitlines():
            self.assertNotIn(json.loads(answer)['answer'], page)
        text = self.succeed('verify', 'out')
        for attack in ('loss', 'zlib', 'min_k'):
            self.assertIn(f'scores of {attack}: the same', text)
        self.assertIn('not computed again: the answer', text)

    def test_no_text_changes_no_number(self):
        self.succeed(*self.model_audit('--cluster-key', 'author', out='with'))
        self.succeed(*self.model_audit('--cluster-key', 'author', '--no-text', out='without'))
        one, other = (self.read_json(f'{name}/mia.json') for name in ('with', 'without'))
        for attack in ('loss', 'zlib', 'min_k'):
            self.assertEqual(one[attack]['auc_ci'], other[attack]['auc_ci'])
            self.assertEqual(one[attack]['forget'], other[attack]['forget'])
        self.assertEqual(one['audit']['answer']['verdict'], other['audit']['answer']['verdict'])
        # The hidden traces can still be audited, and the same texts are still known to be the same.
        traces = self.folder / 'without' / 'traces'
        self.succeed('mia', '--forget-traces', traces / 'forget.jsonl', '--holdout-traces', traces / 'holdout.jsonl', '--attacks',
                     'loss,zlib,min_k', '--out', 'again')
        self.assertEqual(self.read_json('again/mia.json')['zlib']['auc'], one['zlib']['auc'])
        self.assertIn('is also in the other', self.refuse('mia', '--forget-traces', traces / 'forget.jsonl', '--holdout-traces',
                                                          traces / 'forget.jsonl', '--out', 'same'))

    def test_a_report_does_not_put_texts_back(self):
        traces = [json.loads(line) for set_ in ('forget', 'holdout')
                  for line in (EXAMPLES / 'traces' / f'{set_}.jsonl').read_text(encoding='utf-8').splitlines()[1:]]
        texts = {json.dumps(trace[key])[1:-1] for trace in traces for key in ('text', 'prompt') if len(trace.get(key, '')) > 20}
        self.assertGreater(len(texts), 20)
        self.succeed('mia', *TRACES, '--independent', '--out', 'with')
        self.succeed('mia', *TRACES, '--independent', '--no-text', '--out', 'without')
        self.assertEqual(self.read_json('without/mia.json')['audit']['record']['left out'], 'texts')
        for inputs in (('with',), ('with', 'without')):  # the texts are those that a page of the traces shows
            self.succeed('report', *inputs, '--out', 'page')
            page = (self.folder / 'page' / 'report.html').read_text(encoding='utf-8')
            self.assertTrue(any(text in page for text in texts), inputs)
        for number, inputs in enumerate((('without',), ('without', 'with'))):
            out = f'page{number}'
            self.succeed('report', *inputs, '--out', out)
            for path, content in self.contents(out).items():
                for text in texts:
                    self.assertNotIn(text, content, path)
                self.assertNotIn('"logprob":', content.split('id="data">')[-1], path)

    def test_the_salt_is_kept_apart(self):
        call = ('--cluster-key', 'author', '--no-text', '--salt')
        self.assertIn('salt', self.refuse(*self.model_audit(*call, 'out/salt')))
        self.succeed(*self.model_audit(*call, 'salt'))
        self.assertEqual(stat.S_IMODE((self.folder / 'salt').stat().st_mode), 0o600)
        salt = (self.folder / 'salt').read_text(encoding='utf-8')
        self.assertGreater(len(salt), 60)
        for path, text in self.contents().items():
            self.assertNotIn(salt.strip(), text, path)
        first = self.read_json('out/mia.json')
        self.succeed(*self.model_audit(*call, 'salt'))
        self.assertEqual(self.read_json('out/mia.json'), first)  # the same salt, the same hashes
        self.succeed(*self.model_audit('--cluster-key', 'author', '--no-text'))
        self.assertNotEqual(self.read_json('out/mia.json')['audit']['clusters'], first['audit']['clusters'])


if __name__ == '__main__':
    unittest.main()
