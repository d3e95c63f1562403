#!/usr/bin/env python3
"""fix_errors.py TREE LOG: qualifies the names that the compiler (GCC or clang, in LOG) does not find.

For names that libclang could not resolve, those in templates mostly. Uses names.json, which namespaces.py leaves beside
itself. A name that several modules declare is left alone and printed, as is every error of another kind.
"""

import json

from common import *

HERE = pathlib.Path(__file__).resolve().parent
declared = json.loads((HERE / "names.json").read_text())["declared"]
owners = {}
for module, names in declared.items():
    if module not in ("None", "base"):
        for name in names:
            owners.setdefault(name, set()).add(module)
LINE = re.compile(r"^(?:.*?/|)((?:palimpsest|tests|fuzz|bench|examples)/[\w/.-]+):(\d+):(\d+): (?:fatal )?error: (.*)$")
NAME = re.compile(r"[‘'](?:palimpsest::)?(?:const )?(~?\w+)[’'] (?:was not declared|does not name a type|has not been declared|is not a member"
                  r"|is not a class|is not a template|is not a type)|undeclared identifier '(\w+)'|unknown type name '(\w+)'"
                  r"|no member named '(\w+)' in namespace 'palimpsest'|no (?:template|type) named '(\w+)'|expected (?:type-specifier|class name) before [‘'](\w+)[’']"
                  r"|expected class-name before|template argument")

edits, others, seen = {}, [], set()
for line in pathlib.Path(sys.argv[2]).read_text(errors="replace").splitlines():
    found = LINE.match(line)
    if not found:
        continue
    path, row, column, message = found.group(1), int(found.group(2)), int(found.group(3)), found.group(4)
    if (path, row, column) in seen:
        continue
    seen.add((path, row, column))
    match = NAME.search(message)
    name = next((g for g in match.groups() if g), None) if match else None
    modules = owners.get(name, set())
    if name and len(modules) > 1:
        hint = re.search(r"did you mean [‘'](?:palimpsest::)?(\w+)::", message)
        modules = {hint.group(1)} if hint and hint.group(1) in modules else modules - {path.split("/")[1]}
    if not exists(path) or len(modules) != 1:
        others.append(line)
        continue
    text = read(path).split("\n")
    content = text[row - 1].encode()
    at = column - 1
    if content[at:at + len(name)] != name.encode():
        at = content.find(name.encode(), max(0, at - 1))
    if at < 0:
        others.append(line)
        continue
    edits.setdefault((path, row - 1), {})[at] = (name, next(iter(modules)))
count = 0
for (path, row), places in edits.items():
    lines = read(path).split("\n")
    content = lines[row].encode()
    for at in sorted(places, reverse=True):
        name, module = places[at]
        if content[:at].endswith(f"{module}::".encode()):
            continue
        content = content[:at] + f"{module}::".encode() + content[at:]
        count += 1
    lines[row] = content.decode()
    write(path, "\n".join(lines))
print(f"{count} names qualified; {len(others)} other errors")
for line in others[:60]:
    print("  " + line[:300])
