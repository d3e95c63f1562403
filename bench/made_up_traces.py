"""Writes trace files of any size as columns (docs/formats.md): a forget and a holdout set, and on request the traces of
a reference model on the same examples. Only numpy is needed.

  python3 bench/made_up_traces.py FOLDER [--examples 1000000] [--tokens 100] [--reference] [--seed 0]

FOLDER gets forget.safetensors and holdout.safetensors, each with half of the examples. The texts are made of words whose
frequencies follow Zipf's law, one word per token. The forget set's tokens are a little more likely, so that there is
something to find.
"""

import argparse
import json
import pathlib

import numpy as np

WORDS = 30_000
CHUNK = 10_000  # examples that are made at once
WIDTHS = {"I64": 8, "F64": 8, "F32": 4, "U16": 2, "U8": 1}


def made_up_words(random):
    """Different words of two to eight letters, with the blank before them."""
    words = {}
    while len(words) < WORDS:
        letters = random.integers(ord("a"), ord("z") + 1, random.integers(2, 9))
        words[" " + bytes(letters.astype(np.uint8)).decode()] = None
    return list(words)


class Texts:
    """Texts back to back, and where each begins and ends."""

    def __init__(self, texts):
        parts = [text.encode() for text in texts]
        self.bytes = np.frombuffer(b"".join(parts), np.uint8)
        self.lengths = np.array([len(part) for part in parts], np.int64)
        self.starts = np.concatenate([[0], np.cumsum(self.lengths)])

    def joined(self, numbers):
        """The bytes of the texts of these numbers, back to back."""
        lengths = self.lengths[numbers]
        ends = np.cumsum(lengths)
        indices = np.arange(ends[-1]) + np.repeat(self.starts[numbers] - ends + lengths, lengths)
        return self.bytes[indices]


class ColumnFile:
    """A safetensors file whose columns are written in any order, a part at a time."""

    def __init__(self, path, columns, metadata):
        header = {"__metadata__": metadata}
        end = 0
        for name, (kind, length) in columns.items():
            begin, end = end, end + WIDTHS[kind] * length
            header[name] = {"dtype": kind, "shape": [length], "data_offsets": [begin, end]}
        text = json.dumps(header).encode()
        text += b" " * (-len(text) % 8)
        self.offsets = {name: header[name]["data_offsets"][0] + 8 + len(text) for name in columns}
        self.file = open(path, "wb")
        self.file.write(len(text).to_bytes(8, "little") + text)

    def append(self, name, values):
        self.file.seek(self.offsets[name])
        self.offsets[name] += self.file.write(values.tobytes())


def write_traces(path, model, shift, lengths, text_bytes, words, seed):
    """Traces of examples of these lengths. The seed of the numbers is the model's, that of the tokens is the file's."""
    count, total = len(lengths), int(lengths.sum())
    index = Texts([str(i) for i in range(count)])
    columns = {"num_labels": ("I64", count), "offsets": ("I64", count + 1), "index.offsets": ("I64", count + 1),
               "text.offsets": ("I64", count + 1), "token_texts.offsets": ("I64", WORDS + 1),
               "logprob": ("F32", total), "mean": ("F32", total), "var": ("F32", total), "argmax": ("U16", total),
               "label": ("U16", total), "tokens": ("U16", total), "index": ("U8", len(index.bytes)),
               "token_texts": ("U8", len(words.bytes)), "text": ("U8", text_bytes)}
    file = ColumnFile(path, columns, {"palimpsest_trace": "1", "model": model, "dataset": path.stem})
    file.append("num_labels", lengths)
    file.append("offsets", np.concatenate([[0], np.cumsum(lengths)]))
    file.append("index", index.bytes)
    file.append("index.offsets", index.starts)
    file.append("token_texts", words.bytes)
    file.append("token_texts.offsets", words.starts)
    file.append("text.offsets", np.zeros(1, np.int64))
    random = np.random.default_rng([seed, len(model)])
    text_end = 0
    for label, ends in tokens_of(lengths, seed):
        mean = -2.5 * random.random(len(label), np.float32) - 0.5
        logprob = np.minimum(mean * random.standard_exponential(len(label), np.float32) + shift, 0)
        hit = random.random(len(label), np.float32) < 0.4
        file.append("logprob", logprob.astype(np.float32))
        file.append("mean", mean)
        file.append("var", (-mean * 1.5).astype(np.float32))
        file.append("argmax", np.where(hit, label, label // 2).astype(np.uint16))
        file.append("label", label)
        file.append("tokens", label)
        file.append("text", words.joined(label))
        text_ends = text_end + np.cumsum(words.lengths[label])[ends - 1]
        file.append("text.offsets", text_ends)
        text_end = int(text_ends[-1])
    file.file.close()


def tokens_of(lengths, seed):
    """The tokens of the examples, some at a time, and where each example ends among them."""
    random = np.random.default_rng(seed)
    for first in range(0, len(lengths), CHUNK):
        ends = np.cumsum(lengths[first:first + CHUNK])
        yield np.exp(random.random(ends[-1]) * np.log(WORDS)).astype(np.uint16), ends


def write_set(folder, name, shift, count, tokens, seed, reference, words):
    random = np.random.default_rng([seed, 1])
    lengths = random.integers(max(1, tokens * 9 // 10), tokens * 11 // 10 + 1, count)
    text_bytes = sum(int(words.lengths[label].sum()) for label, _ in tokens_of(lengths, seed))
    write_traces(folder / f"{name}.safetensors", "made-up", shift, lengths, text_bytes, words, seed)
    if reference:
        write_traces(folder / f"reference-{name}.safetensors", "reference", 0, lengths, text_bytes, words, seed)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--examples", type=int, default=1_000_000, help="of both sets together")
    parser.add_argument("--tokens", type=int, default=100, help="of an example, on average")
    parser.add_argument("--reference", action="store_true", help="also the traces of a reference model")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    words = Texts(made_up_words(np.random.default_rng(arguments.seed)))
    for number, (name, shift) in enumerate([("forget", 0.05), ("holdout", 0.0)]):
        count = (arguments.examples + 1 - number) // 2
        write_set(arguments.folder, name, shift, count, arguments.tokens, 2 * arguments.seed + number, arguments.reference,
                  words)


if __name__ == "__main__":
    main()
