"""Random templates, made from a seed: expressions over a few values, filters, tests, loops and white
space, many of them wrong on purpose."""

import itertools
import random
import unicodedata

VARIABLES = {
    "a": 3,
    "b": -2,
    "f": 1.5,
    "s": "héllo World",
    "t": "a,b,,c",
    "e": "",
    "z": None,
    "l": [3, 1, 2],
    "m": ["b", "A", "c"],
    "d": {"k": 1, "n": {"v": [1, 2]}, "x y": None},
    "r": [{"i": 1, "g": "x"}, {"i": 2, "g": "y"}, {"i": 3, "g": "x"}],
    "y": True,
}

NAMES = list(VARIABLES) + ["undefined_name"]
BINARY = ["+", "-", "*", "/", "//", "%", "~", "==", "!=", "<", "<=", ">", ">=", "in", "not in",
          "and", "or"]
FILTERS = ["upper", "lower", "title", "capitalize", "trim", "length", "first", "last", "list",
           "string", "int", "float", "abs", "round", "sort", "unique|list", "reverse|list", "join",
           "join('-')", "default('D')", "default('D', true)", "tojson", "tojson(indent=1)", "min",
           "max", "sum", "items|list", "dictsort", "batch(2)|list", "slice(2)|list", "indent(2)",
           "wordcount", "e", "replace('a', 'Z')", "map('string')|list", "map('upper')|join",
           "select|list", "reject('none')|list", "selectattr('i', 'gt', 1)|list",
           "map(attribute='g')|list", "groupby('g')|list", "count", "truncate(5, true)",
           "round(1)", "center(9)", "format(a)", "select('odd')|list", "map('int')|sum"]
TESTS = ["defined", "undefined", "none", "string", "number", "integer", "float", "mapping",
         "sequence", "iterable", "boolean", "odd", "even", "divisibleby 3", "eq 3", "lt 2",
         "in [1, 2, 3]", "lower", "upper", "true", "sameas none", "callable"]
METHODS = ["upper()", "lower()", "title()", "strip()", "split()", "split(',')", "splitlines()",
           "replace('l', 'L')", "startswith('h')", "endswith('d')", "find('o')", "count('l')",
           "join(m)", "zfill(6)", "center(15, '*')", "partition('o')", "isalpha()", "isdigit()",
           "items()", "keys()|list", "values()|list", "get('k')", "get('q', 9)", "index(1)",
           "append(1)", "swapcase()", "capitalize()", "rsplit(',', 1)", "format(a, b)", "k", "n.v",
           "nope", "encode_nothing", "lstrip('h')", "rstrip('d')", "istitle()"]
ATOMS = ["1", "0", "2.5", "-1", "'x'", "''", "'a b'", "[]", "[1, 'b']", "(1, 2)", "{}", "{'k': 2}",
         "true", "none", "range(3)", "'%s!'", "1e3", "0.1", "10", "\"it's\"", "'é'", "[[1], [0]]"]


class Maker:
    def __init__(self, generator):
        self.random = generator

    def pick(self, options):
        return self.random.choice(options)

    def expression(self, depth):
        if depth <= 0 or self.random.random() < 0.15:
            return self.pick(NAMES) if self.random.random() < 0.6 else self.pick(ATOMS)
        kind = self.random.randrange(11)
        inner = lambda: self.expression(depth - 1)  # noqa: E731
        if kind <= 2:
            return f"{inner()} {self.pick(BINARY)} {inner()}"
        if kind == 3:
            return f"({inner()})"
        if kind <= 5:
            return f"({inner()})|{self.pick(FILTERS)}"
        if kind == 6:
            return f"{inner()} is {self.pick(['', 'not '])}{self.pick(TESTS)}"
        if kind == 7:
            return f"({inner()}).{self.pick(METHODS)}"
        if kind == 8:
            bound = lambda: self.pick(["", "0", "1", "-1", "2", "a", "z"])  # noqa: E731
            # Not over constants: jinja2 folds those, and slices what cannot be sliced to nothing.
            if self.random.random() < 0.5:
                return f"{self.pick(NAMES)}[{bound()}:{bound()}]"
            return f"{self.pick(NAMES)}[{self.pick(['0', '-1', '1', 'a', repr('k'), repr('n'), '::-1', '::2'])}]"
        if kind == 9:
            return f"{inner()} if {inner()} else {inner()}"
        return self.pick(["not ", "-"]) + inner()

    def tag(self, content):
        return "{%" + self.pick(["", "-", "+", ""]) + " " + content + " " + self.pick(["", "-", "", ""]) + "%}"

    def text(self):
        return "".join(self.pick([" ", "\n", "x", "  ", "\t", "-", "é", "\n  "]) for _ in range(self.random.randrange(4)))

    def block(self, depth):
        parts = [self.text()]
        for _ in range(self.random.randrange(1, 4)):
            kind = self.random.randrange(7 if depth > 0 else 2)
            if kind <= 1:
                parts.append("{{" + self.pick(["", "-", " "]) + " " + self.expression(2) + " " + self.pick(["", "-"]) + "}}")
            elif kind == 2:
                parts += [self.tag("if " + self.expression(2)), self.block(depth - 1)]
                if self.random.random() < 0.5:
                    parts += [self.tag("else"), self.block(depth - 1)]
                parts.append(self.tag("endif"))
            elif kind == 3:
                what = self.pick(["l", "m", "d", "r", "s", "range(3)", "t.split(',')", "d.items()", "undefined_name"])
                body = self.block(depth - 1) + self.pick(["{{ i }}", "{{ loop.index }}{{ loop.last }}", "{{ i }}{{ loop.length }}", ""])
                test = self.pick(["", "", " if i", " if i != 1"])
                parts += [self.tag(f"for i in {what}{test}"), body]
                if self.random.random() < 0.3:
                    parts += [self.tag("else"), self.block(depth - 1)]
                parts.append(self.tag("endfor"))
            elif kind == 4:
                name = self.pick(["a", "s", "q", "l"])
                parts.append(self.tag(f"set {name} = " + self.expression(2)))
            elif kind == 5:
                parts += [self.tag("set " + self.pick(["s", "q"])), self.block(depth - 1), self.tag("endset"), "{{ q }}"]
            else:
                name = self.pick(["f1", "f2"])
                parts += [self.tag(f"macro {name}(a, q=" + self.expression(1) + ")"), self.block(depth - 1),
                          self.tag("endmacro"), "{{ " + name + "(" + self.expression(1) + ") }}"]
            parts.append(self.text())
        return "".join(parts)


    def small_number(self):
        """One whose products and powers fit into 64 bits, which is what integers have here."""
        return self.pick([str(self.random.randrange(1, 40)), repr(self.random.randrange(1, 200) / 8)])

    def number(self, kinds=6):
        kind = self.random.randrange(kinds)
        if kind == 0:
            return str(self.random.randrange(-1000, 1000))
        if kind == 1:
            return repr(round(self.random.uniform(-100, 100), self.random.randrange(4)))
        if kind == 2:
            return repr(self.random.randrange(-50, 50) / 4)
        if kind == 3:
            return str(self.random.randrange(-(10**18), 10**18))
        if kind == 4:
            return repr(self.random.uniform(-1, 1) * 10.0 ** self.random.randrange(-320, 300))
        return self.pick(["0.5", "1.5", "2.5", "1e16", "1e15", "-0.0", "123456.789", "1e22", "5e-324", "true"])

    def specification(self):
        align = self.pick(["", "", "<", ">", "^", "=", "*<", "é>", "0="])
        return (align + self.pick(["", "", "+", " ", "-"]) + self.pick(["", "", "#"]) + self.pick(["", "", "0"])
                + self.pick(["", "3", "8", "12"]) + self.pick(["", "", ",", "_"])
                + self.pick(["", "", ".0", ".1", ".3", ".10"])
                + self.pick(["", "", "d", "f", "e", "g", "%", "x", "o", "b", "s", "G", "E", "n", "c"]))

    def numeric(self):
        value = self.number()
        kind = self.random.randrange(8)
        if kind == 0:
            return "'{:" + self.specification() + "}'.format(" + self.pick([value, value, "s"]) + ")"
        if kind == 1:
            flags = self.pick(["", "", "-", "+", " ", "0", "#", "-0", "+0"])
            spec = flags + self.pick(["", "4", "10"]) + self.pick(["", "", ".0", ".2", ".5"])
            return "'[%" + spec + self.pick("dfegxosrGEXic") + "]' % (" + value + ",)"
        if kind == 2:
            return f"({value})|round({self.random.randrange(-3, 6)}" + self.pick(["", "", ", 'ceil'", ", 'floor'"]) + ")"
        if kind == 3:
            if self.random.random() < 0.2:
                return f"({self.small_number()}) ** ({self.pick(['0', '1', '2', '3', '-1', '0.5', '-2.5'])})"
            if self.random.random() < 0.3:
                return f"({value}) {self.pick(['+', '-', '/', '//', '%'])} ({self.number()})"
            return f"({self.number(3)}) {self.pick(['*', '/', '//', '%'])} ({self.number(3)})"
        if kind == 4:
            return f"({value}) {self.pick(['<', '==', '>=', '!='])} ({self.number()})"
        if kind == 5:
            value = self.number(4)
            return f"[({value}), '{value}'|float, '{value}'|int, ({value})|int, ({value})|tojson]"
        if kind == 6:
            return f"[({value})|abs, -({value}), ({value})|string|length, ({value}) is odd]"
        return value

    def word(self):
        """Characters of many scripts; no quotes or backslashes, which would end the literal."""
        blocks = [(0x20, 0x7e), (0xa0, 0x24f), (0x370, 0x3ff), (0x400, 0x52f), (0x5d0, 0x5ea),
                  (0x1e00, 0x1fff), (0x2000, 0x206f), (0x2100, 0x218f), (0x2460, 0x24ff), (0x4e00, 0x4e20),
                  (0xfb00, 0xfb17), (0xff00, 0xffef), (0x10400, 0x1044f), (0x1f600, 0x1f64f), (0x660, 0x669),
                  (0x9, 0xd), (0x1c, 0x1f), (0x85, 0x85), (0x300, 0x310)]
        out = ""
        for _ in range(self.random.randrange(1, 8)):
            low, high = self.pick(blocks)
            out += chr(self.random.randrange(low, high + 1))
        return "".join(c for c in out if c not in "'\\{}%#" and unicodedata.category(c) not in ("Cn", "Cs"))

    def textual(self):
        calls = ["upper()", "lower()", "title()", "capitalize()", "swapcase()", "strip()", "split()",
                 "splitlines()", "isalpha()", "isdigit()", "isnumeric()", "isdecimal()", "isalnum()",
                 "isspace()", "islower()", "isupper()", "istitle()", "isprintable()", "isidentifier()",
                 "rsplit(none, 1)", "split(none, 1)", "lstrip()", "rstrip()", "center(9, '-')", "zfill(7)"]
        filters = ["upper", "lower", "title", "capitalize", "tojson", "tojson(ensure_ascii=true)", "length",
                   "list", "reverse", "wordcount", "first", "last", "trim", "e", "urlencode", "indent(1, true)",
                   "truncate(4, true, '', 0)"]
        word = "'" + self.word() + "'"
        kind = self.random.randrange(5)
        if kind <= 1:
            return f"[{word}.{self.pick(calls)}]"
        if kind <= 3:
            return f"[{word}|{self.pick(filters)}]"
        return f"[{word}[{self.random.randrange(-4, 5)}:{self.random.randrange(-4, 9)}], {word} < '{self.word()}', {word}.find('{self.word()[:1]}')]"


def make(seed):
    """Cases without end."""
    for i in itertools.count():
        maker = Maker(random.Random(f"{seed}/{i}"))
        kinds = [lambda: maker.block(2), lambda: "{{ " + maker.expression(3) + " }}",
                 lambda: "{{ " + maker.numeric() + " }}", lambda: "{{ " + maker.textual() + " }}"]
        yield {"name": f"random {i}", "template": kinds[i % 4]()}
