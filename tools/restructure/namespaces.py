#!/usr/bin/env python3
"""namespaces.py TREE [--collect | --apply]: every module's names go into palimpsest::<module>; base's stay in palimpsest.

Reads every source with libclang (several of a module at a time, as the build does), notes each reference to a name at
namespace scope, and where its text stands in a file. Then, once per place, writes the qualifier that the new namespaces
ask for, and opens the new namespaces. What libclang cannot resolve (dependent names) is fix_errors.py's, from the
compiler's messages; EXTRA below holds what neither finds. --collect reads alone (minutes of one core) and leaves
references.json beside this script; --apply writes alone.
"""

import ctypes
import json
import os
import time

import clang.cindex as ci

from common import *

HERE = pathlib.Path(__file__).resolve().parent
ci.Config.set_library_file("/usr/lib/llvm-14/lib/libclang-14.so.1")
BATCH = 24
FLAGS = ["-x", "c++", "-std=c++20", "-fsyntax-only", "-w", "-ferror-limit=0", f"-I{ROOT}", "-isystem", "/usr/include/torch/csrc/api/include",
         "-resource-dir", "/usr/lib/llvm-14/lib/clang/14.0.6", '-DPALIMPSEST_GOLDEN_DIR="x"', '-DPALIMPSEST_VERSION="x"',
         '-DPALIMPSEST_COMMIT="x"', '-DPALIMPSEST_COMPILER="x"', '-DPALIMPSEST_BUILD_TYPE="x"',
         '-DPALIMPSEST_CONFIGS_FROM_PROGRAM="x"', '-DPALIMPSEST_CONFIGS_FROM_TORCH_PROGRAM="x"', '-DPALIMPSEST_CONFIGS_OF_SOURCE="x"',
         '-DPALIMPSEST_TORCH_FROM_PROGRAM="x"', '-DPALIMPSEST_EXAMPLES_DIR="x"', '-DPALIMPSEST_CONFIGS_DIR="x"',
         '-DPALIMPSEST_SOURCE_DIR="x"', f"-I{HERE}/stubs"]
K = ci.CursorKind
REFERENCES = {K.TYPE_REF, K.TEMPLATE_REF, K.DECL_REF_EXPR, K.OVERLOADED_DECL_REF, K.MEMBER_REF, K.CALL_EXPR}
CLASSES = {K.CLASS_DECL, K.STRUCT_DECL, K.UNION_DECL, K.ENUM_DECL, K.CLASS_TEMPLATE}
NAMED = CLASSES | {K.FUNCTION_DECL, K.FUNCTION_TEMPLATE, K.VAR_DECL, K.TYPEDEF_DECL, K.TYPE_ALIAS_DECL,
                   K.TYPE_ALIAS_TEMPLATE_DECL}

MODULES = modules_in_order()

_file_location = ci.conf.lib.clang_getFileLocation
_file_location.argtypes = [ci.SourceLocation, ctypes.POINTER(ci.c_object_p), ctypes.POINTER(ctypes.c_uint),
                           ctypes.POINTER(ctypes.c_uint), ctypes.POINTER(ctypes.c_uint)]
_file_name = ci.conf.lib.clang_getFileName
_names = {}


def place(location):
    """(path relative to the tree or None, byte offset): where the text itself stands, in macro arguments too."""
    file, line, column, offset = ci.c_object_p(), ctypes.c_uint(), ctypes.c_uint(), ctypes.c_uint()
    _file_location(location, ctypes.byref(file), ctypes.byref(line), ctypes.byref(column), ctypes.byref(offset))
    if not file:
        return None, 0
    key = ctypes.addressof(file.contents)
    if key not in _names:
        name = os.path.realpath(ci.File(file).name)
        root = str(ROOT) + "/"
        _names[key] = name[len(root):] if name.startswith(root) and not name.startswith(root + "build/") else None
    return _names[key], offset.value


def module_of_file(path):
    parts = path.split("/")
    if parts[0] in ("palimpsest", "tests") and len(parts) > 2 and parts[1] in MODULES:
        return parts[1]
    return None


def namespace_of(cursor):
    """The namespaces round a declaration, outermost first; None if it is a member or local."""
    names = []
    parent = cursor.semantic_parent
    while parent is not None and parent.kind != K.TRANSLATION_UNIT:
        if parent.kind == K.NAMESPACE:
            names.append(parent.spelling)
        elif parent.kind == K.ENUM_DECL and cursor.kind == K.ENUM_CONSTANT_DECL and not parent.is_scoped_enum():
            pass
        elif parent.kind == K.LINKAGE_SPEC:
            pass
        else:
            return None
        parent = parent.semantic_parent
    names.reverse()
    return tuple(names)


class Collector:
    def __init__(self):
        self.references = {}   # (file, offset) -> (name, old namespace, module of the declaration's file, is class, context)
        self.defined = {}      # (namespace, name) -> module that defines the class
        self.local = {}        # module -> names in its anonymous namespaces
        self.declared = {}     # module -> names at namespace scope of its files
        self.done = set()
        self.cache = {}
        self.problems = []

    def target(self, cursor):
        """(name, namespace, module, is class) of what a cursor refers to, if it stands at namespace scope of ours."""
        key = cursor.hash
        if key in self.cache:
            return self.cache[key]
        result = None
        namespace = namespace_of(cursor) if cursor.spelling else None
        if namespace and namespace[0] == "palimpsest" and "" not in namespace:
            path, _ = place(cursor.location)
            if path:
                result = (cursor.spelling, namespace, module_of_file(path), cursor.kind in CLASSES)
        self.cache[key] = result
        return result

    def note(self, cursor, context):
        kind = cursor.kind
        if kind == K.CALL_EXPR:
            return
        if kind == K.OVERLOADED_DECL_REF:
            count = ci.conf.lib.clang_getNumOverloadedDecls(cursor)
            candidates = [ci.conf.lib.clang_getOverloadedDecl(cursor, i) for i in range(count)]
            found = {self.target(c) for c in candidates} - {None}
            if len(found) != 1:
                if found:
                    self.problems.append((place(cursor.location), cursor.spelling, "overloads of several modules"))
                return
            target = found.pop()
        else:
            referenced = cursor.referenced
            if referenced is None:
                return
            if referenced.kind in (K.CONSTRUCTOR, K.DESTRUCTOR):
                referenced = referenced.semantic_parent
            target = self.target(referenced)
        if target is None or target[0].startswith("operator"):
            return
        path, offset = place(cursor.location)
        if path is None:
            return
        self.references.setdefault((path, offset), (*target, context))

    def walk(self, cursor, context):
        stack = [(child, context) for child in cursor.get_children()]
        while stack:
            node, space = stack.pop()
            kind = node.kind
            if kind in REFERENCES:
                self.note(node, space)
            elif kind in NAMED:
                self.declare(node)
            if kind == K.NAMESPACE:
                space = space + (node.spelling,)
            stack.extend((child, space) for child in node.get_children())

    def declare(self, node):
        namespace = namespace_of(node)
        if not namespace or namespace[0] != "palimpsest":
            return
        path, _ = place(node.location)
        if path is None:
            return
        module = module_of_file(path)
        if "" in namespace:  # seen by the other files of a unity source, too
            self.local.setdefault(module, set()).add(node.spelling)
            return
        if node.kind in CLASSES and not node.is_definition():
            return
        self.declared.setdefault(module, set()).add(node.spelling)
        if node.kind in CLASSES:
            self.defined[(namespace, node.spelling)] = module

    def unit(self, files, name):
        text = "".join(f'#include "{f}"\n' for f in files)
        main = str(ROOT / f"{name}.unit.cc")
        flags = FLAGS + (["-include", "ATen/core/ivalue.h"] if "torch" in name else [])
        _names.clear()
        self.cache.clear()
        unit = INDEX.parse(main, flags, unsaved_files=[(main, text)], options=0)
        errors = [d for d in unit.diagnostics if d.severity >= ci.Diagnostic.Error]
        # Errors inside the standard library's headers (clang is stricter on incomplete types) leave the tree whole.
        errors = [d for d in errors if d.location.file and os.path.realpath(d.location.file.name).startswith(str(ROOT))]
        if errors and len(files) > 1:
            print(f"  {name}: {errors[0].location.file}:{errors[0].location.line}: {errors[0].spelling}; one by one", flush=True)
            for i, file in enumerate(files):
                self.unit([file], f"{name}.{i}")
            return
        for d in errors[:5]:
            print(f"  {files[0]}: {d.location.file}:{d.location.line}: {d.spelling}", flush=True)
        seen = set()
        for top in unit.cursor.get_children():
            path, _ = place(top.extent.start)
            if path is None or path in self.done:
                continue
            seen.add(path)
            space = ()
            if top.kind in REFERENCES:
                self.note(top, space)
            elif top.kind in NAMED:
                self.declare(top)
            self.walk(top, (top.spelling,) if top.kind == K.NAMESPACE else ())
        # A file that ends the unit may not be whole in an earlier one only if it failed there; headers are whole.
        self.done |= seen | set(files)


def units():
    groups = {}
    for path in sources("palimpsest", "tests", "fuzz", "bench", "examples", "tools"):
        if path.endswith(".cc"):
            groups.setdefault("/".join(path.split("/")[:2]), []).append(path)
    for folder, files in groups.items():
        alone = folder.split("/")[0] in ("fuzz", "bench", "examples")  # each a program with a main of its own
        size = 1 if alone else BATCH
        for i in range(0, len(files), size):
            yield files[i:i + size], f"{folder.replace('/', '_')}_{i}"


INDEX = ci.Index.create()  # before any fork; each process parses with its own copy


def collect_part(part):
    collector = Collector()
    start = time.time()
    for files, name in part:
        collector.unit(files, name)
        print(f"{time.time() - start:6.0f} s  {name}: {len(collector.references)} references", flush=True)
    collector.cache = {}
    return collector


def collect():
    jobs = int(next((a[len("--jobs="):] for a in sys.argv if a.startswith("--jobs=")), 1))
    work = sorted(units(), key=lambda u: -len(u[0]))
    if jobs == 1:
        collector = collect_part(work)
    else:
        import multiprocessing
        collector = Collector()
        with multiprocessing.get_context("fork").Pool(jobs) as pool:
            for part in pool.imap_unordered(collect_part, [work[i::4 * jobs] for i in range(4 * jobs)]):
                for key, value in part.references.items():
                    collector.references.setdefault(key, value)
                collector.defined.update(part.defined)
                for mine, theirs in ((collector.declared, part.declared), (collector.local, part.local)):
                    for module, names in theirs.items():
                        mine.setdefault(module, set()).update(names)
                collector.done |= part.done
                collector.problems += part.problems
    headers = [p for p in sources("palimpsest", "tests", "bench") if p.endswith(".h") and p not in collector.done]
    for header in headers:
        collector.unit([header], header.replace("/", "_"))
    return collector


def new_namespace(old, module):
    path = list(old[1:])
    if module in (None, "base"):
        return tuple(old)
    if path and path[0] == module:
        return tuple(old)
    if path and path[0] in MODULES:
        path = path[1:]
    if path == ["unicode_tables"]:
        path = []
    return ("palimpsest", module, *path)


QUALIFIER = re.compile(rb"((?:::\s*)?(?:[A-Za-z_]\w*\s*::\s*)*)\Z")


def rewrite(collector):
    by_file = {}
    for (path, offset), reference in collector.references.items():
        by_file.setdefault(path, []).append((offset, reference))
    texts = {}
    for path, references in by_file.items():
        data = (ROOT / path).read_bytes()
        own = module_of_file(path)
        here = ("palimpsest", own) if own not in (None, "base") else ("palimpsest",)
        declared_here = set()
        if own not in (None, "base"):
            declared_here = collector.declared.get(own, set()) | collector.local.get(own, set())
        edits = {}
        for offset, (name, old, module, is_class, context) in references:
            if is_class:
                module = collector.defined.get((old, name), module)
            new = new_namespace(old, module)
            end = offset + len(name.encode())
            if data[offset:end] != name.encode():
                collector.problems.append(((path, offset), name, "the name does not stand there (a macro?)"))
                continue
            written = QUALIFIER.search(data, max(0, offset - 200), offset).group(1)
            # A line comment or string could end in `::`; the grammar excludes that here.
            parts = re.findall(rb"\w+", written)
            parts = [p.decode() for p in parts]
            start = offset - len(written)
            if parts and tuple(parts) != old[len(old) - len(parts):]:
                if parts[-1] not in old:
                    continue  # qualified by a class or an alias
                collector.problems.append(((path, offset), name, f"qualified by {'::'.join(parts)}"))
                continue
            leading = written.startswith(b"::")
            if not parts:
                if re.search(rb"\busing [\w:]*\b" + name.encode() + rb";", data) and (new != here or not context):
                    continue  # brought in by a using-declaration, which is rewritten itself
                if len(new) > 1 and re.search(rb"using namespace (palimpsest::)?" + "::".join(new[1:]).encode() + b";", data):
                    continue
                if new == here and not context and b"using namespace palimpsest;" in data:
                    continue  # open_namespaces() adds the module's own
                scope = here if context[:1] == ("palimpsest",) else ("palimpsest",)  # the second by `using namespace`
                if new == scope[:len(new)]:
                    if len(new) == 1 and name in declared_here and context[:2] != ("palimpsest", own):
                        qualifier = "palimpsest::"  # the module's own name of that kind would hide it
                    else:
                        continue
                # (Outside of namespaces `stat::` would also be the POSIX struct.)
                elif context[:1] == ("palimpsest",) or (b"using namespace palimpsest;" in data and new[1:2] != ("stat",)):
                    qualifier = "::".join(new[1:]) + "::"
                else:
                    qualifier = "::".join(new) + "::"
            elif parts[0] == "palimpsest":
                qualifier = ("::" if leading else "") + "::".join(new) + "::"
            elif new == here:
                qualifier = ""
            else:
                qualifier = "::".join(new[1:]) + ("::" if new[1:] else "")
            if qualifier.encode() != written:
                edits[start] = (offset, qualifier.encode())
        for start in sorted(edits, reverse=True):
            offset, qualifier = edits[start]
            data = data[:start] + qualifier + data[offset:]
        texts[path] = data
    for path, data in texts.items():
        (ROOT / path).write_bytes(data)


FORWARD = re.compile(r"\s*(?:(?://[^\n]*)|(?:(?:class|struct|enum class|enum struct|union)\s+(\w+)(?:\s*:\s*\w+)?;))\s*")


def open_namespaces(collector):
    """`namespace palimpsest {` of a module's files becomes that of the module."""
    by_name = {}
    for (namespace, name), module in collector.defined.items():
        by_name.setdefault(name, set()).add((namespace, module))
    for path in sources("palimpsest", "tests"):
        own = module_of_file(path)
        if own in (None, "base"):
            continue
        lines = read(path).split("\n")
        stack = []
        for i, line in enumerate(lines):
            if line is None:
                continue
            opened = re.match(r"namespace (palimpsest(?:::\w+)*) \{(.*)$", line)
            if opened:
                old = tuple(opened.group(1).split("::"))
                rest = opened.group(2)
                if rest.strip().endswith("}") or re.search(r"\}\s*//", rest):  # all on one line
                    body, one_line = rest, True
                else:
                    close = next(j for j in range(i + 1, len(lines)) if re.match(r"\}\s*(//|$)", lines[j]))
                    body, one_line = "\n".join(lines[i + 1:close]), False
                declarations = re.sub(r"//[^\n]*", "", body).replace("}", "") if one_line else re.sub(r"//[^\n]*", "", body)
                names = re.findall(r"\b(?:class|struct|union)\s+(\w+)\s*;", declarations)
                others = re.sub(r"\b(?:class|struct|union)\s+(\w+)\s*;", "", declarations).strip()
                module = own
                if names and not others:  # forward declarations alone: of whose classes?
                    modules = {m for n in names for (ns, m) in by_name.get(n, ()) if ns == old}
                    if len(modules) == 1:
                        module = modules.pop()
                    elif modules and not one_line:  # of several modules: one block each
                        groups = {}
                        for n in names:
                            keyword = re.search(rf"\b(class|struct|union)\s+{n}\s*;", declarations).group(1)
                            owner = next(m for (ns, m) in by_name[n] if ns == old)
                            groups.setdefault("::".join(new_namespace(old, owner)), []).append(f"{keyword} {n};")
                        blocks = [f"namespace {g} {{\n" + "\n".join(d) + f"\n}}  // namespace {g}" for g, d in sorted(groups.items())]
                        lines[i:close + 1] = ["\n".join(blocks)] + [""] * 0 + [None] * (close - i)
                        continue
                    else:
                        collector.problems.append(((path, i + 1), ",".join(names), f"forward declarations of {modules}"))
                new = "::".join(new_namespace(old, module))
                lines[i] = line.replace(f"namespace {opened.group(1)}", f"namespace {new}")
                if not one_line:
                    stack.append((opened.group(1), new))
                continue
            closed = re.match(r"\}\s*// namespace (palimpsest[\w:]*)\s*$", line)
            if closed and stack:
                old, new = stack.pop()
                lines[i] = f"}}  // namespace {new}"
        text = hoist("\n".join(l for l in lines if l is not None), own, by_name)

        def using_enum(match):  # clang 14 says nothing of what it refers to
            owners = {m for (_, m) in by_name.get(match.group(1), ())}
            owner = next(iter(owners)) if len(owners) == 1 else own
            return match.group(0) if owner in (own, None, "base") else f"using enum {owner}::{match.group(1)};"

        text = re.sub(r"\busing enum (\w+);", using_enum, text)
        # A main() that calls what stands in the anonymous namespace of palimpsest, by its full name.
        elsewhere = collector.declared.get("base", set()) | collector.declared.get(None, set())
        text = re.sub(r"(?<![\w:])palimpsest::(\w+)\b(?!::)",
                      lambda m: f"palimpsest::{own}::{m.group(1)}" if m.group(1) in collector.local.get(own, ())
                      and m.group(1) not in elsewhere and m.group(1) not in MODULES else m.group(0), text)
        if f"using namespace palimpsest::{own};" not in text:  # a program of the module's tests
            text = re.sub(r"(?m)^( *)using namespace palimpsest;\n",
                          rf"\1using namespace palimpsest;\n\1using namespace palimpsest::{own};\n", text)
        # A using-declaration of the module's own name says nothing.
        text = re.sub(rf"^using {own}::\w+;\n", "", text, flags=re.MULTILINE)
        text = re.sub(r"^using (?=[A-Za-z]\w*;$)\w+;\n", "", text, flags=re.MULTILINE)
        if text != read(path):
            write(path, text)


def hoist(text, own, by_name):
    """Forward declarations of other modules' classes inside the module's namespace go in front of it, into theirs."""
    found = {}
    for line, name in re.findall(r"(?m)^((?:class|struct) (\w+);\n)", text):
        modules = {m for (ns, m) in by_name.get(name, ())}
        if own in modules or not modules or len(modules) > 1:
            continue
        found.setdefault(next(iter(modules)), []).append(line)
    for module, lines in found.items():
        space = "palimpsest" if module in (None, "base") else f"palimpsest::{module}"
        if f"namespace {space} {{\n{lines[0]}" in text:
            continue
        for line in lines:
            text = text.replace(line, "", 1)
        block = f"namespace {space} {{\n" + "".join(lines) + f"}}  // namespace {space}\n\n"
        text = re.sub(r"(?m)^namespace palimpsest", block.replace("\\", r"\\") + "namespace palimpsest", text, count=1)
    return text


def documents(collector):
    """palimpsest::Name in comments, documents and examples' text."""
    modules = {}
    for module, names in collector.declared.items():
        if module not in (None, "base"):
            for name in names:
                modules.setdefault(name, set()).add(module)
    base = collector.declared.get("base", set()) | collector.declared.get(None, set())
    unique = {n: next(iter(m)) for n, m in modules.items() if len(m) == 1 and n not in base and n not in MODULES}
    pattern = re.compile(r"(?<![\w:])palimpsest::(\w+)\b(?!::)")
    for path in tracked("*.md", "*.h", "*.cc"):
        def qualify(text):
            return pattern.sub(
                lambda m: f"palimpsest::{unique[m.group(1)]}::{m.group(1)}" if m.group(1) in unique else m.group(0), text)
        if path.endswith(".md"):
            edit(path, qualify)
        else:  # code has been seen to
            edit(path, lambda t: re.sub(r"(?m)//.*$", lambda m: qualify(m.group(0)), t))
    return modules


# (file, old, new): what neither libclang nor the compiler's messages settle.
# A function that is called like a module, where `using namespace palimpsest` shows both.
EXTRA = [
    ("bench/metric_bench.cc", r"\bvoid metric\(", "void run_metric("),
    ("bench/metric_bench.cc", r"RegisterBenchmark\(spec, metric, spec\)", "RegisterBenchmark(spec, run_metric, spec)"),
    ("palimpsest/cli/main.cc", r"(?s)(\nint main\(.*?\n    )run\(", r"\1cli::run("),
]


CHANGED = """- For those who embed the library: every name stands in the namespace of its module (`palimpsest::attack::mia`, `palimpsest::stat::auc`); only those
  of `base` stand in `palimpsest` (`palimpsest::Error`). Of `text` became `text`, `python_text`, `tokenizer` and `jinja`; `ChatTime` is `python_text::CivilTime`.
  Private headers lie in `<module>/internal/` and are no longer installed, and no public header shows another library's types.
  `find_package(palimpsest COMPONENTS stat attack)` needs only what these two need, and with `BUILD_SHARED_LIBS=ON` the modules are shared libraries.
"""


def changelog():
    text = read("CHANGELOG.md")
    if "every name stands in the namespace of its module" in text:
        return
    if "\n### Changed\n" not in text:
        print("  CHANGELOG.md has no heading 'Changed'")
        return
    write("CHANGELOG.md", text.replace("\n### Changed\n", "\n### Changed\n" + CHANGED, 1))


def save(collector, path):
    path.write_text(json.dumps({
        "references": [[*k, *v] for k, v in collector.references.items()],
        "declared": {str(m): sorted(n) for m, n in collector.declared.items()},
        "local": {str(m): sorted(n) for m, n in collector.local.items()},
        "defined": [[ns, n, m] for (ns, n), m in collector.defined.items()],
        "problems": collector.problems}))


def load(path):
    data = json.loads(path.read_text())
    collector = Collector()
    collector.references = {(r[0], r[1]): (r[2], tuple(r[3]), r[4], r[5], tuple(r[6])) for r in data["references"]}
    collector.declared = {None if m == "None" else m: set(n) for m, n in data["declared"].items()}
    collector.local = {None if m == "None" else m: set(n) for m, n in data["local"].items()}
    collector.defined = {(tuple(ns), n): m for ns, n, m in data["defined"]}
    collector.problems = [(tuple(p), n, w) for p, n, w in data["problems"]]
    return collector


def generators():
    """What writes C++ files that lie in a namespace."""
    for path in tracked("*.cmake", "tools/golden/*.py"):
        edit(path, lambda t: t.replace("palimpsest::page_assets", "palimpsest::report::page_assets")
             .replace("palimpsest::unicode_tables", "palimpsest::tokenizer"))
    # gtest finds how to print a type by the type's namespace.
    for path in sources("tests"):
        own = module_of_file(path)
        if own in (None, "base"):
            continue
        space = f"namespace palimpsest::{own}"
        edit(path, lambda t: re.sub(
            r"(?ms)^((?://[^\n]*\n)*inline void PrintTo\(const (?:Array)& .*?^\}\n)",
            lambda m: f"}}  // {space}\n\nnamespace palimpsest {{\n\n{m.group(1)}\n}}  // namespace palimpsest\n\n{space} {{\n", t)
            .replace(f"{space} {{\n\n}}  // {space}\n\n", ""))


def check():
    """Parses everything again and prints the errors as a compiler would, for fix_errors.py."""
    seen = set()
    only = next((a[len("--only="):] for a in sys.argv if a.startswith("--only=")), None)
    work = units()
    if only:  # each of these alone
        work = (([f], f.replace("/", "_")) for f in sources() if f.endswith(".cc") and re.search(only, f))
    for files, name in work:
        main_file = str(ROOT / f"{name}.unit.cc")
        text = "".join(f'#include "{f}"\n' for f in files)
        flags = FLAGS + (["-include", "ATen/core/ivalue.h"] if "torch" in name else [])
        unit = INDEX.parse(main_file, flags, unsaved_files=[(main_file, text)], options=0)
        for d in unit.diagnostics:
            if d.severity >= ci.Diagnostic.Error and d.location.file:
                line = f"{d.location.file}:{d.location.line}:{d.location.column}: error: {d.spelling}"
                if line not in seen:
                    seen.add(line)
                    print(line, flush=True)
    print(f"{len(seen)} errors")


def main():
    if "--check" in sys.argv:
        return check()
    file = HERE / "references.json"
    if "--apply" not in sys.argv:
        save(collect(), file)
    if "--collect" in sys.argv:
        return
    collector = load(file)
    (HERE / "names.json").write_text(json.dumps({"declared": {str(m): sorted(n) for m, n in collector.declared.items()}}))
    rewrite(collector)
    open_namespaces(collector)
    documents(collector)
    generators()
    changelog()
    for path, old, new in EXTRA:
        if not exists(path) or not edit(path, lambda t: re.sub(old, new, t)):
            print(f"  not found, perhaps no longer needed: {path}: {old}")
    print(f"{len(collector.references)} references; {len(collector.problems)} to look at:")
    for (path, offset), name, why in sorted(collector.problems, key=str):
        if path and exists(path):
            row = read(path).encode()[:offset].count(b"\n") + 1 if offset > 400 else offset
            print(f"  {path}:~{row}: {name}: {why}")
    git("add", "-A", *[f for f in CODE_FOLDERS + ("docs", "README.md", "CHANGELOG.md", "CONTRIBUTING.md") if exists(f)])


main()
