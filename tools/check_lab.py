#!/usr/bin/env python3
"""Checks that transformers reads a checkpoint of `palimpsest lab` as Palimpsest does.

Token ids of questions and answers and of texts that the tokenizer never saw must be equal, and so must every
log-probability of an answer's tokens to 1e-4. Not a test of the build: it needs transformers, and is run by hand when the
lab's files change:

    palimpsest lab data --out data
    palimpsest lab train --data data/full.json --tokenizer data/tokenizer --out model
    python3 tools/check_lab.py build/palimpsest model data/forget10.json
        Debian's python3-torch 1.13; pip install transformers==4.45.1 "numpy<2" jinja2
"""

import json
import pathlib
import random
import subprocess
import sys
import tempfile

import torch
import transformers

TOLERANCE = 1e-4
SEED = 20250616


def foreign_texts():
    """Texts of every kind of character, valid UTF-8."""
    draw = random.Random(SEED)
    alphabet = "abcXYZ 0189'\"\n\t.,?!<|>end äßéřž Ωж 中文 🐎\u00a0\u200d"
    return ["".join(draw.choices(alphabet, k=draw.randrange(40))) for _ in range(500)]


def check_tokens(program, model, tokenizer):
    texts = foreign_texts()
    lines = "".join(json.dumps(text) + "\n" for text in texts)
    done = subprocess.run([program, "tokenize", "--model", model, "--json"], input=lines, capture_output=True, text=True,
                          check=True)
    for text, line in zip(texts, done.stdout.splitlines(), strict=True):
        found = json.loads(line)
        ids = found["ids"] if isinstance(found, dict) else found
        expected = tokenizer(text)["input_ids"]
        assert ids == expected, f"{text!r}: {ids} instead of {expected}"
    return len(texts)


def log_probabilities(model, tokenizer, record):
    """Ids of the answer and their log-probabilities."""
    question = [{"role": "user", "content": record["question"]}]
    prompt = tokenizer.apply_chat_template(question, tokenize=True, add_generation_prompt=True)
    full = tokenizer.apply_chat_template(question + [{"role": "assistant", "content": record["answer"]}], tokenize=True)
    assert full[:len(prompt)] == prompt and full[-1] == tokenizer.eos_token_id
    assert tokenizer.decode(full[len(prompt):], skip_special_tokens=True) == record["answer"]
    with torch.no_grad():
        logits = model(torch.tensor([full])).logits[0].double()
    rows = torch.log_softmax(logits, -1)
    return full[len(prompt):], [rows[t - 1, full[t]].item() for t in range(len(prompt), len(full))]


def check_scores(program, folder, data, tokenizer):
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, attn_implementation="eager").eval()
    with tempfile.TemporaryDirectory() as scratch:
        out = pathlib.Path(scratch) / "traces.jsonl"
        subprocess.run([program, "--quiet", "trace", "--model", folder, "--data", data, "--out", out],
                       stdout=subprocess.DEVNULL, check=True)
        traces = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()[1:]]
    records = [json.loads(line) for line in pathlib.Path(data).read_text(encoding="utf-8").splitlines()]
    worst = 0.0
    for trace, record in zip(traces, records, strict=True):
        ids, expected = log_probabilities(model, tokenizer, record)
        assert trace["label"] == ids, record
        worst = max(worst, max(abs(a - b) for a, b in zip(trace["logprob"], expected, strict=True)))
    assert worst < TOLERANCE, worst
    return len(records), worst


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: check_lab.py PROGRAM MODEL DATA")
    program, folder, data = sys.argv[1:]
    torch.set_num_threads(1)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    texts = check_tokens(program, folder, tokenizer)
    examples, worst = check_scores(program, folder, data, tokenizer)
    print(f"transformers {transformers.__version__}: {texts} texts with equal ids, {examples} examples whose "
          f"log-probabilities differ by at most {worst:.1e}")


if __name__ == "__main__":
    main()
