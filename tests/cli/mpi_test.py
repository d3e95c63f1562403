"""Several processes under mpirun: the same bytes as one process, whoever computes what."""

import json
import random
import unittest

from checkpoint import TINY_MODEL, Checkpoint
from long_run import WORDS
from mpi_run import ROOT_MAY, MpiRunTest
from program import EXAMPLES

QUESTIONS = EXAMPLES / 'data' / 'questions.jsonl'
SPLIT = ('--split-layers',)
LITTLE_MEMORY = 400_000  # kilobytes: for the program, MPI and the mapped file, but not for the weights
WITHOUT_GENERATIONS = ('forget_Q_A_Prob', 'extraction_strength', 'mia_min_k_plus_plus', 'mia_reference')


class MpiTest(MpiRunTest):
    """A sample; mpi_slow_test.py has every family and command."""

    def test_traces(self):
        data = self.questions('data.jsonl', 3000, 1)
        for family, runs in (('tiny', ((2, ()), (2, SPLIT))), ('gemma2', ((3, SPLIT),))):
            trace = ('--quiet', 'trace', '--model', self.golden_model(family), '--data', data, '--out')
            self.succeed(*trace, 'whole.jsonl')
            for ranks, more in runs:
                with self.subTest(family, ranks=ranks, more=more):
                    told = self.succeed_ranks(ranks, *trace, 'out.jsonl', *more)
                    self.assertRegex(told, r'\A3000 examples, \d+ sequences, \d+ tokens: out.jsonl\n\Z')  # once
                    self.assertEqual((self.folder / 'out.jsonl').read_bytes(), (self.folder / 'whole.jsonl').read_bytes())
                    self.assertFalse((self.folder / 'out.jsonl.run').exists())
                    (self.folder / 'out.jsonl').unlink()
            (self.folder / 'whole.jsonl').unlink()

    def test_an_audit_with_a_reference(self):
        forget, holdout = self.questions('forget.jsonl', 900, 1), self.questions('holdout.jsonl', 700, 2)
        Checkpoint(self.folder / 'reference').change_json('config.json', rope_theta=20000.0)
        # mpirun gives the leader a terminal to write to.
        mia = ('--quiet', '--color', 'never', 'mia', '--model', TINY_MODEL, '--reference', 'reference', '--forget', forget,
               '--holdout', holdout, '--independent', '--out', 'out')
        self.expect_same_everywhere(mia, ((3, ()),))
        text = self.succeed_ranks(2, *mia)
        # The traces are there: nobody runs a model.
        self.assertEqual(self.succeed_ranks(2, *mia, '--no-run'), text)

    def test_an_evaluation_with_generations(self):
        evaluation = self.evaluation('tofu_tags')
        self.expect_same_everywhere(evaluation, ((2, ()),))
        text = self.succeed_ranks(2, *evaluation)
        self.assertEqual(self.succeed_ranks(2, *evaluation), text)  # every metric is finished already

    def test_an_evaluation_with_split_layers(self):
        self.expect_same_everywhere(self.evaluation('tofu_tags', WITHOUT_GENERATIONS.__contains__), ((2, SPLIT),))

    def test_a_wrong_call_is_one_sentence(self):
        here = ('--data', QUESTIONS, '--out', 'x.jsonl')
        for arguments, said in (
                (('trace', '--model', 'absent', *here), 'absent'),
                (('trace', '--model', TINY_MODEL, '--data', 'absent.jsonl', '--out', 'x.jsonl'), 'absent.jsonl'),
                (('trace', '--model', TINY_MODEL, *here, '--split-layers', '--grad-norm', '2'), 'gradient norms need a whole model'),
                (('trace', '--model', TINY_MODEL, *here, '--split-layers', '--weights', 'streamed'), 'cannot be streamed')):
            self.assertIn(said, self.refuse_ranks(2, *arguments))
        self.assertEqual(list(self.folder.iterdir()), [])
        self.assertIn('the 2 layers of the model cannot be split among 3 processes',
                      self.refuse_ranks(3, 'trace', '--model', TINY_MODEL, *here, '--split-layers'))
        self.assertFalse((self.folder / 'x.jsonl').exists())
        self.assertIn('the metric forget_Q_A_ROUGE needs generated texts',
                      self.refuse_ranks(2, *self.evaluation('tofu_tags', ('forget_Q_A_ROUGE', 'mia_loss').__contains__)[1:],
                                        '--split-layers'))
        self.assertFalse((self.folder / 'out').exists())

    def test_split_layers_without_mpi(self):
        self.assertIn('this is a single process',
                      self.refuse('trace', '--model', TINY_MODEL, '--data', QUESTIONS, '--out', 'x.jsonl', '--split-layers'))
        self.assertIn('applies to --model', self.refuse('mia', '--forget-traces', 'a.jsonl', '--holdout-traces', 'b.jsonl',
                                                       '--split-layers'))

    def test_processes_of_another_mpi_are_refused(self):
        # As MPICH starts them: Open MPI finds only this one.
        self.environment = ROOT_MAY | {'PMI_SIZE': '2', 'PMI_RANK': '0'}
        done = self.run_program('--quiet', 'trace', '--model', TINY_MODEL, '--data', QUESTIONS, '--out', 'x.jsonl')
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn('2 processes were started by an MPI that is not the one that palimpsest-mpi uses', done.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_rank_with_another_model_is_refused(self):
        # Each rank finds its own folder under the same name.
        for rank in ('0', '1'):
            (self.folder / rank).mkdir()
            Checkpoint(self.folder / rank / 'model').change_json('config.json', rope_theta=10000.0 + int(rank))
        script = self.write('rank.sh', 'cd $OMPI_COMM_WORLD_RANK && exec "$@"')
        for more in ((), SPLIT):
            self.assertIn('has a different model from process 0',
                          self.refuse_ranks(2, 'trace', '--model', 'model', '--data', QUESTIONS, '--out', 'x.jsonl', *more,
                                            wrapper=('sh', script)))
            self.assertFalse((self.folder / '0' / 'x.jsonl').exists())

    def test_a_rank_with_other_options_is_refused(self):
        script = self.write('rank.sh', '[ $OMPI_COMM_WORLD_RANK = 1 ] && exec "$@"', 'exec "$@" --split-layers')
        self.assertIn('was started without --split-layers',
                      self.refuse_ranks(2, 'trace', '--model', TINY_MODEL, '--data', QUESTIONS, '--out', 'x.jsonl',
                                        wrapper=('sh', script)))

    def test_a_rank_without_memory_ends_the_run(self):
        # The table takes 67 MB as stored and 134 MB as float32. Several batches, so that each rank has one.
        Checkpoint(self.folder / 'wide').grow_vocabulary(2 ** 20)
        draw = random.Random(1)
        data = self.write('data.jsonl', *(json.dumps({'question': ' '.join(draw.choices(WORDS, k=40)), 'answer': 'river'})
                                          for _ in range(2000)))
        trace = ('trace', '--model', 'wide', '--data', data, '--threads', '1', '--weights', 'float32', '--out', 'x.jsonl')
        script = self.write('rank.sh', f'[ $OMPI_COMM_WORLD_RANK = 1 ] && ulimit -v {LITTLE_MEMORY}', 'exec "$@"')
        for more in ((), SPLIT):
            with self.subTest(more):
                self.assertIn('process 1 failed: not enough memory',
                              self.refuse_ranks(2, *trace, *more, wrapper=('sh', script), status=1))
                self.assertFalse((self.folder / 'x.jsonl').exists())


if __name__ == '__main__':
    unittest.main()
