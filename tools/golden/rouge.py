#!/usr/bin/env python3
"""Makes the golden data of palimpsest/text: ROUGE scores and Porter stems.

The text is made here, from syllables, endings and a few common words; nothing is copied. Scores
come from Google's rouge_score, stems from NLTK's PorterStemmer in its default mode.

    pip install rouge_score==0.1.2 nltk==3.10.4
    python3 tools/golden/rouge.py --out tests/golden/text

The same packages and the same seed give the same bytes.
"""

import argparse
import gzip
import importlib.metadata
import itertools
import json
import pathlib
import platform
import random
import re
import unicodedata

from nltk.stem.porter import PorterStemmer
from rouge_score import rouge_scorer

SEED = 20240611
PAIRS = 2000
TYPES = ["rouge1", "rouge2", "rouge3", "rougeL", "rougeLsum"]

# What Porter's rules look for: plurals, -ed and -ing, and the suffixes of steps 1c to 5, alone and
# after one another.
ENDINGS = """
s es ss sses ies ied ed eed ing ings y ly ie e ll le ational tional enci ency anci ancy izer bli ably
ably alli ally entli ently eli ely ousli ously ization ation ator alism iveness fulness ousness aliti
ality iviti ivity biliti bility fulli fully logi logy icate ative alize iciti icity ical ful ness al
ance ence er ic able ible ant ement ment ent sion tion ion ou ism ate iti ity ous ive ize ationally
izations ativeness alizing ated izing bled ating
""".split()

IRREGULAR = """
sky skies dying lying tying news innings inning outings outing cannings canning howe proceed exceed
succeed proceeds exceeding
""".split()

COMMON = """
the a of and to in is was that it for on as with by at from his her they which or an be this are not
were have had but one all
""".split()

ODD = [
    "İstanbul", "DİYARBAKIR", "\u212Aelvin", "5\u212A", "naïve", "café", "Ünïted", "STRASSE", "straße", "ǅ", "ſeven",
    "Ωmega", "ΣΑΣ", "日本語", "русский", "العربية", "हिन्दी", "😀", "x²", "①②", "ＦＵＬＬwidth", "ﬁne", "a\u0301b", "co\u00adop",
    "zero\u200bwidth", "e\u0301t\u00e9", "İ", "\u212A", "١٢٣", "\u0131ne", "m\u00aa", "İi\u0307",
]


def make_roots(rng):
    onsets = ["", "b", "c", "d", "f", "g", "h", "l", "m", "n", "p", "r", "s", "t", "v", "w", "y", "z", "br", "ch", "st", "tr", "sh"]
    vowels = ["a", "e", "i", "o", "u", "y", "ea", "ou", "ai"]
    codas = ["", "b", "d", "g", "l", "m", "n", "p", "r", "s", "t", "w", "x", "y", "z", "ll", "ss", "tt", "nd", "rs"]
    roots = set()
    while len(roots) < 350:
        syllables = rng.choice([1, 1, 2, 2, 3])
        roots.add("".join(rng.choice(onsets) + rng.choice(vowels) + rng.choice(codas) for _ in range(syllables)))
    return sorted(roots)


def make_word(rng, roots):
    kind = rng.random()
    if kind < 0.3:
        return rng.choice(COMMON)
    if kind < 0.33:
        return rng.choice(IRREGULAR)
    if kind < 0.38:
        return str(rng.randrange(10 ** rng.randrange(1, 6)))
    if kind < 0.39:
        return rng.choice(["3rd", "x86", "2nd", "h2o", "mp3s", "1990s", "4ing", "r2d2ing", "99ss"])
    return rng.choice(roots) + (rng.choice(ENDINGS) if rng.random() < 0.6 else "")


def inflect_again(rng, word):
    for ending in sorted(ENDINGS, key=len, reverse=True):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            return word[: -len(ending)] + rng.choice(ENDINGS)
    return word + rng.choice(ENDINGS)


def punctuate(rng, words, unicode_share):
    text = ""
    for i, word in enumerate(words):
        if rng.random() < unicode_share:
            word = rng.choice(ODD)
        if rng.random() < 0.08:
            word = word.upper()
        elif rng.random() < 0.1:
            word = word.capitalize()
        if i > 0:
            text += rng.choice([" "] * 24 + [", ", ". ", "; ", " - ", "-", "'", "/", "  ", "\t", " (", ") ", "_", "\u00a0", "…"])
        text += word
    return text + rng.choice(["", ".", "!", "?\n", " "])


def edited(rng, words, roots):
    """A prediction: some words dropped, inflected otherwise, replaced, doubled or moved."""
    result = []
    for word in words:
        kind = rng.random()
        if kind < 0.12:
            continue
        if kind < 0.27:
            word = inflect_again(rng, word)
        elif kind < 0.38:
            word = make_word(rng, roots)
        elif kind < 0.43:
            result.append(word)
        result.append(word)
    if rng.random() < 0.4 and len(result) > 4:
        cut = rng.randrange(1, len(result))
        result = result[cut:] + result[:cut]
    return result


def lines_of(rng, words, break_share):
    lines = [[]]
    for word in words:
        lines[-1].append(word)
        if rng.random() < break_share:
            lines.append([])
    return lines


def make_pair(rng, roots, index):
    kind = index % 10
    length = rng.randrange(1, 40)
    if index % 250 in (7, 110, 203):
        length = 600
    words = [make_word(rng, roots) for _ in range(length)]
    if kind == 0:  # few distinct tokens: many longest subsequences of the same length
        letters = ["a", "b", "c", "running", "runs"][: rng.randrange(2, 6)]
        words = [rng.choice(letters) for _ in range(length)]
        other = [rng.choice(letters) for _ in range(rng.randrange(1, max(40, length)))]
    else:
        other = edited(rng, words, roots)
    unicode_share = 0.2 if kind in (1, 2) else 0.0
    if kind in (0, 3, 4, 5):  # several lines, some of them empty
        share = rng.choice([0.05, 0.15, 0.4])
        target_lines, prediction_lines = lines_of(rng, words, share), lines_of(rng, other, share)
        if rng.random() < 0.5:
            rng.shuffle(prediction_lines)
        join = rng.choice(["\n", "\n", "\n\n", "\r\n"])
        target = join.join(punctuate(rng, line, unicode_share) for line in target_lines)
        prediction = join.join(punctuate(rng, line, unicode_share) for line in prediction_lines)
    else:
        target, prediction = punctuate(rng, words, unicode_share), punctuate(rng, other, unicode_share)
    if kind == 9 and index % 100 == 9:
        prediction = target
    if kind == 9 and index % 100 == 19:
        empty = ["", " ", "\n", "...", "日本", "\n\n\n"]
        target, prediction = rng.choice([(target, rng.choice(empty)), (rng.choice(empty), prediction), (rng.choice(empty), rng.choice(empty))])
    return target, prediction


def flat(scores):
    return [value for kind in TYPES for value in (scores[kind].precision, scores[kind].recall, scores[kind].fmeasure)]


def make_words(rng, roots):
    """Words for each rule: stems of every measure before every ending, and letters at random."""
    stems = ["", "b", "tr", "a", "ee", "tree", "by", "ivy", "hop", "hopp", "fall", "hiss", "fizz", "tann", "sw", "sky",
             "troubl", "conflat", "siz", "fil", "fail", "box", "snow", "play", "oat", "private", "oaten", "control",
             "controll", "roll", "ge", "geo", "theo", "archaeo", "aut", "adopt", "decis", "yy", "yyy", "syzyg", "ay", "oy"]
    words = set(IRREGULAR) | set(COMMON)
    words |= {stem + ending for stem in stems for ending in ENDINGS}
    words |= {rng.choice(roots) + rng.choice(ENDINGS) for _ in range(4000)}
    words |= {rng.choice(roots) + a + b for a, b in itertools.product(ENDINGS, ENDINGS) if rng.random() < 0.25}
    for letters in ("aeiouybcdlstz", "aeilsty", "ybae", "abcdefghijklmnopqrstuvwxyz0123456789"):
        words |= {"".join(rng.choice(letters) for _ in range(rng.randrange(1, 10))) for _ in range(600)}
        words |= {"".join(rng.choice(letters) for _ in range(rng.randrange(0, 6))) + rng.choice(ENDINGS) for _ in range(600)}
    words |= {"y" * n for n in range(1, 12)} | {"Upper", "RUNNING", "MiXeDly", "1s", "11ing", "99ed", "a1ed"}
    words.discard("")
    return sorted(words)


def lowered_to_ascii():
    """The code points outside ASCII whose lower case has one of a-z, 0-9 in it, as rouge_score cuts them."""
    tokenize = rouge_scorer.RougeScorer(["rouge1"])._tokenizer.tokenize
    return {f"{c:04X}": tokenize(f"a{chr(c)}b") for c in range(0x80, 0x110000) if re.search("[a-z0-9]", chr(c).lower())}


def write(path, value):
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    path.write_bytes(gzip.compress(text.encode(), compresslevel=9, mtime=0))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, required=True, help="the folder for the .json.gz files")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    manifest = {
        "script": "tools/golden/rouge.py",
        "seed": SEED,
        "python": platform.python_version(),
        "unicode": unicodedata.unidata_version,
        "packages": {name: importlib.metadata.version(name) for name in ("rouge_score", "nltk")},
    }
    rng = random.Random(SEED)
    roots = make_roots(rng)

    scorers = [rouge_scorer.RougeScorer(TYPES, use_stemmer=stem) for stem in (False, True)]
    pairs = []
    for index in range(PAIRS):
        target, prediction = make_pair(rng, roots, index)
        pairs.append([target, prediction] + [flat(scorer.score(target, prediction)) for scorer in scorers])
    several = []
    for index in range(60):
        drawn = [make_pair(rng, roots, index) for _ in range(rng.randrange(1, 5))]
        targets, prediction = [target for target, _ in drawn], drawn[-1][1]
        several.append([targets, prediction] + [flat(scorer.score_multi(targets, prediction)) for scorer in scorers])
    write(out / "rouge.json.gz", {
        "manifest": manifest,
        "types": TYPES,
        "columns": "target, prediction, then without and with stemmer: precision, recall, F of each type",
        "pairs": pairs,
        "several_targets": several,
        "lowered_to_ascii": lowered_to_ascii(),
    })

    stemmer = PorterStemmer()
    write(out / "porter.json.gz", {"manifest": manifest, "stems": {word: stemmer.stem(word) for word in make_words(rng, roots)}})


if __name__ == "__main__":
    main()
