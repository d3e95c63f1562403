"""Writes palimpsest/tokenizer/unicode_tables.cc and script_table.cc: the `tokenizers` package's classes.

The package mixes several Unicode versions (each of its own dependencies brings its tables), so its
answers cannot be had from any one Unicode library. This script asks the package itself about every
code point and writes down the ranges.

    python3 tools/golden/unicode_tables.py palimpsest/tokenizer

Needs tokenizers 0.20.3 (the version that transformers 4.45.1 uses). Takes about 20 seconds.
"""

import sys

import tokenizers
from tokenizers import normalizers, pre_tokenizers

CODE_POINTS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]
BLOCK = 4096


def blocks():
    for start in range(0, len(CODE_POINTS), BLOCK):
        yield CODE_POINTS[start : start + BLOCK]


def ranges(selected):
    result = []
    for c in sorted(selected):
        # Surrogates are not characters: a range may run over them.
        if result and (result[-1][1] == c - 1 or (result[-1][1] == 0xD7FF and c == 0xE000)):
            result[-1][1] = c
        else:
            result.append([c, c])
    return result


def isolated(pre_tokenizer):
    """The characters that the pre-tokenizer cuts out from between letters."""
    found = []
    for block in blocks():
        text = "".join("a" + chr(c) + "a" for c in block)
        starts = {start for _, (start, _) in pre_tokenizer.pre_tokenize_str(text)}
        found += [c for i, c in enumerate(block) if 3 * i + 1 in starts]
    return found


def removed(normalizer):
    return [c for c in CODE_POINTS if normalizer.normalize_str(chr(c)) == ""]


def spaces():
    found = []
    for block in blocks():
        kept = set()
        for piece, _ in pre_tokenizers.Whitespace().pre_tokenize_str("".join(map(chr, block))):
            kept.update(map(ord, piece))
        found += [c for c in block if c not in kept]
    return found


def word_characters():
    other = set(isolated(pre_tokenizers.Whitespace())) | set(spaces())
    return [c for c in CODE_POINTS if c not in other]


def bert(**options):
    base = dict(clean_text=False, handle_chinese_chars=False, strip_accents=False, lowercase=False)
    return normalizers.BertNormalizer(**{**base, **options})


def scripts():
    """[first, last, script]: characters of the same number are never split from one another."""
    splitter = pre_tokenizers.UnicodeScripts()
    result, representatives = [], []
    for block in blocks():
        known = [c for c in block if splitter.pre_tokenize_str(chr(c))]
        pieces = splitter.pre_tokenize_str("".join(map(chr, known)))
        for piece, _ in pieces:
            for number, representative in enumerate(representatives):
                if len(splitter.pre_tokenize_str(representative + piece[0])) == 1:
                    break
            else:
                number = len(representatives)
                representatives.append(piece[0])
            for first, last in ranges(map(ord, piece)):
                if result and result[-1][2] == number and result[-1][1] == first - 1:
                    result[-1][1] = last
                else:
                    result.append([first, last, number])
    # The second number from 1: 0 stands for characters of no script.
    return [[first, last, number + 1] for first, last, number in result]


def rows(items, render):
    line = " "
    for item in items:
        text = " " + render(item) + ","
        if len(line) + len(text) > 100:
            yield line
            line = " "
        line += text
    yield line


def write_ranges(out, name, comment, selected):
    out.write(f"// {comment}\nconst CodePointRange {name}[] = {{\n")
    for line in rows(ranges(selected), lambda r: f"{{{r[0]:#x}, {r[1]:#x}}}"):
        out.write(line[1:] + "\n")
    out.write("};\n")
    out.write(f"const size_t {name}Size = std::size({name});\n\n")


def open_source(name):
    out = open(f"{sys.argv[1]}/{name}", "w", encoding="utf-8")
    out.write(
        "// Made by tools/golden/unicode_tables.py from tokenizers "
        + tokenizers.__version__
        + "; do not edit.\n"
        '#include <iterator>\n\n#include "palimpsest/tokenizer/internal/unicode_tables.h"\n\n'
        "// clang-format off\n"
        "namespace palimpsest::tokenizer {\n\n"
    )
    return out


def main():
    end = "}  // namespace palimpsest::tokenizer\n"
    with open_source("unicode_tables.cc") as out:
        write_ranges(out, "kWord", "Regular expressions' \\w", word_characters())
        write_ranges(out, "kPunctuation", "Punctuation", isolated(pre_tokenizers.Punctuation()))
        write_ranges(out, "kMark", "Combining marks", removed(normalizers.StripAccents()))
        write_ranges(
            out, "kNonspacingMark", "Marks without width", removed(bert(strip_accents=True)))
        write_ranges(
            out, "kOther", "Control, format and private characters", removed(bert(clean_text=True)))
        out.write(end)
    with open_source("script_table.cc") as out:
        out.write("// Scripts, numbered; Hiragana and Katakana count as Han\n")
        out.write("const ScriptRange kScripts[] = {\n")
        for line in rows(scripts(), lambda r: f"{{{r[0]:#x}, {r[1]:#x}, {r[2]}}}"):
            out.write(line[1:] + "\n")
        out.write("};\nconst size_t kScriptsSize = std::size(kScripts);\n\n")
        out.write(end)


if __name__ == "__main__":
    main()
