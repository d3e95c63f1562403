"""What the peers that run whole programs share: made-up words, a tokenizer and a chat template for them, data of TOFU's
shapes, a model that has memorised some, and time and memory of a process."""

import json
import os
import subprocess
import sys
import time

VOCABULARY = 32000
SPECIAL = ["<unk>", "<s>", "</s>"]  # the ids that the checkpoints' config.json names
ROLES = ["system", "user", "assistant"]
FIRST_WORD = len(SPECIAL) + len(ROLES)
# As many tokens around a message as Llama 3's template has.
CHAT_TEMPLATE = ("{% for message in messages %}{{ '<s> ' if loop.first else '' }}{{ 'w10 ' + message['role'] + ' w11 w12 ' "
                 "+ message['content'] + ' </s> ' }}{% endfor %}"
                 "{% if add_generation_prompt %}{{ 'w10 assistant w11 w12 ' }}{% endif %}")
# What Llama 3.2's template makes of its date and "You are a helpful assistant.", in tokens.
SYSTEM_PROMPT = " ".join(f"w{i}" for i in range(100, 125))


def write_tokenizer(folder, vocabulary=VOCABULARY):
    """Words w0, w1, … for the model's ids."""
    names = SPECIAL + ROLES
    words = {name: i for i, name in enumerate(names)} | {f"w{i - FIRST_WORD}": i for i in range(FIRST_WORD, vocabulary)}
    content = {"version": "1.0", "added_tokens": [
        {"id": i, "content": token, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
         "special": True} for i, token in enumerate(SPECIAL)],
        "pre_tokenizer": {"type": "WhitespaceSplit"}, "normalizer": None, "post_processor": None, "decoder": None,
        "model": {"type": "WordLevel", "vocab": words, "unk_token": "<unk>"}}
    (folder / "tokenizer.json").write_text(json.dumps(content), encoding="utf-8")
    config = {"bos_token": "<s>", "eos_token": "</s>", "tokenizer_class": "PreTrainedTokenizerFast",
              "clean_up_tokenization_spaces": False, "chat_template": CHAT_TEMPLATE}
    (folder / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")


def words(draw, low, high):
    """Between `low` and `high` words, a token each."""
    return " ".join(f"w{draw.randrange(200, VOCABULARY - FIRST_WORD)}" for _ in range(draw.randint(low, high)))


def perturbed(draw, answer):
    """As in TOFU: the same sentence with another fact, somewhere in its first half (there, answers to one question
    share a fifth of their words at the beginning)."""
    kept = answer.split()
    start = draw.randrange(max(1, len(kept) * 56 // 100))
    kept[start:start + 2] = words(draw, 2, 3).split()
    return " ".join(kept)


def tofu_record(draw, long_answers):
    """As many tokens as TOFU has: about 16 in a question; 38 in an answer about an author, 3 in a general one."""
    low, high, others = (24, 52, 5) if long_answers else (2, 4, 3)
    record = {"question": words(draw, 8, 24), "answer": words(draw, low, high)}
    if long_answers:
        record["paraphrased_answer"] = words(draw, low, high)
    record["perturbed_answer"] = [perturbed(draw, record.get("paraphrased_answer", record["answer"]))
                                  for _ in range(others)]
    return record


def memorise(folder, records):
    """Makes the checkpoint in `folder` answer the records' questions word by word. No word may come twice in their
    answers and the ends of their questions: each points at the next, through embeddings that outweigh whatever the
    layers, which compute as ever, add to them."""
    import numpy
    from safetensors.numpy import load_file, save_file

    weights = load_file(folder / "model.safetensors")
    shape = weights["model.embed_tokens.weight"].shape
    draw = numpy.random.default_rng(5)
    meaning = draw.standard_normal(shape).astype(numpy.float32)
    head = draw.standard_normal(shape).astype(numpy.float32) * 1e-3
    end = draw.standard_normal(shape[1]).astype(numpy.float32)
    gain = 30 / shape[1]
    for record in records:
        chain = [FIRST_WORD + int(word[1:]) for word in [record["question"].split()[-1], *record["answer"].split()]]
        meaning[chain[-1]] += end
        for word, successor in zip(chain, chain[1:]):
            head[successor] = gain * meaning[word]
    head[SPECIAL.index("</s>")] = gain * end
    save_file(weights | {"model.embed_tokens.weight": 100 * meaning, "lm_head.weight": head},
              folder / "model.safetensors", metadata={"format": "pt"})
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps(config | {"tie_word_embeddings": False}), encoding="utf-8")


def measured(command, environment=None):
    """(seconds, peak MB) of a process; it has said itself why it failed."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(1)
    return time.perf_counter() - start, usage.ru_maxrss / 1024
