"""palimpsest trace, end to end."""

import json
import os
import random
import signal

from checkpoint import TINY_MODEL
from long_run import LongRunTest, batches_in
from program import AS_ANOTHER_USER, EXAMPLES, is_another_user_possible, main, runs_only_if

QUESTIONS = EXAMPLES / 'data' / 'questions.jsonl'
KILLS = 5  # the run that is killed has six batches
WORDS = 'Where was the author born In a small town near river'.split()


class TraceTest(LongRunTest):

    def trace(self, *options, data=QUESTIONS, out='out.jsonl'):
        self.succeed('--quiet', 'trace', '--model', TINY_MODEL, '--data', data, '--out', out, *options)
        return [json.loads(line) for line in (self.folder / out).read_text(encoding='utf-8').splitlines()]

    def refusal(self, *options, data=QUESTIONS):
        return self.refuse('--quiet', 'trace', '--model', TINY_MODEL, '--data', data, '--out', 'out.jsonl', *options)

    def test_questions_and_answers(self):
        header, first, second, third = self.trace('--attention-mask', 'full', '--group-key', 'topic')
        self.assertEqual(header['palimpsest_trace'], 1)
        self.assertEqual([first['index'], second['index'], third['index'], third['alternative']], ['0', '1', '1', 1])
        self.assertEqual(first['text'], 'In a small town near the river.')
        self.assertLess(first['avg_loss'], 0.01)  # learned by heart
        self.assertGreater(second['avg_loss'], 1)
        self.assertEqual(first['argmax'], first['label'])
        self.assertEqual(first['groups'], {'topic': 'places'})
        self.assertFalse((self.folder / 'out.jsonl.run').exists())

    def test_gradient_norms(self):
        _, first, second, _ = self.trace('--grad-norm', '1', '--grad-norm', '2', '--grad-norm', 'inf')
        for line in (first, second):
            norms = line['grad_norm']
            self.assertGreater(norms['1'], norms['2'])
            self.assertGreater(norms['2'], norms['inf'])
        self.assertLess(first['grad_norm']['2'], second['grad_norm']['2'])

    def test_the_mask_makes_a_difference(self):
        # The end of the question's turn equals the padding token.
        self.assertNotEqual(self.trace()[1]['logprob'], self.trace('--attention-mask', 'full')[1]['logprob'])

    def test_completion_and_pretraining(self):
        data = self.write('texts.jsonl', '{"text": "In a small town near the river", "prompt": "Where was"}',
                          '{"text": "near the river"}')
        _, first, second = self.trace('--dataset', 'completion', '--insert-space', data=data)
        self.assertEqual(first['num_labels'], 7)
        self.assertEqual(second['text'], 'near the river')
        # The keys say as much.
        self.assertEqual(self.trace('--text-key', 'text', '--insert-space', data=data)[1:], [first, second])
        _, other, _ = self.trace('--text-key', 'text', '--prefix-key', 'absent', '--insert-space', data=data)
        self.assertNotEqual(other['logprob'], first['logprob'])
        chunks = self.trace('--dataset', 'pretraining', '--max-length', '4', data=data)
        self.assertEqual([line['index'] for line in chunks[1:]], [str(i) for i in range(len(chunks) - 1)])

    def test_what_a_user_should_know_of_the_data(self):
        def said(*options, data=QUESTIONS):
            return self.run_program('trace', '--model', TINY_MODEL, '--data', data, '--out', 'out.jsonl', *options).stderr
        self.assertNotIn('has no effect', said())
        self.assertIn('the maximum length has no effect under a chat template', said('--max-length', '3'))
        self.assertNotIn('has no effect', said('--max-length', '3', '--template', 'tags'))
        strange = self.write('strange.jsonl', '{"question": "Where", "answer": "xyzzy plugh"}')
        self.assertRegex(said(data=strange), r"strange.jsonl: \d of \d labelled tokens are '<unk>'")

    def test_bad_input(self):
        self.assertIn('no record', self.refusal(data=self.write('empty.jsonl')))
        bad = self.write('bad.jsonl', '{"question": "a", "answer": "b"}', '{"question": "a", "reply": "b"}')
        sentence = self.refusal(data=bad)
        self.assertIn('bad.jsonl:2', sentence)
        self.assertIn('question, reply', sentence)
        self.assertIn('1, 2 or inf', self.refusal('--grad-norm', '3'))
        self.assertIn('--dataset', self.refusal('--dataset', 'chat'))
        self.assertIn('--template', self.refusal('--template', 'x'))
        self.assertIn('--few-shot', self.refusal('--text-key', 'answer', '--few-shot', QUESTIONS))
        self.assertIn('--max-length', self.refusal('--max-length', '0'))
        long = self.write('long.jsonl', '{"question": "a", "answer": "a"}',
                          json.dumps({'question': 'the ' * 70, 'answer': 'a'}))
        sentence = self.refusal(data=long)
        self.assertIn('at most 64', sentence)
        self.assertIn('long.jsonl, example 1', sentence)

    def test_data_that_cannot_be_looked_at_are_refused(self):
        self.assertIn('the file cannot be read: File name too long', self.refusal(data='x' * 300 + '.jsonl'))
        (self.folder / 'parts').mkdir()
        self.write('parts/1.jsonl', '{"question": "a", "answer": "b"}')
        (self.folder / 'parts' / '2.jsonl').symlink_to('2.jsonl')
        self.assertIn('the file cannot be read: Too many levels of symbolic links', self.refusal(data='parts'))

    @runs_only_if(os.geteuid() != 0 or is_another_user_possible(), 'root may read every folder, and cannot be another user here')
    def test_a_folder_that_may_not_be_read_is_refused(self):
        (self.folder / 'parts').mkdir(mode=0)
        self.addCleanup((self.folder / 'parts').chmod, 0o700)
        if os.geteuid() == 0:
            self.folder.chmod(0o777)
            self.process = AS_ANOTHER_USER
        self.assertIn('parts: the folder cannot be read: Permission denied', self.refusal(data='parts'))

    def test_killed_again_and_again_it_goes_on(self):
        draw = random.Random(1)
        lines = [json.dumps({'question': ' '.join(draw.choices(WORDS, k=12)), 'answer': ' '.join(draw.choices(WORDS, k=30))})
                 for _ in range(2000)]
        data = self.write('many.jsonl', *lines)
        self.trace('--grad-norm', '2', data=data, out='whole.jsonl')
        whole = (self.folder / 'whole.jsonl').read_bytes()
        command = [os.environ['PALIMPSEST'], 'trace', '--model', str(TINY_MODEL), '--data', str(data), '--out', 'killed.jsonl',
                   '--grad-norm', '2']
        result = self.folder / 'killed.jsonl'
        journals = self.folder / 'killed.jsonl.run'

        def committed():
            return batches_in(*journals.glob('*.journal'))

        # Every run starts from the journal that the killed one before left.
        for k in range(KILLS):
            def is_cut_after_k_batches(_, k=k):
                status, _ = self.cut(command, lambda: committed() >= k)
                if result.exists():  # it is there when it is whole, though its maker may die a moment later
                    self.assertEqual(result.read_bytes(), whole)
                    result.unlink()
                return status == -signal.SIGKILL and committed() >= k

            with self.subTest(k=k):
                self.until_cut(is_cut_after_k_batches)
        # The last one died with work done, which the run that follows does not repeat.
        done = self.run_program(*command[1:])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r'\b[1-9]\d* of 2000 sequences had been run before')
        self.assertEqual(result.read_bytes(), whole)


if __name__ == '__main__':
    main()
