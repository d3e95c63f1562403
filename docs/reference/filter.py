#!/usr/bin/env python3
"""Gives Doxygen the comments of a header: its INPUT_FILTER, which prints the header with documentation comments.

The headers have plain // comments, which read well without any tool. This filter turns them into Doxygen's:

- the comment that opens a file describes the file,
- a comment in lines of its own right before a declaration describes that declaration,
- a comment behind a declaration (and its continuation in the lines below) describes that one.

Comments within functions and comments that an empty line follows stay as they are. Their text is plain text: examples, which are
indented, are set as they are, `names` as code, and nothing in it is a command, a tag or a link of Doxygen's.
"""

import re
import sys

OPENS_SCOPE = re.compile(r"\b(?:namespace|class|struct|union|enum|extern)\b")


def escaped(text: str) -> str:
    return re.sub(r'([\\@<>&$#%"])', r"\\\1", text)


def plain(text: str) -> str:
    """Text with `names` as code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:  # one that is not closed in this line
        return escaped(text)
    return "".join(f"<code>{escaped(part)}</code>" if i % 2 else escaped(part) for i, part in enumerate(parts))


def split_comment(line: str) -> tuple[str, str | None]:
    """Code and comment of a line; a // within a text is no comment."""
    i = 0
    quote = None
    while i < len(line):
        if quote:
            if line[i] == "\\":
                i += 1
            elif line[i] == quote:
                quote = None
        elif line[i] == '"' or (line[i] == "'" and not (i > 0 and line[i - 1].isalnum())):
            quote = line[i]
        elif line.startswith("//", i):
            return line[:i], line[i + 2:]
        i += 1
    return line, None


class Scopes:
    """Whether a line stands among declarations or within a function, an initializer or a macro."""

    def __init__(self):
        self.open = []  # for each open brace whether declarations are inside
        self.pending = ""  # code since the last ; { or }
        self.parentheses = 0

    def declares(self) -> bool:
        return all(self.open) and self.parentheses == 0

    def read(self, code: str):
        for token in re.findall(r'"(?:\\.|[^"\\])*"|[{}();]|[^{}();"]+', code):
            if token == "(":
                self.parentheses += 1
            elif token == ")":
                self.parentheses -= 1
            elif token == "{":
                head = re.sub(r"<[^<>]*>", "", self.pending)
                self.open.append(bool(OPENS_SCOPE.search(head)) and "=" not in head)
                self.pending = ""
            elif token == "}":
                if self.open:
                    self.open.pop()
                self.pending = ""
            elif token == ";":
                self.pending = ""
            else:
                self.pending += token


def documented(lines: list[str], margin: str) -> list[str]:
    """A block of comments, each without its //, as documentation."""
    out = []
    verbatim = False
    for text in lines:
        is_example = text.startswith("  ") and text.strip() != ""
        if text.strip() and is_example != verbatim:
            out.append(" \\verbatim" if is_example else " \\endverbatim")
            verbatim = is_example
        out.append(text if verbatim else plain(text))
    if verbatim:
        out.append(" \\endverbatim")
    return [f"{margin}///{text}" for text in out]


def convert(source: str) -> str:
    lines = source.splitlines()
    out = []
    scopes = Scopes()
    macro = False
    trailing = None  # column of the comment behind the last declaration
    i = 0
    while i < len(lines):
        line = lines[i]
        code, comment = split_comment(line)
        in_macro, macro = macro, line.endswith("\\")
        if in_macro or code.lstrip().startswith("#"):
            out.append(line)
            trailing = None
        elif comment is not None and not code.strip() and trailing == len(code) and scopes.declares():
            out.append(f"{code}///<{plain(comment)}")
        elif comment is not None and not code.strip():
            end = i
            while end < len(lines) and lines[end].lstrip().startswith("//"):
                end += 1
            block = [split_comment(text)[1] or "" for text in lines[i:end]]
            describes_next = end < len(lines) and lines[end].strip() not in ("", "}", "};") and scopes.declares()
            if i == 0:
                out.append("/// \\file")
                out.extend(documented(block, ""))
            elif describes_next and not re.match(r"\s*(?:}|private:|public:|protected:|#(?!define))", lines[end]):
                out.extend(documented(block, code))
            else:
                out.extend(lines[i:end])
            i = end
            trailing = None
            continue
        elif comment is not None:
            declares = scopes.declares()
            scopes.read(code)
            is_end = code.rstrip().endswith((";", ",")) or re.search(r"^\s*k\w+(?: = [^,]+)?,?\s*$", code)
            if declares and scopes.declares() and is_end and not comment.lstrip().startswith("NOLINT"):
                out.append(f"{code}///<{plain(comment)}")
                trailing = len(code)
            else:
                out.append(line)
                trailing = None
        else:
            scopes.read(code)
            out.append(line)
            trailing = None
        i += 1
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        sys.stdout.write(convert(file.read()))
