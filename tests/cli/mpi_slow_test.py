"""Byte identity under mpirun for every command and a model of each kind: 2 and 3 processes, with whole models and with split layers."""

import unittest

from mpi_run import MpiRunTest

FAMILIES = ('llama', 'gpt2', 'gemma2', 'phi')
SPLIT = ('--split-layers',)
WHOLE = ((2, ()), (3, ()))
DIVIDED = ((2, SPLIT), (3, SPLIT))
FORWARD_ONLY = 'loss,zlib,min_k,min_k_plus_plus,reference'


def is_scored(name):
    """Whether the metric needs neither generations nor gradients, nor a metric that does."""
    return 'ROUGE' not in name and name not in ('model_utility', 'mia_gradnorm')


class MpiSlowTest(MpiRunTest):
    def test_traces(self):
        data = self.questions('data.jsonl', 2500, 1)
        for family in FAMILIES:
            trace = ('--quiet', 'trace', '--model', self.random_model(family, 1), '--data', data, '--out')
            for more, runs in ((('--grad-norm', '2'), WHOLE), ((), WHOLE + DIVIDED)):
                self.succeed(*trace, 'whole.jsonl', *more)
                for ranks, how in runs:
                    with self.subTest(family, ranks=ranks, how=how, more=more):
                        self.succeed_ranks(ranks, *trace, 'out.jsonl', *more, *how)
                        self.assertEqual((self.folder / 'out.jsonl').read_bytes(), (self.folder / 'whole.jsonl').read_bytes())
                        (self.folder / 'out.jsonl').unlink()

    def test_audits(self):
        forget, holdout = self.questions('forget.jsonl', 500, 1), self.questions('holdout.jsonl', 400, 2)
        for family in FAMILIES:
            mia = ('--quiet', '--color', 'never', 'mia', '--model', self.random_model(family, 1), '--reference', self.random_model(family, 2), '--baseline',
                   self.random_model(family, 3), '--forget', forget, '--holdout', holdout, '--independent', '--out', 'out')
            self.expect_same_everywhere((*mia, '--attacks', 'all'), WHOLE)
            self.expect_same_everywhere((*mia, '--attacks', FORWARD_ONLY), WHOLE + DIVIDED)

    def evaluate(self, golden):
        for family in FAMILIES:
            models = (self.random_model(family, 1), self.random_model(family, 2))
            self.expect_same_everywhere(self.evaluation(golden, models=models), WHOLE)
            self.expect_same_everywhere(self.evaluation(golden, is_scored, models), DIVIDED)

    def test_tofu(self):
        self.evaluate('tofu_tags')

    def test_muse(self):
        self.evaluate('muse')


if __name__ == '__main__':
    unittest.main()
