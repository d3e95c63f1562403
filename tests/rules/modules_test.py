#!/usr/bin/env python3
"""Checks the modules: who may include whom, and that libtorch stays in its own.

- A file of palimpsest/X includes palimpsest/Y only if X's CMakeLists.txt names Y under DEPENDS (or Y is X).
- A module may depend only on modules listed before it in the root CMakeLists.txt.
- Only torch/ includes libtorch.
- palimpsest/X/internal/ is for X, for tests, and for the modules that X's CMakeLists.txt names under FRIENDS (the Python
  package counts as a module). A public header includes no private one and shows no other library.
- Public is what programs outside need: the headers that API lists, and those that they show. A header that only other
  modules need is private.
- What a file of palimpsest/X declares is in the namespace palimpsest::X (of base: palimpsest), or in one within it.
- Every header has #pragma once and opens with a comment that says what it is.
- Every source is listed in its module's CMakeLists.txt. The sources in the folders of GLOBBED are rows of a table, which
  lists them instead; their CMakeLists.txt takes whatever is in the folder, and so it does for their tests.
"""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "palimpsest"
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)
TORCH = re.compile(r"^(torch|ATen|c10|caffe2)/")
TORCH_MODULES = {"torch"}

PRIVATE = re.compile(r"^palimpsest/(\w+)/internal/")
OTHER_LIBRARIES = re.compile(r"^(nlohmann|fmt|spdlog|CLI|boost|torch|ATen|c10|caffe2|yaml-cpp|pcre2|utf8proc|zlib|openssl)\b")
# Public headers that still show another library, and why.
SHOWING: dict[str, str] = {}
# Where programs outside begin: calls, values that they make themselves, and where one adds to the library. A public
# header that is not listed here must be shown by another one.
API = {
    "base": "instruction_set.h",
    "stat": "auc.h binned_roc_stat.h binomial.h clustered_auc.h clustered_mean.h delong.h effective_epsilon.h harmonic_mean.h "
            "histogram_stat.h jackknife.h kolmogorov_smirnov.h mean_stat.h moments_stat.h multiple_testing.h "
            "one_run_audit.h paired_permutation.h sum_stat.h tpr_interval.h",
    "metric": "cross_entropy.h evaluate_records.h metric_table.h per_domain_metric.h",
    "text": "rouge.h",
    "data": "datasets.h",
    "model": "request_check.h",
    "trace": "trace_file.h",
    "run": "team.h trace_run.h",
    "attack": "mia_text.h",
    "config": "compose.h",
    "eval": "data_files.h read_evaluation.h token_metrics.h trace_metric.h",
    "report": "page/mia_page.h page/page.h page/report_page.h",
    "engine": "engine_loader.h",
    "lab": "lab_data.h random_model.h unlearning.h",
    "service": "import_responses.h",
    "evidence": "plan.h provenance.h verify.h",
}


# The folders whose sources no CMakeLists.txt lists, with the table that does.
GLOBBED = {"attack/attacks": "attack/attack_table.cc", "eval/handlers": "eval/handler_table.cc"}


def friends(module: str) -> set[str]:
    text = (LIBRARY / module / "CMakeLists.txt").read_text(encoding="utf-8")
    found = re.search(r"\bFRIENDS\b([\w\s]*?)(?:\b(?:DEPENDS|PUBLIC|PRIVATE|NO_UNITY)\b|\))", text)
    return set(found.group(1).split()) if found else set()


def public_headers() -> list[pathlib.Path]:
    # Of cli nothing is installed.
    return sorted(p for p in LIBRARY.rglob("*.h") if "internal" not in p.parts and p.relative_to(LIBRARY).parts[0] != "cli")


def modules_in_order() -> list[str]:
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.findall(r"^\s*add_subdirectory\(palimpsest/(\w+)\)", text, re.MULTILINE)


def declared_dependencies(module: str) -> set[str]:
    text = (LIBRARY / module / "CMakeLists.txt").read_text(encoding="utf-8")
    if module == "cli":
        return set(re.findall(r"palimpsest::(\w+)", text))
    found = re.search(r"\bDEPENDS\b([\w\s]*?)(?:\b(?:FRIENDS|PUBLIC|PRIVATE|NO_UNITY)\b|\))", text)
    return set(found.group(1).split()) if found else set()


def namespace_of(module: str) -> str:
    return "palimpsest" if module == "base" else f"palimpsest::{module}"


# What may be in the namespace of another module, or in none: names that are only announced, and short names for others.
ANNOUNCED = re.compile(r"(?:(?:class|struct|enum class|extern template) [\w:<>]+(?: : \w+)?|using [^;]+|namespace \w+ = [\w:]+);")
# The programs, whose main() is in no namespace.
PROGRAMS = {"cli/engine_program.cc", "cli/mpi_program.cc", "cli/torch_program.cc"}


def declarations(path: pathlib.Path) -> list[tuple[int, str, str]]:
    """The line, the namespace and the text of what begins at the left margin; clang-format puts all declarations there."""
    found, within = [], []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        opened = re.fullmatch(r"namespace ?([\w:]*) \{(})?", line)
        if opened:
            within += [] if opened.group(2) else [opened.group(1)]
        elif re.match(r"}  // namespace", line):
            within.pop()
        elif re.match(r"[^\s#/})]", line):
            found.append((number, "::".join(name for name in within if name), line))
    return found


def files_of(module: str) -> list[pathlib.Path]:
    return sorted(p for p in (LIBRARY / module).rglob("*") if p.suffix in (".h", ".cc"))


class ModulesTest(unittest.TestCase):
    def test_every_folder_is_a_module_of_the_build(self):
        folders = {p.name for p in LIBRARY.iterdir() if p.is_dir()}
        self.assertEqual(folders, set(modules_in_order()))

    def test_modules_depend_only_on_modules_listed_before(self):
        order = modules_in_order()
        self.assertIn("base", order)
        for index, module in enumerate(order):
            for other in declared_dependencies(module):
                self.assertIn(other, order[:index], f"{module} depends on {other}, which is not listed before it")

    def test_includes_match_the_declared_dependencies(self):
        for module in modules_in_order():
            allowed = declared_dependencies(module) | {module}
            # What a dependency declares is visible through it, but must still be declared to be included.
            for path in files_of(module):
                for include in INCLUDE.findall(path.read_text(encoding="utf-8")):
                    if include.startswith("palimpsest/"):
                        other = include.split("/")[1]
                        self.assertIn(other, allowed, f"{path.relative_to(ROOT)} includes {include}")

    def test_files_declare_in_the_namespace_of_their_module(self):
        others = {namespace_of(module) for module in modules_in_order()}
        for module in modules_in_order():
            own = namespace_of(module)
            for path in files_of(module):
                if str(path.relative_to(LIBRARY)) in PROGRAMS:
                    continue
                for number, namespace, line in declarations(path):
                    if namespace != own and (namespace in others or not namespace.startswith(own + "::")):
                        self.assertRegex(line, ANNOUNCED, f"{path.relative_to(ROOT)}:{number} is in the namespace “{namespace}”")

    def test_libtorch_stays_in_its_modules(self):
        for module in set(modules_in_order()) - TORCH_MODULES:
            for path in files_of(module):
                for include in INCLUDE.findall(path.read_text(encoding="utf-8")):
                    self.assertIsNone(TORCH.match(include), f"{path.relative_to(ROOT)} includes {include}")

    def test_headers_open_with_a_paragraph(self):
        for module in modules_in_order():
            for path in files_of(module):
                if path.suffix != ".h":
                    continue
                text = path.read_text(encoding="utf-8")
                self.assertTrue(text.startswith("// "), f"{path.relative_to(ROOT)} does not say what it is")
                self.assertIn("#pragma once", text, str(path.relative_to(ROOT)))

    def test_every_source_is_listed(self):
        for module in modules_in_order():
            listed = (LIBRARY / module / "CMakeLists.txt").read_text(encoding="utf-8")
            for path in files_of(module):
                if path.suffix == ".cc" and str(path.parent.relative_to(LIBRARY)) not in GLOBBED:
                    name = re.escape(str(path.relative_to(LIBRARY / module)))
                    self.assertRegex(listed, rf"(?m)^\s*{name}\)?\s*$", str(path.relative_to(ROOT)))

    def test_every_source_of_a_table_is_a_row(self):
        for folder, table in GLOBBED.items():
            module, _, name = folder.partition("/")
            self.assertIn(f"CONFIGURE_DEPENDS {name}/*.cc)", (LIBRARY / module / "CMakeLists.txt").read_text(encoding="utf-8"))
            self.assertIn(f"CONFIGURE_DEPENDS {name}/*_test.cc)",
                          (ROOT / "tests" / module / "CMakeLists.txt").read_text(encoding="utf-8"))
            rows = re.findall(r"^  [A-Z]+\((\w+)\)", (LIBRARY / table).read_text(encoding="utf-8"), re.MULTILINE)
            self.assertEqual(sorted(rows), sorted(path.stem for path in (LIBRARY / folder).glob("*.cc")), table)
            for row in rows:
                self.assertTrue((ROOT / "tests" / folder / f"{row}_test.cc").exists(), f"the row {row} of {table} has no tests/{folder}/{row}_test.cc")
            for path in (ROOT / "tests" / folder).iterdir():
                self.assertTrue(path.name.endswith("_test.cc"), f"{path.relative_to(ROOT)} is not taken by the CMakeLists.txt")

    def test_private_headers_are_for_their_module_and_its_friends(self):
        # Tests may look inside; tests/e2e and the examples are programs of somebody else.
        for path in sorted(p for folder in ("palimpsest", "python", "tests/e2e", "examples") for p in (ROOT / folder).rglob("*")
                           if p.suffix in (".h", ".cc")):
            top, module = path.relative_to(ROOT).parts[:2]
            user = {"palimpsest": module, "python": "python"}.get(top)
            for include in INCLUDE.findall(path.read_text(encoding="utf-8")):
                found = PRIVATE.match(include)
                if found:
                    allowed = friends(found.group(1)) | {found.group(1)}
                    self.assertTrue(user is not None and (user in allowed or "all" in allowed),
                                    f"{path.relative_to(ROOT)} includes {include}")

    def test_every_friend_uses_what_it_may(self):
        used = {}
        for folder in ("palimpsest", "python"):
            for path in (ROOT / folder).rglob("*"):
                if path.suffix in (".h", ".cc"):
                    user = path.relative_to(ROOT).parts[1] if folder == "palimpsest" else folder
                    for include in INCLUDE.findall(path.read_text(encoding="utf-8")):
                        if found := PRIVATE.match(include):
                            used.setdefault(found.group(1), set()).add(user)
        for module in modules_in_order():
            unused = friends(module) - {"all"} - used.get(module, set())
            self.assertFalse(unused, f"{module} names friends that use nothing private of it")

    def test_public_headers_include_no_private_ones(self):
        for path in public_headers():
            for include in INCLUDE.findall(path.read_text(encoding="utf-8")):
                self.assertIsNone(PRIVATE.match(include), f"{path.relative_to(ROOT)} includes {include}")

    def test_public_headers_name_private_ones_as_such(self):
        headers = {str(p.relative_to(LIBRARY)) for p in LIBRARY.rglob("*.h")}
        for path in public_headers():
            module = path.relative_to(LIBRARY).parts[0]
            for line in path.read_text(encoding="utf-8").splitlines():
                for name in re.findall(r"[\w/]+\.h\b", line.partition("//")[2]):
                    places = {name.removeprefix("palimpsest/"), f"{module}/{name}", str((path.parent / name).relative_to(LIBRARY))}
                    self.assertTrue(places & headers, f"{path.relative_to(ROOT)} names {name}, which is not there")

    def test_public_headers_show_no_other_library(self):
        showing = set()
        for path in public_headers():
            for include in INCLUDE.findall(path.read_text(encoding="utf-8")):
                if OTHER_LIBRARIES.match(include):
                    showing.add(str(path.relative_to(LIBRARY)))
        self.assertEqual(showing, set(SHOWING))  # SHOWING may only shrink

    def test_a_header_that_nobody_outside_needs_is_private(self):
        public = {str(p.relative_to(LIBRARY)): p for p in public_headers()}
        shown = {include.removeprefix("palimpsest/") for path in public.values()
                 for include in INCLUDE.findall(path.read_text(encoding="utf-8"))}
        listed = {f"{module}/{header}" for module, headers in API.items() for header in headers.split()}
        self.assertEqual(set(public) - shown - listed, set(), "public, but neither in API nor shown by a public header")
        self.assertEqual(listed - set(public), set(), "in API, but no public header")
        self.assertEqual(listed & shown, set(), "in API, although another public header shows it")


if __name__ == "__main__":
    unittest.main()
