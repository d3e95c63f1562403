"""Tokenizer speed beside the `tokenizers` package, one thread each, on 10 MB of mixed text.

    bench/peers/tokenizer_peer.py BENCH_DIR

Makes a byte-level and a SentencePiece-style tokenizer and one of 128,000 entries (for loading), runs
BENCH_DIR/tokenizer_speed and the package on them and prints {name: seconds} as JSON, ours as "ours:NAME". The
package is timed by its fastest call (encode_batch_fast, which gives ids only). Ends with status 1 if the ids differ;
without the package it prints {} and a note, and exits with 0.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["RAYON_NUM_THREADS"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "tools", "golden"))

import tokenizer_text  # noqa: E402

try:
    from tokenizers import Regex, Tokenizer, decoders, models, normalizers
    from tokenizers import pre_tokenizers as pre
    from tokenizers import trainers
except ImportError as error:
    print(f"tokenizer_peer.py: {error}; no figures without tokenizers", file=sys.stderr)
    print("{}")
    sys.exit(0)

BYTES = 10_000_000
GPT4 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+")


def make_texts(count, seed):
    """Documents of English, code, other scripts and a little of everything."""
    rng = random.Random(seed)
    words = tokenizer_text.vocabulary(rng)
    scripts = ["english"] * 6 + ["latin", "accents", "cyrillic", "greek", "han", "hangul", "arabic"]
    texts, size = [], 0
    while size < count:
        parts = []
        for _ in range(rng.randint(3, 25)):
            kind = rng.random()
            parts.append(tokenizer_text.sentence(rng, words, rng.choice(scripts)) if kind < 0.8
                         else rng.choice(tokenizer_text.CODE) if kind < 0.93
                         else tokenizer_text.line(rng, words))
        texts.append(rng.choice([" ", "\n"]).join(parts))
        size += len(texts[-1].encode())
    return texts


def byte_level(texts):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre.Sequence([pre.Split(Regex(GPT4), "isolated"),
                                            pre.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(texts, trainers.BpeTrainer(
        vocab_size=16000, initial_alphabet=pre.ByteLevel.alphabet(), show_progress=False))
    return tokenizer


def sentence_piece(texts):
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre.Metaspace()
    tokenizer.train_from_iterator(texts, trainers.BpeTrainer(
        vocab_size=16000, special_tokens=["<unk>"] + [f"<0x{i:02X}>" for i in range(256)],
        show_progress=False))
    state = json.loads(tokenizer.to_str())
    state["model"].update(byte_fallback=True, fuse_unk=True)
    state["pre_tokenizer"] = None
    state["added_tokens"] = state["added_tokens"][:1]
    tokenizer = Tokenizer.from_str(json.dumps(state))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    return tokenizer


def large(entries, seed):
    """A vocabulary of this size from merges of random earlier tokens."""
    rng = random.Random(seed)
    tokens = sorted(pre.ByteLevel.alphabet())
    vocab = {token: i for i, token in enumerate(tokens)}
    merges = []
    while len(tokens) < entries:
        pair = (rng.choice(tokens[:4000]), rng.choice(tokens[:4000]))
        if len(pair[0] + pair[1]) < 16 and pair[0] + pair[1] not in vocab:
            merges.append(pair)
            vocab[pair[0] + pair[1]] = len(tokens)
            tokens.append(pair[0] + pair[1])
    tokenizer = Tokenizer(models.BPE(vocab, merges))
    tokenizer.pre_tokenizer = pre.ByteLevel(add_prefix_space=False)
    return tokenizer


def best(work, rounds=3):
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - start)
    return min(times), result


def checksum(encodings):
    value = 0
    for encoding in encodings:
        for token in encoding.ids:
            value = (value * 31 + token) % 2**64
    return value


def main():
    program = os.path.join(sys.argv[1], "tokenizer_speed")
    texts = make_texts(BYTES, 7)
    times = {}
    with tempfile.TemporaryDirectory() as folder:
        text_file = f"{folder}/text.jsonl"
        with open(text_file, "w", encoding="utf-8") as out:
            out.writelines(json.dumps(text) + "\n" for text in texts)
        for name, tokenizer in (("byte_level", byte_level(texts[:2000])),
                                ("sentence_piece", sentence_piece(texts[:2000])),
                                ("large", large(128_000, 1))):
            os.makedirs(f"{folder}/{name}")
            path = f"{folder}/{name}/tokenizer.json"
            tokenizer.save(path)
            ours = json.loads(subprocess.check_output([program, f"{folder}/{name}", text_file]))
            load, fresh = best(lambda: Tokenizer.from_file(path))
            encode, encodings = best(lambda: fresh.encode_batch_fast(texts))
            if checksum(encodings) != ours["checksum"]:
                sys.exit(f"{name}: the ids differ")
            for what, theirs in (("load", load), ("encode", encode)):
                times[f"tokenizer_{name}_{what}"] = theirs
                times[f"ours:tokenizer_{name}_{what}"] = ours[what + "_seconds"]
    print(json.dumps(times))


if __name__ == "__main__":
    main()
