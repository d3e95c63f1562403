"""`palimpsest mia` from traces, as a careful and as a careless user would call it."""

import csv
import json
import unittest
import xml.etree.ElementTree

from program import EXAMPLES, ProgramTest, same_bytes

TRACES = EXAMPLES / "traces"
HEADER = '{"palimpsest_trace": 1, "model": "m"}'


class MiaTest(ProgramTest):
    def arguments(self, *more, forget=TRACES / "forget.jsonl", holdout=TRACES / "holdout.jsonl"):
        return ("mia", "--forget-traces", forget, "--holdout-traces", holdout, *more)

    def traces(self, name, *lines):
        return self.write(name, HEADER, *lines)

    def test_writes_scores_from_which_the_auc_follows(self):
        self.succeed(*self.arguments("--out", "out"))
        report = self.read_json("out/mia.json")
        # The traces have all but gradient norms and a reference model.
        possible = [name for name, (needs, reference) in self.attacks().items()
                    if not reference and "'grad_norm' for the requested p" not in needs]
        self.assertIn("surp", possible)
        self.assertEqual(list(report), [*possible, "audit"])
        # The first attack of the table is the primary one, with which the others are compared in their order.
        self.assertEqual(report.pop("audit")["comparisons"][0]["other"], possible[1])
        with open(self.folder / "out" / "scores.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        for attack, result in report.items():
            members = [float(r["score"]) for r in rows if r["attack"] == attack and r["label"] == "1"]
            others = [float(r["score"]) for r in rows if r["attack"] == attack and r["label"] == "0"]
            wins = sum((m > o) + (m == o) / 2 for m in members for o in others)
            self.assertAlmostEqual(result["auc"], wins / len(members) / len(others), places=12)
            self.assertLess(result["auc_ci"][0], result["auc"])
            self.assertGreater(result["auc_ci"][1], result["auc"])
            self.assertEqual(len(result["forget"]["value_by_index"]), 120)

    def test_same_call_same_bytes(self):
        outputs = []
        for name in ("a", "b"):
            self.succeed(*self.arguments("--out", name))
            outputs.append([same_bytes(self.folder / name / f) for f in ("mia.json", "scores.csv", "report.html")])
        self.assertEqual(outputs[0], outputs[1])

    def test_writes_a_page_and_its_figures(self):
        self.succeed(*self.arguments("--out", "out"))
        page = (self.folder / "out" / "report.html").read_text(encoding="utf-8")
        self.assertTrue(page.startswith("<!doctype html>"))
        self.assertIn("Does example-model still remember what it was asked to forget?", page)
        figures = sorted(path.name for path in (self.folder / "out" / "figures").iterdir())
        self.assertIn("roc.svg", figures)
        for name in figures:
            if name.endswith(".svg"):
                self.assertEqual(xml.etree.ElementTree.parse(self.folder / "out" / "figures" / name).getroot().get("role"), "img")
            else:
                self.assertIn("vega-lite", self.read_json(f"out/figures/{name}")["$schema"])

    def test_the_page_keeps_hostile_names_as_text(self):
        forget = self.traces("f", *(f'{{"index": "<img src=x>{i}", "text": "</script>", "num_labels": 2, "logprob": [-0.{i}, -1]}}'
                                    for i in range(1, 5)))
        holdout = self.traces("h", *(f'{{"index": "<img src=x>{i}", "text": "</script> {i}", "num_labels": 2, "logprob": [-0.{i}, -1]}}'
                                     for i in range(1, 5)))
        self.succeed(*self.arguments("--out", "out", forget=forget, holdout=holdout))
        page = (self.folder / "out" / "report.html").read_text(encoding="utf-8")
        self.assertFalse("<img src=x>" in page)
        self.assertEqual(page.count("</script>"), 2)

    def test_readers_get_names_and_no_paths(self):
        lines = (TRACES / "forget.jsonl").read_text(encoding="utf-8").splitlines()
        others = (TRACES / "holdout.jsonl").read_text(encoding="utf-8").splitlines()
        header = json.dumps({"palimpsest_trace": 1, "model": "/srv/models/unlearned"})
        sets = {"forget": self.write("f.jsonl", header, *lines[1:]), "holdout": self.write("h.jsonl", header, *others[1:])}
        printed = self.succeed(*self.arguments("--out", "plain", **sets))
        self.assertIn("120 holdout examples of unlearned.", printed)
        self.assertIn("Does unlearned still remember what it was asked to forget?", (self.folder / "plain/report.html").read_text(encoding="utf-8"))
        self.succeed(*self.arguments("--title", "Case 17", "--model-name", "Model A", "--out", "named", **sets))
        page = (self.folder / "named/report.html").read_text(encoding="utf-8")
        self.assertIn("<title>Case 17</title>", page)
        self.assertIn("Does Model A still remember what it was asked to forget?", page)
        audit = self.read_json("named/mia.json")["audit"]
        self.assertEqual((audit["title"], audit["model_name"], audit["model"]), ("Case 17", "Model A", "unlearned"))

    def test_what_could_be_picked_out_stands_in_the_file(self):
        self.succeed(*self.arguments("--out", "out"))
        report = self.read_json("out/mia.json")
        picked = report["audit"]["answer"]["picked_out"]
        # With sets of one size and equal costs it is the threshold of the decision.
        decision = report[picked["attack"]]["decision"]
        self.assertEqual(picked["threshold"], decision["score_at_most"])
        self.assertAlmostEqual(picked["excess"], decision["tpr"] - decision["fpr"], places=12)
        self.assertLess(picked["interval"][0], picked["excess"])
        self.assertIn(f"pick out about {round(100 * picked['excess'])} more than chance", (self.folder / "out/report.html").read_text(encoding="utf-8"))

    def test_red_flags_are_printed_and_stand_in_the_file(self):
        sets = [self.traces(name, *(json.dumps({"index": i, "text": f"{word} {word} {i * 7919 % 97}", "num_labels": 2, "avg_loss": loss + i % 10 / 10})
                                    for i in range(60))) for name, word, loss in (("f", "apple tree", 1), ("h", "stone wall", 1.1))]
        printed = self.succeed(*self.arguments("--out", "out", "--independent", forget=sets[0], holdout=sets[1]))
        self.assertIn("\nRED FLAG: The sets differ without any model.", printed)
        flags = self.read_json("out/mia.json")["audit"]["flags"]
        self.assertEqual([flag["code"] for flag in flags], ["texts_differ", "small_sample"])
        self.assertEqual([flag["severity"] for flag in flags], ["red", "caution"])

    def test_the_same_set_twice_is_refused_and_a_third_of_it_is_void(self):
        lines = [f'{{"index": {i}, "text": "text {i}", "num_labels": 2, "logprob": [-0.{i + 10}, -1]}}' for i in range(40)]
        forget = self.traces("f", *lines[:30])
        sentence = self.refuse(*self.arguments(forget=forget, holdout=forget))
        self.assertIn("every text of one set is also in the other one", sentence)
        holdout = self.traces("h", *lines[20:])
        answer = json.loads(self.succeed(*self.arguments("--json", forget=forget, holdout=holdout)))["audit"]["answer"]
        self.assertEqual(answer["verdict"], "void")
        self.assertEqual(answer["reasons"][0]["code"], "overlap")
        allowed = json.loads(self.succeed(*self.arguments("--json", "--allow-overlap", forget=forget, holdout=holdout)))
        self.assertNotIn("overlap", [reason["code"] for reason in allowed["audit"]["answer"]["reasons"]])

    def test_the_answer_is_printed_first_and_stands_in_the_file(self):
        text = self.succeed(*self.arguments("--out", "out"))
        self.assertRegex(text, r"^REMEMBERED\. Of 100 records to be forgotten, an observer could pick out about \d+ more than chance\.\n"
                               r"- The forget set is still remembered: loss")
        answer = self.read_json("out/mia.json")["audit"]["answer"]
        self.assertEqual(answer["verdict"], "remembered")
        self.assertEqual(answer["clusters"], {"key": None, "forget": 120, "holdout": 120, "icc": None, "design_effect": None})
        self.succeed(*self.arguments("--out", "blocks", "--cluster-size", "6"))
        clustered = self.read_json("blocks/mia.json")
        self.assertEqual(clustered["audit"]["answer"]["clusters"]["forget"], 20)
        self.assertEqual(clustered["audit"]["clusters"]["key"], "blocks of 6")
        self.assertNotIn("auc_ci_delong", clustered["loss"])

    def test_json_goes_to_standard_output(self):
        printed = self.succeed(*self.arguments("--json", "--attacks", "loss"))
        self.assertEqual(list(json.loads(printed)), ["loss", "audit"])

    def test_only_log_probabilities_allow_loss_and_min_k(self):
        forget = self.traces("f", *(f'{{"index": {i}, "num_labels": 2, "logprob": [-0.{i}, -1]}}' for i in range(1, 5)))
        holdout = self.traces("h", *(f'{{"index": {i}, "num_labels": 2, "logprob": [-2.{i}, -1]}}' for i in range(1, 5)))
        run = self.run_program(*self.arguments("--json", forget=forget, holdout=holdout))
        enough = {"'logprob'", "'avg_loss' or 'logprob'"}
        possible = [name for name, (needs, reference) in self.attacks().items() if needs <= enough and not reference]
        self.assertLessEqual({"loss", "min_k"}, set(possible))
        self.assertEqual(list(json.loads(run.stdout)), [*possible, "audit"])
        self.assertIn("zlib is left out", run.stderr)
        sentence = self.refuse(*self.arguments("--attacks", "zlib", forget=forget, holdout=holdout))
        self.assertIn("f:2: 'text' is missing, which the attack zlib needs", sentence)

    def test_an_attack_may_be_asked_for_with_several_settings(self):
        printed = self.succeed(*self.arguments("--json", "--attacks", "min_k:k=0.3,min_k,surp:k=0.5:entropy=1"))
        self.assertEqual(list(json.loads(printed)), ["min_k:k=0.3", "min_k", "surp:k=0.5:entropy=1", "audit"])
        printed = self.succeed(*self.arguments("--json", "--attacks", "min_k:k=sweep", "--bootstrap", "10"))
        self.assertEqual(list(json.loads(printed))[::9], ["min_k:k=0.1", "min_k:k=1"])

    def reference_traces(self):
        """Traces of four forget and four holdout texts, and the same texts under a reference model."""
        line = '{{"index": {}, "num_labels": 3, "logprob": [{}, -1, -1], "argmax": [0, 0, 0], "label": [{}, 2, 3]}}'
        files = [self.traces(name, *(line.format(i, f"-{loss}.{i}", label + i) for i in range(4)))
                 for name, loss, label in (("f", 1, 10), ("h", 3, 20))]
        for name, loss, label in (("rf", 2, 10), ("rh", 2, 20)):
            lines = [line.format(i, f"-{loss}.{i}", label + i) for i in reversed(range(4))]
            files.append(self.write(name, '{"palimpsest_trace": 1, "model": "r"}', *lines))
        return files

    def test_a_reference_model_allows_comparing_attacks(self):
        forget, holdout, reference_forget, reference_holdout = self.reference_traces()
        reference = ("--reference-forget-traces", reference_forget, "--reference-holdout-traces", reference_holdout)
        printed = self.succeed(*self.arguments("--json", *reference, forget=forget, holdout=holdout))
        report = json.loads(printed)
        have = {"'logprob'", "'avg_loss' or 'logprob'", "'argmax' and 'label'"}
        comparing = [name for name, (needs, others) in self.attacks().items() if others and needs | others <= have]
        self.assertIn("reference", comparing)
        self.assertLessEqual({"loss", "min_k", *comparing, "audit"}, set(report))
        for attack in comparing:
            self.assertEqual(report[attack]["auc"], 1.0)
        self.assertAlmostEqual(report["reference"]["forget"]["value_by_index"]["0"]["score"], -1 / 3)

    def test_a_reference_that_does_not_fit_is_refused(self):
        forget, holdout, reference_forget, _ = self.reference_traces()
        same = ("--reference-forget-traces", reference_forget, "--reference-holdout-traces")
        other = self.traces("other", '{"index": 0, "num_labels": 9}')
        short = self.write("short", '{"palimpsest_trace": 1}', "")
        for path, message in ((other, "different vocabularies"), (short, "lack the example '0'")):
            self.assertIn(message, self.refuse(*self.arguments(*same, path, forget=forget, holdout=holdout)))
        self.assertIn("--reference-holdout-traces", self.refuse(*self.arguments(*same[:2])))
        sentence = self.refuse(*self.arguments("--attacks", "wbc"))
        self.assertIn("there are no traces of a reference model, which the attack wbc needs", sentence)

    def grouped_traces(self):
        """Traces of 24 texts per set, whose authors alternate; the forget set is familiar."""
        line = '{{"index": {}, "num_labels": 2, "logprob": [-{}.{}, -1], "groups": {{"author": "{}"}}}}'
        return [self.traces(name, *(line.format(i, loss, 10 + i, "ab"[i % 2]) for i in range(24)))
                for name, loss in (("f", 1), ("h", 2))]

    def test_groups_of_the_data_have_their_own_numbers(self):
        forget, holdout = self.grouped_traces()
        text = self.succeed(*self.arguments("--group-key", "author", "--out", "out", forget=forget, holdout=holdout))
        self.assertRegex(text, r"(?m)^author  a      +12       12  1\.000")
        groups = self.read_json("out/mia.json")["loss"]["groups"]
        self.assertEqual([(g["by"], g["group"], g["auc"]) for g in groups], [("author", "a", 1.0), ("author", "b", 1.0)])
        with open(self.folder / "out" / "scores.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual({row["author"] for row in rows}, {"a", "b"})

    def test_a_baseline_model_is_compared_example_by_example(self):
        forget, holdout = self.grouped_traces()
        lines = holdout.read_text(encoding="utf-8").splitlines()
        baseline = self.write("b", '{"palimpsest_trace": 1, "model": "retrained"}', *reversed(lines[1:]))
        text = self.succeed(*self.arguments("--baseline-forget-traces", baseline, "--baseline-holdout-traces", baseline,
                                            "--out", "out", forget=forget, holdout=holdout))
        self.assertIn("Against the baseline model retrained", text)
        test = self.read_json("out/mia.json")["loss"]["against_baseline"]
        self.assertEqual((test["auc"], test["other_auc"], test["difference"]), (1.0, 0.5, 0.5))
        short = self.write("s", '{"palimpsest_trace": 1}', *lines[1:9])
        sentence = self.refuse(*self.arguments("--baseline-forget-traces", short, "--baseline-holdout-traces", baseline,
                                               forget=forget, holdout=holdout))
        self.assertIn("the baseline's forget traces lack the example '8'", sentence)

    def test_what_is_printed_only_if_asked_for(self):
        plain = self.succeed(*self.arguments())
        for option, part in ((("--compare",), "Pairs of attacks"), (("--groups",), "Groups, under loss"),
                             (("--cost-fn", "5"), "costs of 1 (false positive) and 5 (false")):
            self.assertNotIn(part, plain)
            self.assertIn(part, self.succeed(*self.arguments(*option)))
        self.assertIn("(texts alone)", plain)
        self.assertNotIn("(texts alone)", self.succeed(*self.arguments("--no-blind-baseline")))

    def test_plain_ascii_on_request_and_where_the_locale_has_nothing_else(self):
        self.environment = {"LC_ALL": "C.UTF-8"}
        self.assertFalse(self.succeed(*self.arguments()).isascii())
        self.assertTrue(self.succeed(*self.arguments("--ascii")).isascii())
        self.environment = {"LC_ALL": "C"}
        self.assertTrue(self.succeed(*self.arguments()).isascii())

    def test_output_is_narrow_and_without_colour(self):
        text = self.succeed(*self.arguments("--compare", "--groups", "--cost-fp", "3"))
        self.assertNotIn("\x1b", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 100)

    def test_bad_traces_are_refused_and_nothing_is_written(self):
        good = '{"index": 0, "num_labels": 1, "logprob": [-1]}'
        cases = {
            "empty file": ([], "empty"),
            "no examples": ([HEADER], "no examples"),
            "no header": ([good], "first line"),
            "other version": (['{"palimpsest_trace": 9}', good], "version"),
            "bad line": ([HEADER, good, "{broken"], ":3:"),
            "NaN": ([HEADER, '{"index": 0, "num_labels": 1, "logprob": [NaN]}'], "NaN"),
            "infinite": ([HEADER, '{"index": 0, "num_labels": 1, "avg_loss": Infinity}'], "infinite"),
            "mean log-probability": ([HEADER, '{"index": 0, "num_labels": 1, "avg_loss": -1.5}'], "write it with the other sign"),
            "two losses": ([HEADER, '{"index": 0, "num_labels": 2, "avg_loss": 3, "logprob": [-1, -2]}'], "contradicts 'logprob'"),
            "variance": ([HEADER, '{"index": 0, "num_labels": 1, "logprob": [-1], "mean": [-1], "var": [-2]}'], "never negative"),
            "lengths": ([HEADER, '{"index": 0, "num_labels": 5, "logprob": [-1]}'], "num_labels"),
            "key twice": ([HEADER, '{"index": 0, "num_labels": 1, "logprob": [-1], "logprob": [-9]}'],
                          ':2: the key "logprob" occurs twice'),
            "group twice": ([HEADER, '{"index": 0, "num_labels": 1, "logprob": [-1], "groups": {"a": "x", "a": "y"}}'],
                            'the key "a" occurs twice'),
            "after a NUL": ([HEADER, good + "\0, broken"], ":2: this is not valid JSON: byte 47 is 0"),
            "other model": (['{"palimpsest_trace": 1, "model": "another"}', good], "different models"),
        }
        for name, (lines, message) in cases.items():
            with self.subTest(name):
                path = self.write("bad", *lines)
                self.assertIn(message, self.refuse(*self.arguments("--out", "out", forget=path)))
        self.assertIn("No such file", self.refuse(*self.arguments(forget="none")))

    def test_traces_from_a_pipe_are_refused(self):
        refused = self.refuse(*self.arguments(forget="/dev/stdin"), stdin="{}")
        self.assertIn("/dev/stdin: this is a pipe, not a file", refused)

    def test_text_that_is_not_utf8_is_refused(self):
        path = self.folder / "bad"
        path.write_bytes(HEADER.encode() + b'\n{"index": 0, "num_labels": 1, "text": "\xff"}\n')
        sentence = self.refuse(*self.arguments(forget=path))
        self.assertIn(":2:", sentence)
        self.assertIn("UTF-8", sentence)

    def test_bad_options_are_refused(self):
        for options, message in ((("-k", "0"), "k is 0"), (("-k", "nan"), "k is nan"), (("-k", "x"), "x"),
                                 (("-p", "3"), "p is 3"), (("--attacks", "min_k:k=2"), "k is 2"),
                                 (("--attacks", "loss:k=1"), "no parameter 'k'"),
                                 (("--attacks", "magic"), "min_k_plus_plus"), (("--bootstrap", "-1"), "resamples"),
                                 (("--bootstrap", "99999999999"), "resamples are too many (expected 0 to 10000000)"),
                                 (("--margin", "0.5"), "margin"), (("--cluster-size", "-2"), "size of a cluster"),
                                 (("--cluster-size", "3", "--independent"), "one way only"),
                                 (("--cluster-size", "0"), "--cluster-size: the size of a cluster must be at least 1"),
                                 (("--cluster-key", ""), "--cluster-key: the key has no name"),
                                 (("--cluster-key", "author"), "has no 'author'"),
                                 (("--primary", "magic"), "primary attack 'magic'"),
                                 (("--confidence", "1"), "confidence"), (("--fpr", "0"), "false positive rate"),
                                 (("--fdr", "0"), "false discovery rate"), (("--cost-fp", "-1"), "cost"),
                                 (("--cost-fp", "0", "--cost-fn", "0"), "cost nothing"),
                                 (("--validation-split", "1e-9"), "validation split"),
                                 (("--fpr", "1e-300"), "false positive rate 1e-300"),
                                 (("--seed", "-1"), "'-1' is not a whole number from 0"),
                                 (("--seed", "18446744073709551616"), "is not a whole number from 0"),
                                 (("--validation-split", "1"), "validation split"),
                                 (("--group-key", "author"), "no trace has the group column 'author'"),
                                 (("--baseline-forget-traces", "x"), "--baseline-holdout-traces"),
                                 (("--nonsense",), "--nonsense")):
            with self.subTest(options):
                self.assertIn(message, self.refuse(*self.arguments(*options)))
        # Traces were made already: what says how is not ignored, right or wrong.
        for option, value in (("--device", "cuda"), ("--isa", "baseline"), ("--dtype", "float64"), ("--template", "chat"),
                              ("--max-length", "10"), ("--memory-limit", "1")):
            with self.subTest(option):
                self.assertIn(f"{option}: the option applies to --model", self.refuse(*self.arguments(option, value)))
        self.assertIn("--forget-traces", self.refuse("mia"))

    def test_an_output_folder_that_cannot_be_made_is_refused(self):
        blocked = self.write("file", "")
        self.assertIn("folder", self.refuse(*self.arguments("--out", blocked / "below")))


if __name__ == "__main__":
    unittest.main()
