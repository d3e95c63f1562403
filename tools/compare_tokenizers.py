#!/usr/bin/env python3
"""Compares `palimpsest tokenize` with the official `tokenizers` package on tokenizer.json files of any origin.

    python3 tools/compare_tokenizers.py build/palimpsest FOLDER …
        pip install tokenizers==0.20.3

20,000 lines: 12,000 of this project's own files and of Python's library, 8,000 random ones in many scripts. Special tokens
are left out, since tokenizer_config.json may add others than tokenizer.json. Ends with status 1 if an id differs.
"""

import json
import pathlib
import random
import subprocess
import sys

import tokenizers

ROOT = pathlib.Path(__file__).resolve().parents[1]
LONGEST = 400
BLOCKS = [(0x20, 0x7E), (0xA0, 0x24F), (0x370, 0x52F), (0x590, 0x6FF), (0x900, 0xDFF), (0xE00, 0xEFF), (0x1100, 0x11FF),
          (0x2000, 0x2BFF), (0x3040, 0x30FF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0xFB00, 0xFDFF), (0xFE00, 0xFEFF),
          (0xFF00, 0xFFEF), (0x1D400, 0x1D7FF), (0x1F300, 0x1FAFF), (0x20000, 0x2A6DF)]
BETWEEN = ["", " ", "  ", "'s ", "'LL ", " 1234 ", "\t", "...", "   "]


def written_lines(rng, count):
    lines = set()
    for folder, pattern in ((ROOT / "docs", "*.md"), (ROOT / "palimpsest", "*.cc"), (ROOT / "configs", "*.yaml"),
                            (pathlib.Path(json.__file__).parents[1], "*.py")):
        for file in sorted(folder.rglob(pattern))[:400]:
            lines.update(line for line in file.read_text(encoding="utf-8", errors="ignore").split("\n") if 0 < len(line) < LONGEST)
    return rng.sample(sorted(lines), count)


def random_line(rng):
    text = ""
    for _ in range(rng.randint(1, 12)):
        low, high = rng.choice(BLOCKS)
        text += "".join(chr(rng.randint(low, high)) for _ in range(rng.randint(1, 6))) + rng.choice(BETWEEN)
    return text


def our_ids(program, folder, lines):
    done = subprocess.run([program, "--quiet", "tokenize", "--json", "--no-special", "--model", str(folder)],
                          input="".join(json.dumps(line) + "\n" for line in lines), capture_output=True, text=True, check=True)
    return [json.loads(line)["ids"] for line in done.stdout.splitlines()]


def main():
    program, *folders = sys.argv[1:]
    rng = random.Random(5)
    lines = written_lines(rng, 12000) + [random_line(rng) for _ in range(8000)]
    different = 0
    for folder in map(pathlib.Path, folders):
        official = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        wanted = [encoding.ids for encoding in official.encode_batch(lines, add_special_tokens=False)]
        wrong = [line for line, ids, other in zip(lines, wanted, our_ids(program, folder, lines), strict=True) if ids != other]
        different += len(wrong)
        print(f"{folder}: {sum(map(len, wanted))} tokens, {len(wrong)} of {len(lines)} lines differ", *map(repr, wrong[:3]), sep="\n  ")
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
