"""`palimpsest eval`: a configuration in, logs out. The numbers are those of open-unlearning (tests/golden/eval)."""

import fcntl
import json
import os
import pathlib
import signal
import unittest

from checkpoint import Checkpoint
from long_run import LongRunTest, batches_in
from program import EXAMPLES, GOLDEN_EVAL, localised


class EvalRunTest(LongRunTest):
    def setUp(self):
        super().setUp()
        self.golden = json.loads((GOLDEN_EVAL / "tofu_tags.json").read_text(encoding="utf-8"))
        self.config = localised(self.golden["config"], self.folder)
        self.config.update(seed=0, data_dir=str(GOLDEN_EVAL / "data"))
        self.tofu = self.config["eval"]["tofu"]
        self.tofu["output_dir"] = str(self.folder / "out")
        self.metrics = self.tofu["metrics"]
        self.environment["HF_HOME"] = str(self.folder / "no-cache")

    def arguments(self, *overrides):
        # JSON is YAML.
        (self.folder / "conf").mkdir(exist_ok=True)
        self.write("conf/eval.yaml", json.dumps(self.config))
        return ("eval", "--config-dir", "conf", *overrides)

    def log(self):
        return self.read_json("out/TOFU_EVAL.json")

    def keep(self, *names):
        for name in set(self.metrics) - set(names):
            del self.metrics[name]

    def test_a_second_run_into_the_folder_is_refused(self):
        self.keep("mia_loss")
        (self.folder / "out").mkdir()
        arguments = self.arguments()
        with open(self.folder / "out" / ".palimpsest.lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            print('{"host": "elsewhere", "pid": 12345, "command": "palimpsest eval"}', file=lock, flush=True)
            message = self.refuse("--quiet", *arguments)
        self.assertIn("another run (`palimpsest eval`, process 12345 on host elsewhere) is writing to this folder", message)
        self.assertEqual([path.name for path in (self.folder / "out").iterdir()], [".palimpsest.lock"])
        # The file of a run that is gone is in nobody's way.
        self.succeed("--quiet", *arguments)
        self.assertFalse((self.folder / "out" / ".palimpsest.lock").exists())

    def test_a_run_is_an_evidence_pack_and_has_gates(self):
        self.keep("mia_loss")
        self.succeed(*self.arguments())
        record = self.read_json("out/provenance.json")
        self.assertEqual(record["kind"], "eval")
        self.assertEqual(record["computing"]["device"], "cpu")
        roles = [entry["role"] for entry in record["inputs"]]
        self.assertEqual(roles[:2], ["model", "tokenizer and chat template"])
        self.assertTrue(all(role.startswith("data ") for role in roles[2:]) and len(roles) > 2, roles)
        names = [entry["name"] for entry in record["files"]]
        for name in ("TOFU_EVAL.json", "TOFU_RUN.json", "TOFU_SUMMARY.json", "report.html"):
            self.assertIn(name, names)
        self.assertFalse((self.folder / "out" / ".palimpsest.start").exists())
        self.assertIn("checked by their hashes only", self.succeed("verify", "out"))
        done = self.run_program("--quiet", *self.arguments("--fail-on", "not_decided"))
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr, r"\Apalimpsest: the verdict is not_decided, [^\n]+\n\Z")
        self.assertEqual(self.read_json("out/provenance.json")["started"], record["started"])
        self.assertEqual(self.run_program(*self.arguments("--require", "not_decided")).returncode, 0)

    def test_evaluators_of_one_folder_have_one_page(self):
        self.keep("mia_loss", "forget_Q_A_Prob")
        self.config["eval"]["muse"] = self.tofu | {"handler": "MUSEEvaluator", "metrics": {"mia_loss": self.metrics.pop("mia_loss")}}
        self.succeed("--quiet", *self.arguments())
        page = (self.folder / "out/report.html").read_text(encoding="utf-8")
        self.assertIn('"TOFU, MUSE"', page)
        for name in ("TOFU_RUN.json", "MUSE_RUN.json"):
            self.assertIn(name, page)
        self.assertIn("checked by their hashes only", self.succeed("verify", "out"))

    def test_a_folder_is_one_folder_however_it_is_written(self):
        self.keep("mia_loss")
        self.config["eval"]["muse"] = self.tofu | {"handler": "MUSEEvaluator", "output_dir": "out"}
        self.tofu["output_dir"] += "/"
        self.succeed("--quiet", *self.arguments())
        record = self.read_json("out/provenance.json")
        names = {entry["name"] for entry in record["files"]}
        for name in ("TOFU", "MUSE"):
            self.assertLessEqual({f"{name}_{kind}.json" for kind in ("EVAL", "RUN", "SUMMARY")}, names)
            self.assertIn(f"{name}_TRACES", {name.split("/")[0] for name in names})
        page = (self.folder / "out/report.html").read_text(encoding="utf-8")
        self.assertIn('"TOFU, MUSE"', page)
        self.assertIn(record["started"], page)
        self.succeed("verify", "out")
        self.config["eval"]["muse"]["handler"] = "TOFUEvaluator"
        self.assertIn("two evaluators would write", self.refuse("--quiet", *self.arguments()))

    def test_results_that_were_edited_are_not_reported(self):
        self.keep("forget_Q_A_Prob", "mia_loss")
        self.succeed("--quiet", *self.arguments())
        out = self.folder / "out"
        whole = {path.name: path.read_bytes() for path in out.iterdir() if path.is_file()}
        log, record, summary = (json.loads(whole[f"TOFU_{kind}.json"]) for kind in ("EVAL", "RUN", "SUMMARY"))
        equivalent = record | {"answer": record["answer"] | {"verdict": "equivalent"}}
        narrow = json.loads(json.dumps(record))
        narrow["metrics"]["mia_loss"]["interval"] = [0.499, 0.501]
        unhashed, edited = json.loads(json.dumps(record)), json.loads(json.dumps(log))
        del unhashed["metrics"]["mia_loss"]["result_hash"]
        edited["mia_loss"]["agg_value"] = 0.123
        without = {name: entry for name, entry in log.items() if name != "mia_loss"}
        for name, changed in (("RUN", {"TOFU_RUN.json": equivalent}),
                              ("RUN", {"TOFU_RUN.json": narrow}),
                              ("RUN", {"TOFU_RUN.json": None}),
                              ("EVAL", {"TOFU_EVAL.json": log | {"more": {"agg_value": 1}}}),
                              ("EVAL", {"TOFU_EVAL.json": without}),
                              ("EVAL", {"TOFU_EVAL.json": None}),
                              ("EVAL", {"TOFU_RUN.json": unhashed, "TOFU_EVAL.json": edited}),
                              ("SUMMARY", {"TOFU_SUMMARY.json": summary | {"more": 1}}),
                              ("provenance", {"provenance.json": None, "TOFU_EVAL.json": edited}),
                              ("provenance", {"provenance.json": {"files": []}})):
            with self.subTest(changed=[*changed]):
                for file, value in changed.items():
                    if value is None:
                        (out / file).unlink()
                    else:
                        self.write_json(f"out/{file}", value)
                if name == "provenance":
                    # Without it, and with that of another program, the record's own hashes are what there is.
                    done = self.run_program("report", "out", "--independent")
                    self.assertEqual(done.returncode, 2 if "TOFU_EVAL.json" in changed else 0, done.stderr)
                else:
                    self.assertRegex(self.refuse("report", "out", "--require", "equivalent", "--out", "page"), rf"^out/TOFU_{name}\.json: ")
                for file, content in whole.items():
                    (out / file).write_bytes(content)
        for damaged in ("null", "[]"):
            (out / "provenance.json").write_text(damaged, encoding="utf-8")
            self.assertRegex(self.refuse("report", "out"), "^out/provenance.json: this does not say where the results come from")
        # The same evaluation mends all of this.
        self.write_json("out/TOFU_RUN.json", equivalent)
        self.succeed("--quiet", *self.arguments())
        self.succeed("report", "out", "--require", "not_decided")
        self.succeed("verify", "out")

    def test_a_run_over_finished_results_that_is_cut_short_can_be_read(self):
        other = f"model.model_args.pretrained_model_name_or_path={GOLDEN_EVAL / 'retain'}"

        def attempt(number):
            self.tofu["output_dir"] = str(self.folder / f"cut{number}")
            self.succeed("--quiet", *self.arguments())
            out = self.folder / f"cut{number}"
            return self.cut_evaluation(self.arguments(other), out, lambda out: any(out.glob("TOFU.run/*.journal")), signal.SIGKILL)

        self.until_cut(attempt)
        out = pathlib.Path(self.tofu["output_dir"]).name
        self.assertFalse((self.folder / out / "provenance.json").exists())  # its hashes are those of no state of this run
        self.succeed("report", out, "--independent")
        self.succeed("--quiet", *self.arguments(other))
        self.succeed("report", out, "--independent")
        self.succeed("verify", out)

    def test_results_of_an_audit_are_not_replaced(self):
        self.keep("mia_loss")
        traces = EXAMPLES / "traces"
        audit = ("--quiet", "mia", "--forget-traces", traces / "forget.jsonl", "--holdout-traces", traces / "holdout.jsonl", "--out")
        self.succeed(*audit, "out")
        for more in ((), ("--no-run",), ("--shard", "1/2")):
            self.assertIn("out: the folder holds the results of `palimpsest mia`", self.refuse("--quiet", *self.arguments(*more)))
        self.succeed("verify", "out")
        self.tofu["output_dir"] = str(self.folder / "evaluated")
        self.succeed("--quiet", *self.arguments())
        self.assertIn("evaluated: the folder holds the results of `palimpsest eval`", self.refuse(*audit, "evaluated"))
        self.assertIn("`palimpsest eval`", self.refuse("report", "evaluated", "--out", "evaluated"))
        self.succeed("verify", "evaluated")

    def test_links_in_the_place_of_kept_logs(self):
        self.keep("mia_loss")
        self.succeed("--quiet", *self.arguments())
        earlier = (self.folder / "out" / "TOFU_EVAL.json").read_bytes()
        (self.folder / "out" / "TOFU_EVAL.json.old").symlink_to("TOFU_EVAL.json")
        (self.folder / "out" / "TOFU_EVAL.json.old.1").symlink_to("nowhere")
        other = f"model.model_args.pretrained_model_name_or_path={GOLDEN_EVAL / 'retain'}"
        self.assertIn("kept as", self.run_program(*self.arguments(other)).stderr)
        self.assertEqual((self.folder / "out" / "TOFU_EVAL.json.old.2").read_bytes(), earlier)
        self.assertTrue((self.folder / "out" / "provenance.json").exists())

    def test_a_run_leaves_its_files_and_a_table(self):
        self.keep("forget_Q_A_Prob", "forget_Q_A_ROUGE", "forget_truth_ratio", "forget_quality", "mia_loss")
        text = self.succeed(*self.arguments())
        self.assertRegex(text, r"(?m)^metric +value +95% interval +examples$")
        self.assertRegex(text, r"(?m)^forget_Q_A_Prob +0\.\d+ +0\.\d+ … [01]\.\d+ +8$")
        self.assertRegex(text, r"(?m)^forget_quality \(published definition\) +n/a")
        self.assertRegex(text, r"(?m)^NOT DECIDED\. ")  # eight examples
        summary = self.read_json("out/TOFU_SUMMARY.json")
        for name, value in summary.items():
            self.assertAlmostEqual(value, self.golden["summary"][name], delta=1e-4 * (1 + abs(value)))
        self.assertNotIn("forget_quality", summary)
        self.assertIn("forget_Q_A_PERT_Prob", self.log())
        record = self.read_json("out/TOFU_RUN.json")
        self.assertTrue(record["complete"])
        self.assertEqual(record["model"]["dtype"], "float32")
        self.assertEqual(len(record["metrics"]), len(self.log()))
        self.assertTrue(any((self.folder / "out" / "TOFU_TRACES").iterdir()))
        printed = json.loads(self.succeed(*self.arguments("--json", "--threads", "1")))
        self.assertEqual((printed["evaluation"], printed["log"]), ("TOFU", str(self.folder / "out/TOFU_EVAL.json")))
        self.assertEqual(printed["metrics"]["mia_loss"]["value"], summary["mia_loss"])
        self.assertEqual(len(printed["metrics"]["forget_Q_A_Prob"]["interval"]), 2)
        self.assertFalse(printed["metrics"]["forget_Q_A_PERT_Prob"]["requested"])
        self.assertEqual(printed["answer"], record["answer"])
        self.assertEqual(printed["flags"], record["flags"])
        self.assertEqual(printed["answer"]["verdict"], "not_decided")
        self.assertEqual(printed["answer"]["reasons"][0]["code"], "too_few")
        self.assertIn("--threads", self.refuse(*self.arguments("--threads", "-1")))
        # Nothing is left to do.
        again = self.run_program(*self.arguments())
        self.assertEqual((again.returncode, again.stdout), (0, text))
        self.assertIn("finished already", again.stderr)

    def test_what_is_odd_about_a_model_is_noted_even_if_it_is_not_loaded_again(self):
        self.keep("mia_loss")
        copy = Checkpoint(self.folder / "copy")
        copy.save(copy.tensors() | {"score.weight": ("F32", [1], bytes(4))})
        for part in ("model_args", "tokenizer_args"):
            self.config["model"][part]["pretrained_model_name_or_path"] = str(copy.path)
        for _ in range(2):
            self.succeed("--quiet", *self.arguments())
            notes = " ".join(self.read_json("out/TOFU_RUN.json")["notes"])
            self.assertIn("a tensor that a llama model does not have is not used: score.weight", notes)

    def test_an_attack_gives_what_mia_gives_to_the_bit(self):
        attacks = {name.removeprefix("mia_"): metric for name, metric in self.metrics.items() if name.startswith("mia_")}
        self.assertEqual(set(attacks), {"loss", "zlib", "min_k", "min_k_plus_plus", "gradnorm", "reference"})
        self.keep(*(f"mia_{name}" for name in attacks))
        for metric in attacks.values():
            # `mia` has one key for both sets.
            metric["datasets"]["TOFU_QA_forget"]["args"]["question_key"] = "question"
        self.succeed(*self.arguments())
        tags = self.config["model"]["template_args"]
        data = GOLDEN_EVAL / "data" / "TOFU"
        self.succeed("mia", "--model", GOLDEN_EVAL / "target", "--reference", attacks["reference"]["reference_model_path"], "--forget",
                     data / "forget10_perturbed.json", "--holdout", data / "holdout10.json", "--independent", "--template", "tags",
                     "--user-start-tag", tags["user_start_tag"], "--user-end-tag", tags["user_end_tag"], "--asst-start-tag",
                     tags["asst_start_tag"], "--asst-end-tag", tags["asst_end_tag"], "--attacks",
                     f"loss,zlib,min_k:k={attacks['min_k']['k']},min_k_plus_plus:k={attacks['min_k_plus_plus']['k']},"
                     f"gradnorm:p={attacks['gradnorm']['p']},reference", "--out", "audit")
        audit = self.read_json("audit/mia.json")
        found = {name.partition(":")[0]: attack for name, attack in audit.items() if name != "audit"}
        self.assertEqual(set(found), set(attacks))
        for name, attack in found.items():
            with self.subTest(name):
                logged = self.log()[f"mia_{name}"]
                self.assertEqual(logged["agg_value"], attack["auc"])
                for part in ("forget", "holdout"):
                    scores = {index: one["score"] for index, one in attack[part]["value_by_index"].items()}
                    self.assertEqual(len(scores), 8)
                    self.assertEqual({index: one["score"] for index, one in logged[part]["value_by_index"].items()}, scores)
                    self.assertEqual(logged[part]["agg_value"], attack[part]["agg_value"])

    def test_our_log_is_a_reference_log(self):
        self.keep("forget_quality")
        self.succeed(*self.arguments())
        self.assertIsNone(self.log()["forget_quality"]["agg_value"])
        (self.folder / "out").rename(self.folder / "retain")
        logs = self.metrics["forget_quality"]["reference_logs"]["retain_model_logs"]
        logs["path"] = str(self.folder / "retain" / "TOFU_EVAL.json")
        self.succeed(*self.arguments())
        self.assertEqual(self.log()["forget_quality"]["agg_value"], 1)

    def test_what_belongs_together_changes_intervals_and_no_log(self):
        self.keep("forget_Q_A_Prob", "mia_loss", "mia_min_k")
        self.succeed(*self.arguments())
        log, record = self.log(), self.read_json("out/TOFU_RUN.json")
        self.assertNotIn("clusters", record)
        summary = self.read_json("out/TOFU_SUMMARY.json")
        text = self.succeed(*self.arguments("+eval.tofu.cluster_size=2"))
        self.assertRegex(text, r"(?m)^mia_min_k \(k=0\.4\) ")
        clustered = self.read_json("out/TOFU_RUN.json")
        self.assertEqual((self.log(), self.read_json("out/TOFU_SUMMARY.json")), (log, summary))
        self.assertEqual(clustered["clusters"]["key"], "blocks of 2")
        self.assertEqual(clustered["metrics"]["mia_min_k"]["parameters"], {"k": 0.4})
        self.assertNotEqual(clustered["metrics"]["mia_loss"]["interval"], record["metrics"]["mia_loss"]["interval"])
        self.assertRegex(self.refuse(*self.arguments("+eval.tofu.cluster_size=many")), r"eval\.tofu\.cluster_size")
        self.assertRegex(self.refuse(*self.arguments("+eval.tofu.primary=mia_zlib")), "one of mia_min_k, mia_loss")
        self.assertRegex(self.refuse(*self.arguments("+eval.tofu.cluster_key=author")), "'author'")

    def test_several_retain_logs(self):
        self.keep("forget_quality", "mia_loss")
        self.succeed(*self.arguments())
        (self.folder / "out").rename(self.folder / "retain")
        path = "eval.tofu.metrics.forget_quality.reference_logs.retain_model_logs.path"
        log = str(self.folder / "retain" / "TOFU_EVAL.json")
        text = self.succeed(*self.arguments(f"{path}=[{log},{log}]"))
        self.assertRegex(text, r"(?m)^  KS distance +0$")
        self.assertIn("no more than they differ from each other", " ".join(text.split()))
        self.assertIn("comes from the evaluated model itself", " ".join(text.split()))
        record = self.read_json("out/TOFU_RUN.json")
        self.assertEqual(record["retrained_models"]["logs"], 2)
        self.assertAlmostEqual(record["retrained_models"]["smallest_p_value"], 1 / 3)
        self.assertEqual(record["metrics"]["forget_quality"]["agg_value"], 1)
        self.assertEqual(record["metrics"]["forget_quality"]["effect"]["mean_difference"], 0)

    def cut_evaluation(self, arguments, out, moment, which):
        """Sends a run the signal as soon as moment(out) holds. False if it got through all the same."""
        status, said = self.cut([os.environ["PALIMPSEST"], *arguments], lambda: moment(out), which)
        record = json.loads((out / "TOFU_RUN.json").read_text(encoding="utf-8"))
        if status == 0 or record["complete"]:
            return False
        if which == signal.SIGKILL:
            self.assertEqual(status, -which)
        else:
            self.assertEqual(status, 128 + which, said)
            self.assertIn("interrupted; finished work is kept; the same command continues from there", said)
        self.assertTrue((out / "TOFU.run").exists())  # what the next run goes on from
        return True

    def test_killed_at_any_moment_it_goes_on_and_gives_the_same_log(self):
        def journals(out):
            """Those with a finished batch."""
            return [path for path in out.glob("TOFU.run/*.journal") if batches_in(path) > 0]

        self.succeed(*self.arguments())
        expected = self.log()
        moments = (("the first batch is finished", signal.SIGKILL, lambda out: len(journals(out)) > 0),
                   ("the first batch is finished", signal.SIGINT, lambda out: len(journals(out)) > 0),
                   ("the log is begun", signal.SIGKILL, lambda out: (out / "TOFU_EVAL.json").exists()),
                   ("another pass is under way", signal.SIGKILL, lambda out: len(journals(out)) > 1))
        for number, (name, which, moment) in enumerate(moments):
            with self.subTest(name, signal=which):
                def attempt(repetition, number=number, moment=moment, which=which):
                    self.tofu["output_dir"] = str(self.folder / f"killed{number}_{repetition}")
                    return self.cut_evaluation(self.arguments(), self.folder / f"killed{number}_{repetition}", moment, which)

                self.until_cut(attempt)
                out = pathlib.Path(self.tofu["output_dir"])
                self.succeed(*self.arguments())
                record = json.loads((out / "TOFU_RUN.json").read_text(encoding="utf-8"))
                self.assertTrue(record["complete"])
                self.assertGreater(sum(one["resumed"] for one in record["passes"]), 0)
                self.assertEqual(self.read_json(f"{out.name}/TOFU_EVAL.json"), expected)
                self.assertFalse((out / "TOFU.run").exists())

    def test_bad_input_is_found_before_anything_runs(self):
        self.keep("forget_Q_A_Prob", "forget_quality")
        prob = self.metrics["forget_Q_A_Prob"]
        (self.folder / "conf").mkdir()
        self.arguments()
        self.assertRegex(self.refuse(*self.arguments("eval.tofu.metrics.forget_Q_A_Prob.handler=probabilty")),
                         "no metric handler 'probabilty'.*probability, probability_w_options")
        self.assertRegex(self.refuse(*self.arguments("model.model_args.pretrained_model_name_or_path=org/absent")),
                         "huggingface-cli download org/absent")
        self.assertRegex(self.refuse(*self.arguments("eval.tofu.output_dir=/proc/out")), "/proc/out")
        self.assertRegex(self.refuse(*self.arguments("seed=-1")), "seed: the seed is negative .expected a whole number, at least 0, found -1.")
        self.write("file", "")
        self.assertRegex(self.refuse(*self.arguments("eval.tofu.output_dir=file/out")), "file/out")
        path = "eval.tofu.metrics.forget_quality.reference_logs.retain_model_logs.path"
        self.write("empty.json", "{}")
        done = self.run_program(*self.arguments(f"{path}=empty.json"))
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, "reference log has no values")
        self.assertRegex(self.refuse(*self.arguments(f"{path}=absent.json")), "absent.json")
        prob["datasets"]["TOFU_QA_forget"]["args"]["hf_args"]["name"] = "???"
        self.assertRegex(self.refuse(*self.arguments()), r"hf_args\.name.*\?\?\?")
        prob["datasets"]["TOFU_QA_forget"]["args"]["hf_args"]["name"] = "forget01"
        self.assertRegex(self.refuse(*self.arguments()), "download --repo-type dataset locuslab/TOFU")


if __name__ == "__main__":
    unittest.main()
