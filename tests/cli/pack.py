"""Audits for tests of evidence packs: of a model, with made-up questions, and of the traces in examples/."""

import json
import random

from program import EXAMPLES, ProgramTest

TINY = EXAMPLES / 'tiny-model'
TRACES = ('--forget-traces', EXAMPLES / 'traces' / 'forget.jsonl', '--holdout-traces', EXAMPLES / 'traces' / 'holdout.jsonl')
WORDS = 'In a small town near the river Where was author born'.split()
SECRET = 'Zebulon Quagmire'  # an author whom nobody may find in a pack without texts


class EvidenceTest(ProgramTest):
    def questions(self, name, count, seed):
        draw = random.Random(seed)
        return self.write(name, *(json.dumps({'question': ' '.join(draw.choices(WORDS, k=5)), 'answer': ' '.join(draw.choices(WORDS, k=8)),
                                              'author': f'{SECRET} {seed} {i // 3}'}) for i in range(count)))

    def model_audit(self, *more, out='out'):
        return ('mia', '--model', TINY, '--forget', self.questions('forget.jsonl', 30, 1), '--holdout',
                self.questions('holdout.jsonl', 30, 2), '--attacks', 'loss,zlib,min_k', '--out', out, *more)

    def files(self, out='out'):
        return sorted(path for path in (self.folder / out).rglob('*') if path.is_file())
