"""What mkdocs needs to know beyond mkdocs.yml: a hook, which mkdocs calls while it builds the site.

The pages are written for GitHub, too. There a nested list is indented by the width of the list's mark, two or three
columns, and a list may follow a paragraph without a blank line. Python's Markdown wants four columns and the line.
"""

import re

MARK = re.compile(r" *(?:[-*]|\d+\.) ")
# Outside a list, a deeper mark is code, and a number within a paragraph is a number.
FIRST_BULLET = re.compile(r" {0,3}[-*] ")
FIRST_NUMBER = re.compile(r" {0,3}\d+\. ")


def widen_lists(markdown: str) -> str:
    """Doubles the indentation within lists, so that two columns become four, and parts the items."""
    lines = []
    in_list = in_code = False
    for line in markdown.splitlines():
        if re.match(r" *```", line):
            in_code = not in_code
        before = lines[-1] if lines else ""
        first = FIRST_BULLET.match(line) or (FIRST_NUMBER.match(line) and not before)
        if not in_code and (MARK.match(line) if in_list else first):
            if before:
                lines.append("")
            in_list = True
        elif line and not line.startswith(" "):
            in_list = False
        indent = len(line) - len(line.lstrip(" "))
        lines.append(" " * indent + line if in_list else line)
    return "\n".join(lines) + "\n"


def on_files(files, config):
    """The sources of the API reference are no pages."""
    for file in list(files):
        if file.src_path.startswith("reference/") and not file.src_path.endswith(".css"):
            files.remove(file)
    return files


def on_page_markdown(markdown, page, config, files):
    return widen_lists(markdown)


def on_nav(nav, config, files):
    """Doxygen's pages, which `make docs` puts beside the site."""
    from mkdocs.structure.nav import Link  # not above: the tests run without mkdocs

    for item in nav.items:
        if item.is_section and item.title == "Reference":
            link = Link("C++ library", "api/index.html")
            link.parent = item
            item.children.append(link)
    return nav
