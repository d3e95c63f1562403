"""What the three scripts share: the tree they work on, git mv, and edits of whole files."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else ".").resolve()
if not (ROOT / "palimpsest" / "base").is_dir():
    sys.exit(f"{ROOT} is no Palimpsest tree: give its folder as the first argument")

CODE_FOLDERS = ("palimpsest", "tests", "fuzz", "bench", "examples", "tools")
TEXT_SUFFIXES = (".h", ".cc", ".py", ".md", ".txt", ".cmake", ".in", ".sh", ".json", ".yaml", ".html", ".js", ".css")


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def write(path, text):
    file = ROOT / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def exists(path):
    return (ROOT / path).exists()


def git(*arguments):
    return subprocess.run(["git", "-C", str(ROOT), *arguments], check=True, capture_output=True, text=True).stdout


def move(old, new):
    (ROOT / new).parent.mkdir(parents=True, exist_ok=True)
    git("mv", old, new)


def tracked(*patterns):
    """Paths that git knows and that exist, relative to the root."""
    return [p for p in git("ls-files", "--", *patterns).splitlines() if (ROOT / p).is_file()]


def sources(*folders):
    """The C++ files below the folders, relative to the root."""
    found = []
    for folder in folders or CODE_FOLDERS:
        if (ROOT / folder).is_dir():
            found += [str(p.relative_to(ROOT)) for p in (ROOT / folder).rglob("*") if p.suffix in (".h", ".cc")]
    return sorted(found)


def modules_in_order():
    return re.findall(r"^\s*add_subdirectory\(palimpsest/(\w+)\)", read("CMakeLists.txt"), re.MULTILINE)


def module_of(path):
    """The module whose file this is, or whose test it is; None for anything else."""
    parts = path.split("/")
    if parts[0] in ("palimpsest", "tests") and len(parts) > 2 and parts[1] in modules_in_order_cached():
        return parts[1]
    return None


_modules = None


def modules_in_order_cached():
    global _modules
    if _modules is None:
        _modules = modules_in_order()
    return _modules


def edit(path, function):
    """Rewrites the file with what the function makes of its text; says whether it changed."""
    old = read(path)
    new = function(old)
    if new != old:
        write(path, new)
    return new != old


def replace_once(path, old, new, must=True):
    """Replaces a piece of text; if it is not there (somebody else changed it) says so."""
    text = read(path) if exists(path) else ""
    if old not in text:
        if must:
            print(f"  not found, look at it by hand: {path}: {old.strip().splitlines()[0][:90]!r}")
        return False
    write(path, text.replace(old, new, 1))
    return True


INCLUDE = re.compile(r'^(\s*#\s*include\s*")([^"]+)(")', re.MULTILINE)


def includes_of(path):
    return [m.group(2) for m in INCLUDE.finditer(read(path))]


def sort_includes(text):
    """Sorts each block of neighbouring #include "…" lines, as clang-format would, and drops repeated ones."""
    lines = text.split("\n")
    out, block = [], []

    def flush():
        out.extend(sorted(dict.fromkeys(block)))
        block.clear()

    first = True
    for line in lines:
        if re.match(r'#include "palimpsest/', line):
            if first and not block and (not out or all(not l for l in out)):
                out.append(line)  # a source's own header stands alone at its top
                first = False
                continue
            block.append(line)
        else:
            flush()
            out.append(line)
    flush()
    return "\n".join(out)
