#!/usr/bin/env python3
"""split.py TREE: palimpsest/text becomes text, python_text, tokenizer and jinja.

What a file is decides where it goes (see destination()); a source that somebody added meanwhile follows its
folder. Namespaces are left alone: namespaces.py sets them by folder. Compiles as it is.
"""

import re

from common import *

PYTHON_TEXT = {"number", "time", "unicode", "unicode_tables"}  # of template/: what Python's str, int, float do
NEW = ["text", "python_text", "tokenizer", "jinja"]


def destination(path):
    """Where a file of palimpsest/text or tests/text goes; None: it stays."""
    top, rest = re.match(r"(palimpsest|tests)/text/(.*)", path).groups()
    stem = re.sub(r"(_golden|_load)?(_test)?\.\w+$", "", rest)
    if rest == "CMakeLists.txt":
        return None
    if rest.startswith("template/"):
        name = rest[len("template/"):]
        module = "python_text" if stem[len("template/"):] in PYTHON_TEXT else "jinja"
        return f"{top}/{module}/{name}"
    if rest.startswith("tokenizer/"):
        return f"{top}/tokenizer/{rest[len('tokenizer/'):]}"
    # unicode.h answers as the `tokenizers` package does, so it is the tokenizer's.
    if stem in ("tokenizer", "encoding", "token_texts", "unicode", "unicode_tables"):
        return f"{top}/tokenizer/{rest}"
    if stem.startswith("chat_template"):
        return f"{top}/jinja/{rest}"
    return None


def golden_destination(path):
    name = path.split("/")[-1]
    if name.startswith("chat_template_"):
        return f"tests/golden/jinja/{name}"
    if name.split(".")[0] in ("rouge", "porter"):
        return None
    return f"tests/golden/tokenizer/{name}"


def cmake_list(path):
    """The files under SOURCES."""
    return re.search(r"SOURCES\s+(.*?)\s+(?:DEPENDS|PRIVATE|\))", read(path), re.DOTALL).group(1).split()


def move_files():
    moved = {}
    lists = {}
    for top in ("palimpsest", "tests"):
        for name in cmake_list(f"{top}/text/CMakeLists.txt"):
            path = f"{top}/text/{name}"
            new = destination(path) or path
            _, module, rest = new.split("/", 2)
            lists.setdefault((top, module), []).append(rest)
        for path in tracked(f"{top}/text"):
            new = destination(path)
            if new:
                move(path, new)
                moved[path] = new
    for path in tracked("tests/golden/text"):
        new = golden_destination(path)
        if new:
            move(path, new)
    return moved, lists


def take(text, begin, end):
    """Cuts the text between two marks (the first included) out; returns the rest and the piece."""
    start = text.index(begin)
    stop = text.index(end, start) if end else len(text)
    return text[:start] + text[stop:], text[start:stop]


def split_repr():
    """repr() of floats and texts is Python's; that of a template's values is the template engine's."""
    header, piece = take(read("palimpsest/jinja/repr.h"), "// repr() of a float", "struct JsonOptions")
    write("palimpsest/jinja/repr.h", header)
    write("palimpsest/python_text/repr.h",
          "// Python's repr() of floats and texts, which str() of a list or a dict uses as well.\n#pragma once\n\n"
          "#include <string>\n#include <string_view>\n\nnamespace palimpsest::jinja {\n\n"
          + piece + "}  // namespace palimpsest::jinja\n")
    source = read("palimpsest/jinja/repr.cc")
    source, escaped = take(source, "void append_escaped(", "}  // namespace\n")
    source, functions = take(source, "std::string real_to_text(", "std::string to_repr(")
    for include in ("<array>", "<charconv>", "<cmath>"):
        source = source.replace(f"#include {include}\n", "")
    write("palimpsest/jinja/repr.cc", source)
    write("palimpsest/python_text/repr.cc",
          '#include "palimpsest/python_text/repr.h"\n\n#include <fmt/format.h>\n\n#include <array>\n#include <charconv>\n'
          '#include <cmath>\n#include <cstdint>\n#include <cstdlib>\n\n#include "palimpsest/python_text/unicode.h"\n'
          '#include "palimpsest/text/utf8.h"\n\nnamespace palimpsest::jinja {\nnamespace {\n\n'
          + escaped + "}  // namespace\n\n" + functions + "}  // namespace palimpsest::jinja\n")
    test = read("tests/jinja/repr_test.cc")
    test, cases = take(test, "TEST(TemplateReprTest, WritesRealsAsPythonDoes)", "TEST(TemplateReprTest, WritesJson")
    test = test.replace("#include <limits>\n\n", "")
    write("tests/jinja/repr_test.cc", test)
    write("tests/python_text/repr_test.cc",
          '#include "palimpsest/python_text/repr.h"\n\n#include <gtest/gtest.h>\n\n#include <limits>\n\n'
          "namespace palimpsest::jinja {\nnamespace {\n\n" + cases +
          "}  // namespace\n}  // namespace palimpsest::jinja\n")


def split_text():
    """Python's str methods, and what templates add to them (a budget; Jinja's own filters)."""
    header = read("palimpsest/jinja/text.h")
    header, piece = take(header, "enum class Side", "// replace(): at most")
    header = re.sub(r"\A.*?#pragma once\n",
                    "// What the methods of a text and the filters share beyond Python's str methods (python_text/text.h):\n"
                    "// replacing within a budget, and Jinja's own notion of words.\n#pragma once\n", header, flags=re.DOTALL)
    header = header.replace("#include <optional>\n", "#include <cstdint>\n").replace("#include <vector>\n", "")
    write("palimpsest/jinja/text.h", header)
    write("palimpsest/python_text/text.h",
          "// Python's str methods as functions over valid UTF-8. Positions and lengths are in code points.\n#pragma once\n\n"
          "#include <cstdint>\n#include <optional>\n#include <string>\n#include <string_view>\n#include <vector>\n\n"
          "namespace palimpsest::jinja {\n\n" + piece + "}  // namespace palimpsest::jinja\n")
    source = read("palimpsest/jinja/text.cc")
    source, before = take(source, "// The code point that ends at", "// An empty `old_part` is found")
    source, functions = take(source, "std::string_view strip(", "std::string replace(")
    source = source.replace("#include <algorithm>\n\n", "")
    source = source.replace('#include "palimpsest/text/template/unicode.h"',
                            '#include "palimpsest/python_text/unicode.h"\n#include "palimpsest/text/utf8.h"')
    write("palimpsest/jinja/text.cc", source)
    write("palimpsest/python_text/text.cc",
          '#include "palimpsest/python_text/text.h"\n\n#include <algorithm>\n\n#include "palimpsest/base/error.h"\n'
          '#include "palimpsest/python_text/unicode.h"\n#include "palimpsest/text/utf8.h"\n\n'
          "namespace palimpsest::jinja {\nnamespace {\n\n" + before + "}  // namespace\n\n" + functions +
          "}  // namespace palimpsest::jinja\n")
    write("tests/python_text/text_test.cc", TEXT_TEST)


TEXT_TEST = '''#include "palimpsest/python_text/text.h"

#include <gtest/gtest.h>

#include "palimpsest/base/error.h"

namespace palimpsest::jinja {
namespace {

using Parts = std::vector<std::string>;

TEST(PythonTextTest, StripsWhiteSpaceOrTheGivenCharacters) {
  EXPECT_EQ(strip(" \\t\\u2003a b\\u00a0\\n", Side::kBoth), "a b");
  EXPECT_EQ(strip(" a ", Side::kLeft), "a ");
  EXPECT_EQ(strip(" a ", Side::kRight), " a");
  EXPECT_EQ(strip("\\u200ba", Side::kBoth), "\\u200ba");  // no white space to Python
  EXPECT_EQ(strip("xéayé", Side::kBoth, "éx"), "ay");
  EXPECT_EQ(strip("aaa", Side::kBoth, "a"), "");
  EXPECT_EQ(strip(" a ", Side::kBoth, ""), " a ");
}

TEST(PythonTextTest, SplitsAtWhiteSpaceAndLeavesOutNothings) {
  EXPECT_EQ(split("  a  b\\u2003c ", std::nullopt, -1), (Parts{"a", "b", "c"}));
  EXPECT_EQ(split(" a b  c ", std::nullopt, 1), (Parts{"a", "b  c "}));
  EXPECT_EQ(split_right(" a  b c ", std::nullopt, 1), (Parts{" a  b", "c"}));
  EXPECT_EQ(split("  ", std::nullopt, -1), Parts{});
}

TEST(PythonTextTest, SplitsAtASeparatorAndKeepsNothings) {
  EXPECT_EQ(split(",a,,b", ",", -1), (Parts{"", "a", "", "b"}));
  EXPECT_EQ(split("a,b,c", ",", 1), (Parts{"a", "b,c"}));
  EXPECT_EQ(split_right("a,b,c", ",", 1), (Parts{"a,b", "c"}));
  EXPECT_EQ(split("", ",", -1), Parts{""});
  EXPECT_THROW(split("a", "", -1), Error);
}

TEST(PythonTextTest, SplitsLinesAtEveryLineBreakOfUnicode) {
  EXPECT_EQ(split_lines("a\\r\\nb\\rc\\u2028d\\n", false), (Parts{"a", "b", "c", "d"}));
  EXPECT_EQ(split_lines("a\\r\\n\\nb", true), (Parts{"a\\r\\n", "\\n", "b"}));
  EXPECT_EQ(split_lines("", true), Parts{});
}

}  // namespace
}  // namespace palimpsest::jinja
'''


def one_time():
    """ChatTime was a copy of CivilTime."""
    for path in sources():
        text = read(path)
        if ("ChatTime" not in text and "CivilTime" not in text) or "/python_text/" in path:
            continue
        if path == "palimpsest/jinja/chat_template.h":
            text = re.sub(r"(//[^\n]*\n)*struct ChatTime \{.*?\n\};\n\n", "", text, flags=re.DOTALL)
            text = text.replace("#include <vector>\n", '#include <vector>\n\n#include "palimpsest/python_text/time.h"\n', 1)
        if path == "palimpsest/jinja/chat_template.cc":
            text = re.sub(r"jinja::CivilTime civil\(.*?\n\}\n\n", "", text, flags=re.DOTALL)
            text = re.sub(r" *jinja::CivilTime now;\n *if \(options\.now\) \{\n *now = civil\(\*options\.now\);\n"
                          r" *runtime\.now = &now;\n *\}\n",
                          "    if (options.now) runtime.now = &*options.now;\n", text)
        if path == "palimpsest/jinja/value.h":
            text = text.replace("struct CivilTime;\n", "")
            text = text.replace('#include "palimpsest/base/error.h"\n',
                                '#include "palimpsest/base/error.h"\n#include "palimpsest/python_text/time.h"\n')
        # The clock of a program: both kinds of time are one now.
        text = re.sub(r"(?<![\w:])palimpsest::ChatTime\b", "palimpsest::jinja::CivilTime", text)
        text = re.sub(r"(?<![\w:])ChatTime\b", "jinja::CivilTime", text)
        # Who wants the time alone includes that alone.
        line = '#include "palimpsest/jinja/chat_template.h"\n'
        if line in text and not re.search(r"\b(Chat|RenderedChat|load_chat_template|has_chat_template)", INCLUDE.sub("", text)):
            text = sort_includes(text.replace(line, '#include "palimpsest/python_text/time.h"\n'))
        elif "CivilTime" in text and '"palimpsest/python_text/time.h"' not in text and line not in text:
            last = re.findall(r'#include "palimpsest/[^"]+"\n', text)[-1]
            text = sort_includes(text.replace(last, last + '#include "palimpsest/python_text/time.h"\n'))
        write(path, text)
    # And the program reads its clock in one place.
    for path in sources("palimpsest/cli"):
        text = read(path)
        new = re.sub(r"  const std::tm now = fmt::localtime\(std::time\(nullptr\)\);\n  (\w+)\.now = \{.*?\};\n",
                     r"  \1.now = local_time();\n", text, flags=re.DOTALL)
        if new != text:
            if "fmt::" not in new:
                new = new.replace("#include <fmt/chrono.h>\n\n", "")
            new = new.replace("#include <ctime>\n", "")
            last = re.findall(r'#include "palimpsest/[^"]+"\n', new)[-1]
            new = sort_includes(new.replace(last, '#include "palimpsest/cli/chat.h"\n' + last))
            write(path, new)


def fix_includes(moved):
    renamed = {old: new for old, new in moved.items() if old.endswith(".h")}
    for path in sources():
        text = read(path)
        text = INCLUDE.sub(lambda m: m.group(1) + renamed.get(m.group(2), m.group(2)) + m.group(3), text)
        for name, python, rest in (
                ("repr", r"\b(real_to_text|quote)\(", r"\b(to_text|to_repr|to_json|JsonOptions)\b"),
                ("text", r"\b(strip|split|split_right|split_lines)\(|\bSide::",
                 r"(?<![\w.>:])(jinja::)?(replace|title_words|count_words)\(")):
            line = f'#include "palimpsest/jinja/{name}.h"\n'
            if line not in text or path.endswith((f"jinja/{name}.cc", f"jinja/{name}_test.cc")):
                if path == "palimpsest/jinja/repr.cc" and name == "repr":
                    text = text.replace('#include "palimpsest/python_text/unicode.h"\n',
                                        '#include "palimpsest/python_text/repr.h"\n')
                continue
            new = f'#include "palimpsest/python_text/{name}.h"\n' if re.search(python, text) else ""
            code = INCLUDE.sub("", text)
            if path.split("/")[1] != "jinja":
                rest = rest.replace(r"\b(", r"\bjinja::(", 1)
            new += line if re.search(rest, code) or not new else ""
            text = text.replace(line, new)
        text = re.sub(r"\bpython_text\(", "python_str(", text)  # config's; the word is the module's now
        if moved and path.startswith(("palimpsest/", "tests/", "fuzz/", "bench/")):
            text = sort_includes(text)
        if text != read(path):
            write(path, text)


def unicode_users():
    """template/unicode.h brought in utf8.h; it need not."""
    for path in sources("palimpsest/jinja", "palimpsest/python_text", "tests/jinja", "tests/python_text"):
        text = read(path)
        uses = re.search(r"\b(find_invalid_utf8|validate_utf8|utf8_length|is_utf8_continuation|next_code_point|previous_boundary|"
                         r"append_utf8|to_utf8|to_code_points|count_code_points|lossy_utf8|replace_all)\b", text)
        if uses and '"palimpsest/text/utf8.h"' not in text:
            anchor = re.findall(r'#include "palimpsest/[^"]+"\n', text)[-1]
            own = path.replace(".cc", ".h").replace("tests/", "palimpsest/").replace("_test", "")
            if anchor == f'#include "{own}"\n':
                text = text.replace("\nnamespace ", '\n#include "palimpsest/text/utf8.h"\n\nnamespace ', 1)
            else:
                text = text.replace(anchor, anchor + '#include "palimpsest/text/utf8.h"\n')
            write(path, sort_includes(text))


OUTSIDE = {"text": "", "python_text": "PkgConfig::UTF8PROC", "tokenizer":
           "nlohmann_json::nlohmann_json PkgConfig::PCRE2 PkgConfig::UTF8PROC", "jinja": "nlohmann_json::nlohmann_json"}


def used_modules(files, order, own):
    found = {i.split("/")[1] for f in files for i in includes_of(f) if i.startswith("palimpsest/")}
    return [m for m in order if m in found and m != own]


def write_cmake(lists):
    edit("CMakeLists.txt", lambda t: t if "palimpsest/jinja)" in t else t.replace(
        "add_subdirectory(palimpsest/text)\n",
        "".join(f"add_subdirectory(palimpsest/{m})\n" for m in NEW)))
    edit("tests/CMakeLists.txt", lambda t: t if "(jinja)" in t else t.replace(
        "add_subdirectory(text)\n", "".join(f"add_subdirectory({m})\n" for m in NEW)))
    order = modules_in_order()
    lists[("palimpsest", "python_text")] += ["repr.cc", "text.cc"]
    lists[("tests", "python_text")] += ["repr_test.cc", "text_test.cc"]
    for (top, module), names in sorted(lists.items()):
        depends = used_modules(sources(f"{top}/{module}"), order, module if top == "palimpsest" else None)
        if "base" not in depends:
            depends = ["base"] + depends
        call = "palimpsest_library" if top == "palimpsest" else "palimpsest_test"
        text = f"{call}({module}\n  SOURCES\n" + "".join(f"    {n}\n" for n in sorted(names))
        text += f"  DEPENDS {' '.join(depends)}"
        if top == "palimpsest" and OUTSIDE[module]:
            text += f"\n  PRIVATE {OUTSIDE[module]}"
        write(f"{top}/{module}/CMakeLists.txt", text + ")\n")
    # Everybody who depended on `text` depends on those of the four that it includes.
    for path in tracked("palimpsest/*/CMakeLists.txt", "tests/*/CMakeLists.txt", "fuzz/CMakeLists.txt", "bench/CMakeLists.txt"):
        top, folder = path.split("/")[0], path.rsplit("/", 1)[0]
        if folder.split("/")[-1] in NEW:
            continue

        def four(files):
            return [m for m in used_modules(files, order, None) if m in NEW]

        def depends(match):
            words = match.group(2).split()
            if "text" not in words:
                return match.group(0)
            files = sources(folder)
            name = re.match(r"palimpsest_(fuzz|bench)\((\w+)", match.group(1))
            if name:
                files = [f"{folder}/{name.group(2)}_{name.group(1)}.cc"]
            new = four(files)
            where = words.index("text")
            return match.group(1) + " ".join(words[:where] + new + words[where + 1:]) + match.group(3)

        def change(text):
            text = re.sub(r"(palimpsest_(?:library|test|fuzz|bench)\([^()]*?\bDEPENDS )([\w ]+?)(\s*(?:\)|\n|WORDS|THREADS|PRIVATE))",
                          depends, text)
            linked = re.compile(r"palimpsest::text\b")
            if linked.search(text):
                files = sources(folder) if top == "palimpsest" else [f"{folder}/{n}" for n in re.findall(r"\w+\.cc", text.split("palimpsest::text")[0])[-1:]]
                text = linked.sub(" ".join(f"palimpsest::{m}" for m in four(files)), text)
            return text

        edit(path, change)


ROWS = {
    "text": "UTF-8, longest common subsequences, stemming, ROUGE",
    "python_text": "what Python's `str`, `int`, `float` and `strftime` make of text and numbers, for configurations, evaluations and templates",
    "tokenizer": "`tokenizer.json`: normalizers, pre-tokenizers, models, post-processors, decoders; Unicode as the `tokenizers` package knows it",
    "jinja": "chat templates: the Jinja2 language as transformers sets it up",
}


def dependencies(module):
    text = read(f"palimpsest/{module}/CMakeLists.txt")
    found = re.search(r"\bDEPENDS\b([\w\s]*?)(?:\b(?:PUBLIC|PRIVATE|NO_UNITY)\b|\))", text)
    return found.group(1).split() if found else []


def write_docs():
    def table(text):
        out = []
        for line in text.split("\n"):
            row = re.match(r"\| `(\w+)` \| (.*) \| (.*) \|$", line)
            if row and row.group(1) == "text":
                out += [f"| `{m}` | {ROWS[m]} | {', '.join(dependencies(m))} |" for m in NEW]
            elif row and row.group(1) in modules_in_order() and row.group(1) != "cli" and row.group(3) != "nobody":
                out.append(f"| `{row.group(1)}` | {row.group(2)} | {', '.join(dependencies(row.group(1)))} |")
            else:
                out.append(line)
        return "\n".join(out)

    edit("docs/architecture.md", table)
    replace_once("docs/text.md",
                 "Tokenizers, chat templates and ROUGE are pure functions without a model; everything lives in `palimpsest/text`.",
                 "Tokenizers (`palimpsest/tokenizer`), chat templates (`palimpsest/jinja`) and ROUGE (`palimpsest/text`) are pure functions without\n"
                 "a model. Templates, configurations and evaluations must strip, split, read and print text as Python does; how, lies in\n"
                 "`palimpsest/python_text`.")
    for path in tracked("*.md", "*.py", "*.cc", "*.h", "*.txt", "*.sh"):
        def change(text):
            text = text.replace("tests/text/tokenizer_golden_test", "tests/tokenizer/tokenizer_golden_test")
            text = text.replace("palimpsest/text/unicode_tables", "palimpsest/tokenizer/unicode_tables")
            text = text.replace("tools/golden/unicode_tables.py palimpsest/text", "tools/golden/unicode_tables.py palimpsest/tokenizer")
            text = text.replace("tools/golden/tokenizer.py tests/golden/text", "tools/golden/tokenizer.py tests/golden/tokenizer")
            text = text.replace("tools/golden/chat_template.py tests/golden/text", "tools/golden/chat_template.py tests/golden/jinja")
            return re.sub(r"(palimpsest/|tests/|`)text/(template|tokenizer)/", lambda m: m.group(1) +
                          {"template": "jinja/", "tokenizer": "tokenizer/"}[m.group(2)], text)
        edit(path, change)
    edit("tests/tokenizer/tokenizer_golden_test.cc", lambda t: t.replace('read_golden("text/', 'read_golden("tokenizer/'))
    # In one folder with interpreter_test.cc, which has a failure() as well.
    edit("tests/jinja/chat_template_test.cc", lambda t: re.sub(r"(?<![\w.>])failure\(", "chat_failure(", t))
    edit("tests/jinja/chat_template_golden_test.cc", lambda t: t.replace('"/text/"', '"/jinja/"'))
    for path in tracked("tests/python_text") + ["tests/python_text/repr_test.cc"]:
        if path.endswith(".cc"):
            edit(path, lambda t: re.sub(r"\bTemplate(\w+Test)\b", r"Python\1", t))
    edit("palimpsest/python_text/unicode_tables.h", lambda t: t.replace("Included by template_unicode.cc alone.", "Included by unicode.cc alone."))
    edit("palimpsest/python_text/unicode.h", lambda t: t.replace("What Python's str knows about characters, for the template language: classes, case and", "What Python's str knows about characters: classes, case and"))
    for path in sources("palimpsest/jinja", "palimpsest/python_text"):  # names of files as they once were
        edit(path, lambda t: re.sub(r"(?m)^(\s*//.*)\btemplate_(ops|scope|format|repr|unicode|dict)\.(h|cc)\b", r"\1\2.\3", t))
    edit("palimpsest/jinja/value.h", lambda t: t.replace("// template_dict.h", "// dict.h"))


def main():
    if exists("palimpsest/jinja"):
        sys.exit("the tree is split already")
    moved, lists = move_files()
    split_repr()
    split_text()
    fix_includes(moved)
    unicode_users()
    one_time()
    write_cmake(lists)
    write_docs()
    git("add", "-A", *[f for f in ("palimpsest", "tests", "fuzz", "bench", "docs", "tools", "CMakeLists.txt") if exists(f)])
    print("files per module:")
    for module in NEW:
        files = sources(f"palimpsest/{module}")
        print(f"  {module}: {len(files)} files, {sum(read(f).count(chr(10)) for f in files)} lines,"
              f" depends on {', '.join(dependencies(module))}")


main()
