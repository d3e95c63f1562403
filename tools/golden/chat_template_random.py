"""Random templates, made from a seed: expressions over a few values, filters, tests, loops and white
space, many of them wrong on purpose."""

import itertools
import random

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


def make(seed):
    """Cases without end."""
    for i in itertools.count():
        maker = Maker(random.Random(f"{seed}/{i}"))
        template = "{{ " + maker.expression(3) + " }}" if i % 2 == 0 else maker.block(2)
        yield {"name": f"random {i}", "template": template}
