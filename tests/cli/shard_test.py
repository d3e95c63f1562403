"""Shards: however a run is cut, killed and resumed, its results have the same bytes."""

import contextlib
import fcntl
import json
import os
import random
import re
import shutil
import signal

from checkpoint import TINY_MODEL, Checkpoint
from long_run import LongRunTest, batches_in
from program import EXAMPLES, GOLDEN_EVAL, GOLDEN_MODELS, has_avx2, localised, main, runs_only_if

QUESTIONS = EXAMPLES / 'data' / 'questions.jsonl'


class ShardTest(LongRunTest):
    def kill_and_resume(self, folder, number, *args, shards, at_pass=1):
        """Kills the run of a shard when its part of a pass has the first batch and work is missing, and resumes it. Returns what it
        says then."""
        shard = f'shard-{number}-of-{shards}.journal'
        command = (*args, '--shard', f'{number}/{shards}')

        def attempt(_):
            nonlocal done
            for part in folder.glob(f'*.{shard}'):
                part.unlink()
            status, _ = self.cut([os.environ['PALIMPSEST'], *command], lambda: batches_in(folder / f'pass-{at_pass}.{shard}') > 0)
            finished = batches_in(*folder.glob(f'*.{shard}'))
            done = self.succeed(*command)
            return status == -signal.SIGKILL and 0 < finished < batches_in(*folder.glob(f'*.{shard}'))

        done = ''
        self.until_cut(attempt)
        return done

    def test_traces_have_the_same_bytes_however_the_run_is_cut(self):
        data = self.questions('data.jsonl', 10000, 1)  # two batches or more for each of seven shards
        trace = ('--quiet', 'trace', '--model', TINY_MODEL, '--data', data, '--out')
        self.succeed(*trace, 'whole.jsonl')
        expected = (self.folder / 'whole.jsonl').read_bytes()
        for count in (1, 2, 3, 7):
            out = f'cut-{count}.jsonl'
            for number in range(count, 0, -1):
                done = self.kill_and_resume(self.folder / f'{out}.run', number, *trace, out, shards=count)
                self.assertEqual(done, f'shard {number}/{count} is done; when all shards are, run the same command without '
                                       '--shard for the results\n')
                self.assertFalse((self.folder / out).exists())
            # All is there: no model is run.
            self.succeed(*trace, out, '--no-run')
            self.assertEqual((self.folder / out).read_bytes(), expected)
            self.assertEqual([path.name for path in self.folder.glob(f'*{out}*')], [out])

    def test_gaps_are_named_or_filled(self):
        data = self.questions('data.jsonl', 6000, 1)
        trace = ('--quiet', 'trace', '--model', TINY_MODEL, '--data', data, '--out')
        self.succeed(*trace, 'whole.jsonl')
        self.succeed(*trace, 'out.jsonl', '--shard', '1/3')
        self.succeed(*trace, 'out.jsonl', '--shard', '3/3')
        self.assertRegex(self.refuse(*trace, 'out.jsonl', '--no-run'),
                         r'out.jsonl.run: \d of \d+ batches have not been run: those of 2/3; run these shards, or leave out')
        # Shards of another count beside them, one of them twice.
        self.succeed(*trace, 'out.jsonl', '--shard', '2/2')
        self.assertEqual(json.loads(self.succeed(*trace, 'out.jsonl', '--shard', '2/2', '--json')), {'shard': 2, 'shards': 2})
        self.succeed(*trace, 'out.jsonl')
        self.assertEqual((self.folder / 'out.jsonl').read_bytes(), (self.folder / 'whole.jsonl').read_bytes())

    def test_families_of_models(self):
        data = self.questions('data.jsonl', 2500, 3)
        for family in ('llama', 'gpt2', 'gemma2', 'phi'):
            with self.subTest(family):
                model = self.folder / family
                shutil.copytree(GOLDEN_MODELS / family, model)
                for name in ('tokenizer.json', 'tokenizer_config.json'):
                    shutil.copy(TINY_MODEL / name, model)
                trace = ('--quiet', 'trace', '--model', family, '--data', data, '--out')
                self.succeed(*trace, f'{family}-whole.jsonl')
                for number in (1, 2):
                    self.succeed(*trace, f'{family}.jsonl', '--shard', f'{number}/2')
                self.succeed(*trace, f'{family}.jsonl', '--no-run')
                self.assertEqual((self.folder / f'{family}.jsonl').read_bytes(),
                                 (self.folder / f'{family}-whole.jsonl').read_bytes())

    def test_an_audit_with_every_model(self):
        forget, holdout = self.questions('forget.jsonl', 1500, 1), self.questions('holdout.jsonl', 1200, 2)
        for name, seed in (('reference', 5), ('baseline', 6)):
            model = Checkpoint(self.folder / name)
            draw = random.Random(seed)
            tensors = model.tensors()
            dtype, shape, raw = tensors['model.layers.1.mlp.down_proj.weight']
            noise = bytearray(raw)
            for i in range(0, len(noise), 2):
                noise[i] = draw.randrange(256)  # the low bits of bfloat16
            tensors['model.layers.1.mlp.down_proj.weight'] = (dtype, shape, bytes(noise))
            model.save(tensors)
        mia = ('--quiet', 'mia', '--model', TINY_MODEL, '--reference', 'reference', '--baseline', 'baseline', '--forget', forget,
               '--holdout', holdout, '--independent', '--out', 'out')
        text = self.succeed(*mia)
        expected = self.files('out')
        shutil.rmtree(self.folder / 'out')
        for number in (1, 2, 3):
            self.kill_and_resume(self.folder / 'out' / 'traces.run', number, *mia, shards=3, at_pass=2)
        self.assertFalse((self.folder / 'out' / 'mia.json').exists())
        self.assertEqual(self.succeed(*mia, '--no-run'), text)
        self.assertEqual(self.files('out'), expected)

    def evaluation(self, name):
        golden = json.loads((GOLDEN_EVAL / f'{name}.json').read_text(encoding='utf-8'))
        config = localised(golden['config'], self.folder)
        config.update(seed=0, data_dir=str(GOLDEN_EVAL / 'data'))
        for evaluator in config['eval'].values():
            evaluator['output_dir'] = str(self.folder / 'out')
        self.environment['HF_HOME'] = str(self.folder / 'no-cache')
        (self.folder / 'conf').mkdir(exist_ok=True)
        self.write('conf/eval.yaml', json.dumps(config))
        return ('--quiet', 'eval', '--config-dir', 'conf')

    @staticmethod
    def without_times(record):
        for metric in record['metrics'].values():
            del metric['seconds']
        del record['passes']
        return record

    def test_evaluations_with_generations(self):
        for name, prefix in (('tofu_tags', 'TOFU'), ('muse', 'MUSE')):
            with self.subTest(name):
                arguments = self.evaluation(name)
                text = self.succeed(*arguments)
                expected = self.files('out')
                record = self.without_times(self.read_json(f'out/{prefix}_RUN.json'))
                shutil.rmtree(self.folder / 'out')
                for number in (2, 1):
                    self.succeed(*arguments, '--shard', f'{number}/2')
                    # Nothing but parts.
                    self.assertEqual([path.name for path in (self.folder / 'out').iterdir()], [f'{prefix}.run'])
                self.assertEqual(self.succeed(*arguments, '--no-run'), text)
                self.assertEqual(self.without_times(self.read_json(f'out/{prefix}_RUN.json')), record)
                self.check_results('out', expected)
                shutil.rmtree(self.folder / 'out')

    def test_a_warning_is_printed_once(self):
        done = self.run_program('mia', '--model', TINY_MODEL, '--forget', EXAMPLES / 'data' / 'forget.jsonl', '--holdout',
                                EXAMPLES / 'data' / 'holdout.jsonl', '--independent', '--out', 'out', '--shard', '1/2')
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ('forget.jsonl', 'holdout.jsonl'):
            with self.subTest(name):
                self.assertEqual(len(re.findall(name + r': \d+ of \d+ labelled tokens are', done.stderr)), 1, done.stderr)

    def test_no_run_that_refuses_leaves_nothing_behind(self):
        forget, holdout = self.questions('forget.jsonl', 12, 1), self.questions('holdout.jsonl', 11, 2)
        mia = ('--quiet', 'mia', '--model', TINY_MODEL, '--forget', forget, '--holdout', holdout, '--independent', '--out', 'out')
        for arguments in (mia, self.evaluation('muse')):
            with self.subTest(arguments[1]):
                self.refuse(*arguments, '--no-run')
                self.assertFalse((self.folder / 'out').exists())

    @runs_only_if(has_avx2(), 'this processor lacks avx2')
    def test_parts_with_another_instruction_set_are_refused(self):
        trace = ('--quiet', 'trace', '--model', TINY_MODEL, '--data', QUESTIONS, '--out', 'out.jsonl')
        self.succeed(*trace, '--shard', '1/1', '--isa', 'baseline')
        self.assertIn('out.jsonl.run/pass-1.shard-1-of-1.journal: this part of the run was made with a different instruction set '
                      '(expected avx2, found baseline); run all shards with the same --isa', self.refuse(*trace, '--isa', 'avx2'))

    def test_parts_of_another_run_are_refused_by_name(self):
        trace = ('--quiet', 'trace', '--model', TINY_MODEL, '--data', QUESTIONS, '--out', 'out.jsonl')
        self.succeed(*trace, '--shard', '1/1', '--isa', 'baseline')
        part = 'out.jsonl.run/pass-1.shard-1-of-1.journal: this part of the run was made with a different '
        base = (*trace, '--isa', 'baseline')
        self.assertIn(part + 'list of gradient norms', self.refuse(*base, '--grad-norm', '2'))
        self.assertIn(part + 'setting of the mask', self.refuse(*base, '--attention-mask', 'full'))
        other = Checkpoint(self.folder / 'other')
        other.change_json('config.json', rope_theta=20000.0)
        changed = ['other' if word == TINY_MODEL else word for word in base]
        self.assertIn(part + 'model (expected fingerprint ', self.refuse(*changed))
        data = self.write('data.jsonl', '{"question": "Where", "answer": "near the river"}')
        changed = [data if word == QUESTIONS else word for word in base]
        self.assertIn(part + 'data (expected 1 sequences', self.refuse(*changed))
        # A part of another version of the program.
        file = self.folder / 'out.jsonl.run' / 'pass-1.shard-1-of-1.journal'
        self.assertIn(b'"program":"', file.read_bytes())
        self.succeed(*base, '--no-run')

    def test_bad_shards(self):
        trace = ('--quiet', 'trace', '--model', TINY_MODEL, '--data', QUESTIONS, '--out', 'out.jsonl')
        for shard, said in (('5/4', 'there is no shard 5/4 (expected 1/4 to 4/4)'), ('0/4', 'there is no shard 0/4'),
                            ('1/0', 'there is no shard 1/0'), ('x', "'x' is not a shard (expected I/N, auto or auto/N)"),
                            ('1/x', "'1/x' is not a shard"), ('-1/4', "'-1/4' is not a shard"), ('2', "'2' is not a shard"),
                            ('auto', 'no batch system says which shard this is')):
            with self.subTest(shard):
                self.assertIn(said, self.refuse(*trace, f'--shard={shard}'))
        # A variable that is not set must not mean the whole run.
        self.assertIn("'' is not a shard (expected I/N", self.refuse(*trace, '--shard', ''))
        self.assertIn('--no-run', self.refuse(*trace, '--shard', '1/2', '--no-run'))
        traces = EXAMPLES / 'traces'
        mia = ('--quiet', 'mia', '--forget-traces', traces / 'forget.jsonl', '--holdout-traces', traces / 'holdout.jsonl')
        self.assertIn('--shard: the option applies to --model', self.refuse(*mia, '--shard', '1/2'))

    def said_of_shard(self, shard, **variables):
        self.environment = variables
        done = self.run_program('trace', '--model', TINY_MODEL, '--data', QUESTIONS, '--out', 'out.jsonl', '--shard', shard)
        shutil.rmtree(self.folder / 'out.jsonl.run', ignore_errors=True)
        self.environment = {}
        return done

    def test_shards_that_a_batch_system_gives(self):
        for shard, variables, text in (
                ('auto', {'SLURM_ARRAY_TASK_ID': '3', 'SLURM_ARRAY_TASK_MIN': '1', 'SLURM_ARRAY_TASK_COUNT': '8'},
                 'this is shard 3/8, according to SLURM_ARRAY_TASK_ID=3 (Slurm)'),
                ('auto', {'SLURM_ARRAY_TASK_ID': '0', 'SLURM_ARRAY_TASK_MIN': '0', 'SLURM_ARRAY_TASK_COUNT': '8'},
                 'this is shard 1/8, according to SLURM_ARRAY_TASK_ID=0 (Slurm)'),
                ('auto/8', {'JOB_COMPLETION_INDEX': '7'}, 'this is shard 8/8, according to JOB_COMPLETION_INDEX=7 (Kubernetes)'),
                ('auto', {'AWS_BATCH_JOB_ARRAY_INDEX': '1', 'AWS_BATCH_JOB_ARRAY_SIZE': '4'},
                 'this is shard 2/4, according to AWS_BATCH_JOB_ARRAY_INDEX=1 (AWS Batch)'),
                ('auto', {'SGE_TASK_ID': '5', 'SGE_TASK_FIRST': '1', 'SGE_TASK_LAST': '9', 'SGE_TASK_STEPSIZE': '2'},
                 'this is shard 3/5, according to SGE_TASK_ID=5 (Grid Engine)')):
            with self.subTest(text):
                done = self.said_of_shard(shard, **variables)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(text, done.stderr)
        for shard, variables, text in (
                ('auto', {'JOB_COMPLETION_INDEX': '7'}, 'but not how many there are; give --shard auto/N'),
                ('auto/4', {'JOB_COMPLETION_INDEX': '4'}, 'there is no shard 5/4'),
                ('auto', {'JOB_COMPLETION_INDEX': 'x'}, "JOB_COMPLETION_INDEX is 'x', which is not a whole number"),
                ('auto/4', {'SLURM_ARRAY_TASK_ID': '3', 'SLURM_ARRAY_TASK_MIN': '3', 'SLURM_ARRAY_TASK_COUNT': '2'},
                 'Slurm has 2 tasks in this array, not 4'),
                ('auto', {'SGE_TASK_ID': 'undefined'}, 'no batch system says which shard this is')):
            with self.subTest(text):
                done = self.said_of_shard(shard, **variables)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(text, done.stderr)

    @contextlib.contextmanager
    def held(self, name):
        """Another process holds the lock."""
        path = self.folder / name
        with open(path, 'w', encoding='utf-8') as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            json.dump({'host': 'elsewhere', 'pid': 12345, 'command': 'palimpsest trace --shard 1/2'}, file)
            file.flush()
            yield
            path.unlink()

    def test_two_processes_on_the_same_shard(self):
        trace = ('--quiet', 'trace', '--model', TINY_MODEL, '--data', QUESTIONS, '--out', 'out.jsonl')
        who = 'another run (`palimpsest trace --shard 1/2`, process 12345 on host elsewhere) is writing to this'
        with self.held('.out.jsonl.palimpsest.shard-1-of-2.lock'):
            self.assertIn(who, self.refuse(*trace, '--shard', '1/2'))
            self.assertIn(who, self.refuse(*trace))  # nor is the whole finished meanwhile
            self.succeed(*trace, '--shard', '2/2')
        with self.held('.out.jsonl.palimpsest.lock'):
            self.assertIn(who, self.refuse(*trace, '--shard', '1/2'))
        self.succeed(*trace)

    def test_machines_without_a_common_disk(self):
        forget, holdout = self.questions('forget.jsonl', 1500, 1), self.questions('holdout.jsonl', 1200, 2)
        mia = ('--quiet', 'mia', '--model', TINY_MODEL, '--forget', forget, '--holdout', holdout, '--independent', '--out')
        self.succeed(*mia, 'whole')
        for number in (1, 2):
            self.succeed(*mia, f'machine-{number}', '--shard', f'{number}/2')
        told = self.succeed('gather-parts', 'machine-1', 'machine-2', '--out', 'audit')
        self.assertRegex(told, r'\A2 parts with \d+ new batch(es)?, written to audit\n\Z')
        self.succeed(*mia, 'audit', '--no-run')
        self.assertEqual(self.files('audit'), self.files('whole'))
        other = Checkpoint(self.folder / 'other')
        other.change_json('config.json', rope_theta=20000.0)
        changed = ['other' if word == TINY_MODEL else word for word in mia]
        self.succeed(*mia, 'one', '--shard', '1/2')
        self.succeed(*changed, 'two', '--shard', '2/2')
        self.assertIn('made with a different model', self.refuse('gather-parts', 'one', 'two', '--out', 'none'))
        self.assertIn('holds no part of a run', self.refuse('gather-parts', 'whole', '--out', 'none'))


if __name__ == '__main__':
    main()
