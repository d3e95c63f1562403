"""What the peers that run whole programs share: made-up words, a tokenizer for them, and time and memory of a process."""

import json
import os
import subprocess
import sys
import time

VOCABULARY = 32000


def write_tokenizer(folder):
    """Words w0, w1, … for the model's ids."""
    words = {"<s>": 0, "</s>": 1} | {f"w{i}": i for i in range(2, VOCABULARY)}
    content = {"version": "1.0", "added_tokens": [
        {"id": i, "content": token, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
         "special": True} for i, token in enumerate(("<s>", "</s>"))],
        "pre_tokenizer": {"type": "WhitespaceSplit"}, "normalizer": None, "post_processor": None, "decoder": None,
        "model": {"type": "WordLevel", "vocab": words, "unk_token": "<s>"}}
    (folder / "tokenizer.json").write_text(json.dumps(content), encoding="utf-8")
    config = {"bos_token": "<s>", "eos_token": "</s>", "tokenizer_class": "PreTrainedTokenizerFast",
              "clean_up_tokenization_spaces": False}
    (folder / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")


def words(draw, low, high):
    """Between `low` and `high` words, a token each."""
    return " ".join(f"w{draw.randrange(2, VOCABULARY)}" for _ in range(draw.randint(low, high)))


def measured(command, environment=None):
    """(seconds, peak MB) of a process; it has said itself why it failed."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(1)
    return time.perf_counter() - start, usage.ru_maxrss / 1024
