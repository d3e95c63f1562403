#!/usr/bin/env python3
"""palimpsest.hf.Model beside a plain loop of transformers and beside open-unlearning's own attacks, on one model object and
one torch. Prints {name: number} as JSON; times are in seconds, of the clock and of the processors (cpu), and ratios say how
many times faster ours is.

    OPEN_UNLEARNING=CHECKOUT python bench/python/hf_speed.py [plain] [forward] [gradnorm]

EXAMPLES and ROUNDS in the environment make it shorter or longer. THREADS=1 makes the times of the processors comparable on a
machine that does other things.

A random Llama of about 50 million parameters with 32,000 words. Without names all three parts run; `forward` and `gradnorm`
need a checkout of open-unlearning, with what it imports. Ours goes through the whole of palimpsest.audit. All are measured
in turns, and the smaller time of each counts. Ends with status 1 if scores differ by more than 1e-4 + 1e-4 of themselves
(gradient norms: 5e-4).
"""

import json
import logging
import os
import pathlib
import random
import sys
import tempfile
import time

import numpy as np
import torch
import transformers

import palimpsest
from palimpsest import hf
from palimpsest.model import ScoreOptions, Sequence

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench" / "peers"), str(ROOT / "tools" / "golden")]
import made_up  # noqa: E402

EXAMPLES = int(os.environ.get("EXAMPLES", "24"))  # per set
BATCH = 32  # open-unlearning's own; gradnorm's loss is of one example
ROUNDS = int(os.environ.get("ROUNDS", "2"))
FORWARD = ("loss", "min_k", "min_k_plus_plus", "zlib", "reference")
TAGS = {"apply_chat_template": False, "user_start_tag": "", "user_end_tag": " ", "asst_start_tag": "",
        "asst_end_tag": " "}


def make_model(seed):
    torch.manual_seed(seed)
    config = transformers.LlamaConfig(vocab_size=made_up.VOCABULARY, hidden_size=512, intermediate_size=1408,
                                      num_hidden_layers=6, num_attention_heads=8, num_key_value_heads=8,
                                      max_position_embeddings=512, bos_token_id=1, eos_token_id=2,
                                      attn_implementation="eager")
    return transformers.LlamaForCausalLM(config).eval()


def timed(function):
    wall, cpu = time.perf_counter(), time.process_time()
    result = function()
    return time.perf_counter() - wall, time.process_time() - cpu, result


def in_turns(name, ours, theirs, other):
    """The numbers of a comparison, the smaller time of each counting, and the results of both."""
    rounds = [(timed(ours), timed(theirs)) for _ in range(ROUNDS)]
    numbers = {}
    for kind, column in (("", 0), ("_cpu", 1)):
        fast, slow = (min(one[i][column] for one in rounds) for i in (0, 1))
        numbers |= {f"{name}{kind}": fast, f"{other}{kind}": slow, f"{name}_ratio{kind}": slow / fast}
    return numbers, rounds[0][0][2], rounds[0][1][2]


def require_close(name, ours, theirs, relative=1e-4):
    np.testing.assert_allclose(ours, theirs, rtol=relative, atol=1e-4, err_msg=name)


def plain_loop(model, sequences):
    """What people write: batches of one size, padded, log_softmax of all logits."""
    results = []
    with torch.no_grad():
        for start in range(0, len(sequences), BATCH):
            batch = sequences[start:start + BATCH]
            ids = torch.nn.utils.rnn.pad_sequence([torch.tensor(s.ids) for s in batch], batch_first=True)
            mask = torch.nn.utils.rnn.pad_sequence([torch.ones(len(s.ids), dtype=torch.long) for s in batch],
                                                   batch_first=True)
            logprobs = torch.log_softmax(model(input_ids=ids, attention_mask=mask).logits.float(), dim=-1)
            probs = logprobs.exp()
            mean = (probs * logprobs).sum(-1)
            var = (probs * logprobs.square()).sum(-1) - mean.square()
            labels = logprobs[:, :-1].gather(-1, ids[:, 1:, None])[..., 0]
            for i, sequence in enumerate(batch):
                n = len(sequence.ids) - 1
                results.append((labels[i, :n].numpy(), mean[i, :n].numpy(), var[i, :n].numpy(),
                                logprobs[i, :n].argmax(-1).numpy()))
    return results


def measure_plain(model):
    draw = np.random.default_rng(3)
    sequences = [Sequence(ids, ids) for ids in (draw.integers(10, made_up.VOCABULARY, draw.integers(60, 130))
                                                for _ in range(2 * EXAMPLES))]
    ours = hf.Model(model, tokenizer=None)
    options = ScoreOptions(None, [], lambda: False)
    ours.score(sequences[:1], options)  # compares the two ways to logits
    numbers, found, expected = in_turns("score", lambda: ours.score(sequences, options),
                                        lambda: plain_loop(model, sequences), "plain_loop")
    for a, b in zip(found, expected):
        require_close("logprob", a.logprob, b[0])
        require_close("mean", a.mean, b[1])
        np.testing.assert_array_equal(a.argmax, b[3])
    return numbers


class Attacks:
    """open-unlearning's attacks and ours on the same model objects and files."""

    def __init__(self, checkout, folder, model, reference):
        import open_unlearning

        self.data, self.attacks = open_unlearning.import_attacks(checkout)
        self.folder, self.model, self.reference = folder, model, reference
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        self.tokenizer.pad_token = self.tokenizer.eos_token

    def theirs(self, names):
        sets = {name: self.data.QADataset({"path": "json", "data_files": str(self.folder / f"{name}.json"),
                                           "split": "train"}, TAGS, self.tokenizer, max_length=512)
                for name in ("forget", "holdout")}
        collator = self.data.DataCollatorForSupervisedDataset(self.tokenizer, index="index")
        utils = self.attacks
        asked = {"loss": (utils.LOSSAttack, {}), "min_k": (utils.MinKProbAttack, {"k": 0.2}),
                 "min_k_plus_plus": (utils.MinKPlusPlusAttack, {"k": 0.2}),
                 "zlib": (utils.ZLIBAttack, {"tokenizer": self.tokenizer}),
                 "reference": (utils.ReferenceAttack, {"reference_model": self.reference}),
                 "gradnorm": (utils.GradNormAttack, {"p": 2})}
        return {name: utils.mia_auc(asked[name][0], self.model, sets, collator, 1 if name == "gradnorm" else BATCH,
                                    **asked[name][1]) for name in names}

    def ours(self, names):
        models = [hf.Model(model, self.tokenizer, name=name) for model, name in
                  ((self.model, "model"), (self.reference, "reference"))]
        return palimpsest.audit(models[0], self.folder / "forget.json", self.folder / "holdout.json",
                                reference=models[1], attacks=list(names), template="tags",
                                tags={name: tag for name, tag in TAGS.items() if name.endswith("_tag")}, max_length=512,
                                blind_baseline=False, independent=True)

    def measure(self, part, names):
        numbers, found, expected = in_turns(part, lambda: self.ours(names), lambda: self.theirs(names),
                                            f"{part}_open_unlearning")
        for name in names:
            for part, scores in zip(("forget", "holdout"), found.scores(name)):
                values = expected[name][part]["value_by_index"]
                require_close(f"{name} {part}", scores, [values[str(i)]["score"] for i in range(len(scores))],
                              5e-4 if name == "gradnorm" else 1e-4)
        return numbers


def write_data(folder):
    made_up.write_tokenizer(folder)
    for name, seed in (("forget", 1), ("holdout", 2)):
        draw = random.Random(seed)
        records = [{"question": made_up.words(draw, 10, 30), "answer": made_up.words(draw, 60, 100)}
                   for _ in range(EXAMPLES)]
        (folder / f"{name}.json").write_text(json.dumps(records), encoding="utf-8")


def main():
    parts = sys.argv[1:] or ["plain", "forward", "gradnorm"]
    logging.disable(logging.WARNING)
    torch.set_num_threads(int(os.environ.get("THREADS", torch.get_num_threads())))
    transformers.logging.set_verbosity_error()
    model, reference = make_model(1), make_model(2)
    numbers = {"parameters": sum(parameter.numel() for parameter in model.parameters()),
               "torch": torch.__version__, "transformers": transformers.__version__}
    if "plain" in parts:
        numbers |= measure_plain(model)
    if "forward" in parts or "gradnorm" in parts:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            write_data(folder)
            attacks = Attacks(os.environ["OPEN_UNLEARNING"], folder, model, reference)
            attacks.theirs(["loss"])  # reads the data once, so that no side pays for it
            for part, names in (("forward", FORWARD), ("gradnorm", (*FORWARD, "gradnorm"))):
                if part in parts:
                    numbers |= attacks.measure(part, names)
    print(json.dumps(numbers, indent=2))


if __name__ == "__main__":
    main()
