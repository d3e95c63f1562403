"""What mkdocs needs to know beyond mkdocs.yml: a hook, which mkdocs calls while it builds the site.

The pages are written for GitHub, too. There a nested list is indented by the width of the list's mark, two or three
columns, and a list may follow a paragraph without a blank line. Python's Markdown wants four columns and the line.
"""

import importlib.util
import pathlib
import re

PYTHON_PAGE = "python-api.md"
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


def python_page():
    """The page of the Python package, made from its docstrings."""
    path = pathlib.Path(__file__).with_name("python_api.py")
    spec = importlib.util.spec_from_file_location("python_api", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.page()


def on_config(config):
    """The page of the Python package stands with the other reference pages."""
    for part in config["nav"]:
        part.get("Reference", []).append({"Python package": PYTHON_PAGE})
    return config


def on_files(files, config):
    """The sources of the API reference are no pages; the page of the Python package is made here."""
    from mkdocs.structure.files import File  # not above: the tests run without mkdocs

    for file in list(files):
        if file.src_path.startswith("reference/") and not file.src_path.endswith(".css"):
            files.remove(file)
    made = pathlib.Path(config["site_dir"]).parent / "docs"
    made.mkdir(parents=True, exist_ok=True)
    (made / PYTHON_PAGE).write_text(python_page(), encoding="utf-8")
    files.append(File(PYTHON_PAGE, str(made), config["site_dir"], config["use_directory_urls"]))
    return files


def on_page_markdown(markdown, page, config, files):
    return widen_lists(markdown)


def on_nav(nav, config, files):
    """Doxygen's pages, which `make docs` puts beside the site."""
    from mkdocs.structure.nav import Link

    for item in nav.items:
        if item.is_section and item.title == "Reference":
            link = Link("C++ library", "api/index.html")
            link.parent = item
            item.children.append(link)
    return nav
