#!/usr/bin/env python3
"""internal.py TREE [--list]: private headers go to palimpsest/<module>/internal/.

The rule: a header in palimpsest/<module>/ is public: it is installed, and whoever depends on the module may include it. One in
<module>/internal/ is not installed; it is for the module itself, for the modules that the module's CMakeLists.txt names under
FRIENDS, and for tests (fuzz/ and bench/ included; tests/e2e, which plays somebody else, is not). So public is what a
module that is no friend, an example or the consumer in tests/e2e includes, API below, and what such a header includes. The
rest moves. --list only prints. cli/ is left alone: nobody includes it, and nothing of it is installed.
"""

import collections

from common import *

# What a program outside needs although no other module includes it: results, and the places where one adds to the library.
API = {
    "base": "array.h error.h instruction_set.h log.h progress.h random.h table.h",
    "stat": "any_stat.h auc.h audit_epsilon.h binned_roc_stat.h binomial.h bootstrap.h clustered_auc.h clustered_mean.h clusters.h"
            " confusion.h delong.h effective_epsilon.h harmonic_mean.h histogram_stat.h interval.h jackknife.h kolmogorov_smirnov.h"
            " labelled_scores.h mean_stat.h moments_stat.h multiple_testing.h one_run_audit.h paired_permutation.h roc.h stat_file.h"
            " statistic.h sum_stat.h tpr_interval.h two_step_epsilon.h",
    "metric": "evaluate_model.h evaluate_records.h metric.h metric_table.h",
    "text": "rouge.h utf8.h",
    "tokenizer": "token_texts.h tokenizer.h",
    "jinja": "chat_template.h",
    "model": "fake_model.h language_model.h model_loader.h safetensors.h",
    "engine": "engine_loader.h",
    "config": "compose.h value.h",
    "eval": "evaluate.h handler.h",
    "audit": "*.h",
}
FRIENDS = {
    "base": "all",
    "kernels": "engine lab",
    "stat": "attack",
    "python_text": "jinja config eval cli",
    "tokenizer": "lab",
    "model": "engine lab cli",
    "config": "cli",
    "engine": "lab torch",
}
LEFT_ALONE = {"cli"}


def module(path):
    return path.split("/")[1]


def graph():
    files = sources()
    return {f: [i for i in includes_of(f) if i.startswith("palimpsest/")] for f in files}


def reasons(include):
    """{public header: why}."""
    why = {}
    headers = [f for f in include if f.startswith("palimpsest/") and f.endswith(".h")]

    def is_friend(user, owner):
        names = FRIENDS.get(owner, "").split()
        return names == ["all"] or module(user) in names

    for f, found in include.items():
        for h in found:
            if h not in include:
                continue
            if f.startswith("palimpsest/") and module(f) != module(h):
                if is_friend(f, module(h)):
                    continue
                why.setdefault(h, []).append(f)
            elif f.startswith("examples/") or f.startswith("tests/e2e/") or f.startswith("docs/"):
                why.setdefault(h, []).append(f)
    for name, patterns in API.items():
        for pattern in patterns.split():
            for path in (ROOT / "palimpsest" / name).glob(pattern):
                why.setdefault(str(path.relative_to(ROOT)), []).append("API")
    work = list(why)
    while work:
        h = work.pop()
        for other in include.get(h, ()):
            if other not in why and other in headers:
                why[other] = [f"public header {h}"]
                work.append(other)
    return why


def split_log():
    """log.h shows fmt in its two templates; those are for the library's own sources."""
    path = "palimpsest/base/log.h"
    if not exists(path) or "fmt/" not in read(path):
        return
    text = read(path)
    start = text.find("template <class... Args>")
    end = text.rfind("}  // namespace palimpsest")
    if start < 0:
        print("  base/log.h shows fmt in a way that is new: look at it by hand")
        return
    templates = text[start:end]
    names = re.findall(r"^(?:inline )?(?:void|bool) (\w+)\(", templates, re.MULTILINE)
    public = text[:start] + text[end:]
    public = re.sub(r"#include <fmt/[^>]+>\n\n?", "", public).replace("#include <utility>\n", "")
    write(path, public)
    write("palimpsest/base/internal/log_format.h",
          "// Log messages put together by fmt, for the library's own sources: log_info(\"{} examples\", n).\n#pragma once\n\n"
          '#include <fmt/format.h>\n\n#include <utility>\n\n#include "palimpsest/base/log.h"\n\nnamespace palimpsest {\n\n'
          + templates + "}  // namespace palimpsest\n")
    used = re.compile(r"\b(" + "|".join(names) + r")\(")
    line = '#include "palimpsest/base/log.h"\n'
    for file in sources():
        text = read(file)
        if line not in text or file.startswith("palimpsest/base/internal/"):
            continue
        code = INCLUDE.sub("", text)
        if used.search(code):
            new = '#include "palimpsest/base/internal/log_format.h"\n'
            if re.search(r"\bLogLevel\b|\blog_to_standard_error\b|\blog_message\b", code):
                new += line
            write(file, sort_includes(text.replace(line, new)))


def write_friends():
    for name, friends in FRIENDS.items():
        path = f"palimpsest/{name}/CMakeLists.txt"
        if not exists(path) or "FRIENDS" in read(path):
            continue
        text = read(path)
        call = re.search(r"palimpsest_library\(" + name + r"\b.*?\)", text, re.DOTALL).group(0)
        if re.search(r"\n  DEPENDS [\w ]+", call):
            new = re.sub(r"(\n  DEPENDS [\w ]+)", rf"\1\n  FRIENDS {friends}", call, count=1)
        else:
            new = re.sub(r"(\n  (?:PUBLIC|PRIVATE) )", rf"\n  FRIENDS {friends}\1", call, count=1)
        write(path, text.replace(call, new))


def code_of(path):
    return INCLUDE.sub("", re.sub(r"//[^\n]*", "", read(path)))


def names_in(header):
    """The names that a header declares at namespace scope, roughly."""
    code = code_of(header)
    found = set(re.findall(r"^(?:class|struct|enum class|enum|union|using)\s+(\w+)", code, re.MULTILINE))
    found |= set(re.findall(r"^(?:inline )?(?:constexpr |const )*[\w:<>,&\* ]+?[ &\*](\w+)\(", code, re.MULTILINE))
    found |= set(re.findall(r"^(?:inline )?constexpr [\w:<> ]+ (\w+)", code, re.MULTILINE))
    return found


def reached(path, include, seen=None):
    seen = set() if seen is None else seen
    for header in include.get(path, ()):
        if header not in seen:
            seen.add(header)
            reached(header, include, seen)
    return seen


def drop_include(public, header, declarations=""):
    """`public` need not show `header`: whoever relied on that includes it itself."""
    line = f'#include "{header}"\n'
    if not exists(public) or not exists(header) or line not in read(public):
        return
    include = graph()
    users = [f for f in include if f != public and f != header and header in reached(f, include)]
    write(public, read(public).replace(line, ""))
    include = graph()
    names = re.compile(r"\b(" + "|".join(sorted(names_in(header))) + r")\b")
    for file in users:
        types = re.compile(r"\b(" + "|".join(sorted(n for n in names_in(header) if n[0].isupper()) or ["$"]) + r")\b")
        wanted = names if module(file) == module(header) else types
        if header not in reached(file, include) and wanted.search(code_of(file)):
            if file.endswith(".h") and file.startswith("palimpsest/") and "/internal/" not in file and module(file) != module(header):
                print(f"  {file} now includes {header} itself")
            text = read(file)
            lines = re.findall(r'#include "palimpsest/[^"]+"\n', text)
            own = lines[0] if text.startswith(lines[0]) else None
            if own and len(lines) == 1:
                text = re.sub(r"(?m)^namespace ", line + "\nnamespace ", text, count=1)
            else:
                text = text.replace(lines[-1], lines[-1] + line, 1)
            write(file, sort_includes(text))


def narrow():
    """Includes of public headers that a declaration, or nothing at all, can stand for."""
    backend = "palimpsest/engine/backend.h"
    if exists(backend) and '#include "palimpsest/engine/ops.h"\n' in read(backend) and "make_ops(const Architecture&" in read(backend):
        drop_include(backend, "palimpsest/engine/ops.h")
        drop_include(backend, "palimpsest/base/worker_pool.h")
        text = read(backend)
        text = text.replace('#include "palimpsest/model/model_loader.h"\n',
                            '#include "palimpsest/kernels/dtype.h"\n#include "palimpsest/model/model_loader.h"\n')
        text = text.replace("\nnamespace palimpsest::engine {\n",
                            "\nnamespace palimpsest {\nclass WorkerPool;\nstruct Architecture;\n}  // namespace palimpsest\n\n"
                            "namespace palimpsest::engine {\n\nclass Ops;\n", 1)
        write(backend, sort_includes(text))
        for file in ("palimpsest/engine/cpu_backend.cc", "palimpsest/engine/engine_loader.cc"):
            text = read(file)
            for header in ("engine/ops.h", "base/worker_pool.h"):
                if f'"palimpsest/{header}"' not in text:
                    last = re.findall(r'#include "palimpsest/[^"]+"\n', text)[-1]
                    text = text.replace(last, last + f'#include "palimpsest/{header}"\n')
            write(file, sort_includes(text))
    figures = "palimpsest/report/figures.h"
    if exists(figures):
        for kind in ("comparison", "distribution", "estimate", "roc", "trade_off"):
            drop_include(figures, f"palimpsest/report/figures/{kind}_figure.h")
        edit(figures, lambda t: t.replace(" One header a kind of figure, all gathered here.", " One header per kind of figure lies in figures/.")
             .replace("renderer. One header per kind of figure, all gathered here.", "renderer. One header per kind of figure lies in figures/."))


RULES = """
    def test_private_headers_are_for_their_module_and_its_friends(self):
        # Tests may look inside; tests/e2e and the examples are programs of somebody else.
        for path in sorted(p for folder in ("palimpsest", "tests/e2e", "examples") for p in (ROOT / folder).rglob("*")
                           if p.suffix in (".h", ".cc")):
            top, module = path.relative_to(ROOT).parts[:2]
            for include in INCLUDE.findall(path.read_text(encoding="utf-8")):
                found = PRIVATE.match(include)
                if found:
                    allowed = friends(found.group(1)) | {found.group(1)}
                    self.assertTrue(top == "palimpsest" and (module in allowed or "all" in allowed),
                                    f"{path.relative_to(ROOT)} includes {include}")

    def test_public_headers_include_no_private_ones(self):
        for path in public_headers():
            for include in INCLUDE.findall(path.read_text(encoding="utf-8")):
                self.assertIsNone(PRIVATE.match(include), f"{path.relative_to(ROOT)} includes {include}")

    def test_public_headers_show_no_other_library(self):
        showing = set()
        for path in public_headers():
            for include in INCLUDE.findall(path.read_text(encoding="utf-8")):
                if OTHER_LIBRARIES.match(include):
                    showing.add(str(path.relative_to(LIBRARY)))
        self.assertEqual(showing, set(SHOWING))  # SHOWING may only shrink

    def test_a_header_that_nobody_outside_needs_is_private(self):
        included = {}
        for folder in ("palimpsest", "examples", "tests/e2e"):
            for path in (ROOT / folder).rglob("*"):
                if path.suffix in (".h", ".cc"):
                    for include in INCLUDE.findall(path.read_text(encoding="utf-8")):
                        included.setdefault(include, set()).add(path.relative_to(ROOT))
        public = {str(p.relative_to(ROOT)): p for p in public_headers()}
        for name in public:
            module = name.split("/")[1]
            # A friend could include it in internal/ as well.
            own = friends(module) | {module}
            outside = [p for p in included.get(name, ()) if str(p) in public or p.parts[0] != "palimpsest"
                       or not (p.parts[1] in own or "all" in own)]
            listed = any(pathlib.PurePath(name).match(f"palimpsest/{module}/{entry}") for entry in API.get(module, "").split())
            self.assertTrue(outside or listed, f"{name} is public, but nobody outside {module} includes it")
"""
RULES_TOP = """PRIVATE = re.compile(r"^palimpsest/(\\w+)/internal/")
OTHER_LIBRARIES = re.compile(r"^(nlohmann|fmt|spdlog|CLI|boost|torch|ATen|c10|caffe2|yaml-cpp|pcre2|utf8proc|zlib)\\b")
# Public headers that still show another library, and why.
SHOWING = {{
{showing}}}
# What programs outside need although no other module includes it: results, and where one adds to the library.
API = {{
{api}}}


def friends(module: str) -> set[str]:
    text = (LIBRARY / module / "CMakeLists.txt").read_text(encoding="utf-8")
    found = re.search(r"\\bFRIENDS\\b([\\w\\s]*?)(?:\\b(?:DEPENDS|PUBLIC|PRIVATE|NO_UNITY)\\b|\\))", text)
    return set(found.group(1).split()) if found else set()


def public_headers() -> list[pathlib.Path]:
    # Of cli nothing is installed.
    return sorted(p for p in LIBRARY.rglob("*.h") if "internal" not in p.parts and p.relative_to(LIBRARY).parts[0] != "cli")


"""


def showing():
    """Public headers that include another library's: the list with which the test begins."""
    found = []
    for path in sources("palimpsest"):
        if path.endswith(".h") and "/internal/" not in path and module(path) not in LEFT_ALONE:
            other = re.findall(r"#include <((?:nlohmann|fmt|spdlog|CLI|boost|torch|ATen|c10|caffe2|yaml-cpp)[^>]*)>", read(path))
            if other:
                found.append((path[len("palimpsest/"):], other[0]))
    return found


def write_rules():
    path = "tests/rules/modules_test.py"
    text = read(path)
    if "test_public_headers_include_no_private_ones" in text:
        return
    lines = "".join(f'    "{h}": "{o}",\n' for h, o in showing())
    api = ""
    for name, patterns in API.items():
        words = [w for w in patterns.split() if list((ROOT / "palimpsest" / name).glob(w))]
        if words:
            wrapped, line = [], ""
            for word in words:
                if len(line) + len(word) > 90:
                    wrapped.append(line.rstrip() + " ")
                    line = ""
                line += word + " "
            wrapped.append(line.rstrip())
            joined = ("\n" + " " * (8 + len(name))).join(f'"{w}"' for w in wrapped)
            api += f'    "{name}": {joined},\n'
    top = RULES_TOP.replace("SHOWING = {{\n{showing}}}", "SHOWING: dict[str, str] = {{}}" if not lines else "SHOWING = {{\n{showing}}}").format(showing=lines, api=api).replace("\\\\", "\\")
    text = text.replace("\n\ndef modules_in_order()", "\n" + top + "def modules_in_order()", 1)
    text = text.replace("(?:PUBLIC|PRIVATE|NO_UNITY)\\b|\\))\", text)\n    return set(found.group(1).split()) if found else set()\n\n\ndef files_of",
                        "(?:FRIENDS|PUBLIC|PRIVATE|NO_UNITY)\\b|\\))\", text)\n    return set(found.group(1).split()) if found else set()\n\n\ndef files_of")
    text = text.replace("\n\nif __name__", RULES + "\n\nif __name__", 1)
    text = text.replace("- Only torch/ includes libtorch.\n",
                        "- Only torch/ includes libtorch.\n"
                        "- palimpsest/X/internal/ is for X, for tests, and for the modules that X's CMakeLists.txt names under FRIENDS. A public header\n"
                        "  includes no private one and shows no other library; one that nobody outside needs is not public.\n", 1)
    if "FRIENDS|PUBLIC" not in text:
        print("  tests/rules/modules_test.py: declared_dependencies() must stop at FRIENDS, look at it by hand")
    write(path, text)


def write_docs():
    replace_once("CONTRIBUTING.md",
                 "One folder under `palimpsest/` is one module and one CMake library; headers lie beside their sources. A module links and\n"
                 "includes only the modules named in its `CMakeLists.txt`, and those stand above it in the root `CMakeLists.txt`.\n"
                 "`tests/rules` checks both,",
                 "One folder under `palimpsest/` is one module, one CMake library and one namespace, `palimpsest::<module>` (the names of `base`\n"
                 "stand in `palimpsest` itself). A module links and includes only the modules that its `CMakeLists.txt` names under DEPENDS, and\n"
                 "those stand above it in the root `CMakeLists.txt`. A header that a program outside or another module needs is public and lies\n"
                 "beside the sources; it shows no other library's types. Every other header lies in `internal/`, is not installed, and is for the module\n"
                 "itself, for tests, and for the modules named under FRIENDS. `tests/rules` checks all this,")
    replace_once("docs/architecture.md", "A module is one static library `palimpsest::<module>`; an installed copy is found with `find_package(palimpsest)`. It holds every\nmodule but `torch` and `cli`. `tests/rules` checks the order and every include.",
                 "A module is one library `palimpsest::<module>` (static, or shared with `BUILD_SHARED_LIBS=ON`) and one namespace of that name; only\n"
                 "`base` has the root namespace `palimpsest`. An installed copy is found with `find_package(palimpsest)`, or with `find_package(palimpsest\n"
                 "COMPONENTS stat attack)`, which needs only what these two need. It holds every module but `torch` and `cli`, and of each its public\n"
                 "headers. Private headers lie in `<module>/internal/`: they are for the module itself, for tests, and for its friends, the modules that its\n"
                 "`CMakeLists.txt` names under FRIENDS. `tests/rules` checks the order, every include and that no header is public for nobody.")


def main():
    if "--list" not in sys.argv:
        split_log()
        narrow()
    include = graph()
    why = reasons(include)
    headers = [f for f in include if f.startswith("palimpsest/") and f.endswith(".h") and module(f) not in LEFT_ALONE]
    if "--list" in sys.argv:
        count = collections.Counter(module(h) for h in headers if h in why)
        for m in modules_in_order():
            print(f"{m}: {count[m]} public of {sum(module(h) == m for h in headers)}")
            for h in sorted(h for h in headers if module(h) == m and h in why):
                users = why[h]
                print(f"    {h.split('/', 2)[2]}: {len(users)}" + (f" {users[0]}" if len(users) == 1 else ""))
        print(f"{sum(count.values())} public of {len(headers)}")
        return
    moved = {}
    for h in headers:
        if h not in why and "/internal/" not in h:
            _, m, rest = h.split("/", 2)
            moved[h] = f"palimpsest/{m}/internal/{rest}"
            move(h, moved[h])
    pattern = re.compile("|".join(re.escape(h) for h in sorted(moved, key=len, reverse=True))) if moved else None
    short = {h[len("palimpsest/"):]: n[len("palimpsest/"):] for h, n in moved.items()}
    for path in tracked():
        if not path.endswith(TEXT_SUFFIXES) or path.startswith("tests/golden/"):
            continue
        def change(text):
            if pattern:
                text = pattern.sub(lambda m: moved[m.group(0)], text)
            if path.endswith((".h", ".cc")):
                text = re.sub(r"(?m)^(\s*(?://|.*\s//) .*?)(?<![\w/])((?:[a-z_]+/)+[a-z_0-9]+\.h)\b",
                              lambda m: m.group(1) + short.get(m.group(2), m.group(2)), text)
                text = sort_includes(text)
            elif path.endswith(".md"):
                text = re.sub(r"`((?:[a-z_]+/)+[a-z_0-9]+\.h)`", lambda m: f"`{short.get(m.group(1), m.group(1))}`", text)
            return text
        edit(path, change)
    write_friends()
    write_rules()
    write_docs()
    git("add", "-A", *[f for f in CODE_FOLDERS + ("docs",) if exists(f)], "CONTRIBUTING.md")
    print(f"{sum(h in why for h in headers)} public headers, {len(moved)} private ones moved")
    for header, other in showing():
        print(f"  shows {other}: {header}")


main()
