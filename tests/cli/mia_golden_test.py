"""`palimpsest mia --model` against open-unlearning's own attacks (tools/golden/mia.py): every score of every example."""

import json
import unittest

from program import ROOT, ProgramTest

GOLDEN = ROOT / "tests" / "golden" / "mia"


class MiaGoldenTest(ProgramTest):
    def scores(self, family, kind, golden):
        """What the program says, prepared as the golden file says."""
        if kind == "completion":
            data = ("--dataset", "completion", "--insert-space", "--max-length", 24)
        elif family == "llama":
            data = ("--template", "chat", "--system-prompt", golden["chat"]["system_prompt"],
                    "--var", "date_string=" + golden["chat"]["date_string"])
        else:
            data = ("--template", "tags", "--max-length", 64)
        self.succeed("mia", "--model", GOLDEN / family, "--reference", GOLDEN / f"{family}_reference",
                     "--forget", GOLDEN / f"{kind}_forget.json", "--holdout", GOLDEN / f"{kind}_holdout.json",
                     "-k", 0.4, "--attacks", "loss,min_k,min_k_plus_plus,zlib,reference,gradnorm:p=sweep",
                     "--out", f"{family}_{kind}", *data)
        return self.read_json(f"{family}_{kind}/mia.json")

    def test_every_score_and_auc(self):
        golden = json.loads((GOLDEN / "expected.json").read_text(encoding="utf-8"))
        compared = 0
        for case in golden["cases"]:
            family, kind = case.pop("family"), case.pop("kind")
            ours = self.scores(family, kind, golden["manifest"])
            for attack, expected in case.items():
                gradient = attack.startswith("gradnorm")
                for part in ("forget", "holdout"):
                    found = ours[attack][part]["value_by_index"]
                    self.assertEqual(list(found), list(expected[part]))
                    for index, score in expected[part].items():
                        bound = 1e-4 * abs(score) if gradient else 1e-4 + 1e-4 * abs(score)
                        self.assertAlmostEqual(found[index]["score"], score, delta=bound,
                                               msg=f"{family} {kind} {attack} {part} {index}")
                        compared += 1
                self.assertAlmostEqual(ours[attack]["auc"], expected["auc"], delta=1e-6, msg=f"{family} {kind} {attack}")
        self.assertEqual(compared, 3 * 2 * 8 * 28)


if __name__ == "__main__":
    unittest.main()
