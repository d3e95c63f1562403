#!/usr/bin/env python3
"""Golden data for chat templates: what transformers and jinja2 render.

Writes three files into the given folder:

  chat_template_families.json   templates in the style of the public model families
  chat_template_language.json   small cases of the language, one feature each
  chat_template_random.json     random expressions (seeded)

Needs transformers==4.45.1 and jinja2 3.1.x from PyPI:

  python3 -m venv venv && venv/bin/pip install transformers==4.45.1 'jinja2==3.1.*'
  venv/bin/python tools/golden/chat_template.py tests/golden/jinja

With --random N --seed S --out FILE it writes N random cases to FILE instead, for a longer
comparison than the one that is committed.
"""

import argparse
import copy
import datetime
import importlib.metadata
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import chat_template_cases as language  # noqa: E402
import chat_template_families as families  # noqa: E402
import chat_template_random as random_cases  # noqa: E402

import jinja2  # noqa: E402
import transformers  # noqa: E402
from transformers.utils import chat_template_utils  # noqa: E402

NOW = datetime.datetime(2024, 7, 26, 15, 4, 5, 678)


class FixedClock(datetime.datetime):
    """datetime whose now() is the time that the cases are rendered at."""

    @classmethod
    def now(cls, tz=None):
        return NOW


def render(case, shared):
    """The text and the generation spans (in bytes), or the name of the exception."""
    case = {key: shared.get(key + "s", {}).get(value, value) if isinstance(value, str) else value
            for key, value in case.items()}
    tokens = shared.get("special_tokens", {})
    # A copy: the filter `indent` appends to a list that it is given by mistake.
    variables = copy.deepcopy({**shared.get("variables", {}), **tokens, **case.get("variables", {})})
    try:
        template = chat_template_utils._compile_jinja_template(case["template"])
        text, spans = chat_template_utils._render_with_assistant_indices(
            template,
            messages=case.get("conversation", []),
            tools=shared["tools"] if case.get("with_tools") else None,
            documents=shared["documents"] if case.get("with_documents") else None,
            add_generation_prompt=case.get("add_generation_prompt", False),
            **variables,
        )
        text.encode()
    except Exception as error:  # noqa: BLE001: whatever the template raises is the expected result
        return {"error": type(error).__name__}
    result = {"text": text}
    if spans:
        result["spans"] = [[len(text[:a].encode()), len(text[:b].encode())] for a, b in spans]
    return result


def write(path, cases, shared, extra):
    """One case per line. `shared` is what cases have in common: variables, special_tokens, tools,
    documents, and the templates and conversations that they name."""
    rendered = [{**case, **render(case, shared)} for case in cases]
    # Addresses differ from run to run: such cases say nothing.
    rendered = [case for case in rendered if " at 0x" not in case.get("text", "")]
    manifest = {
        "script": "tools/golden/chat_template.py",
        "transformers": transformers.__version__,
        "jinja2": jinja2.__version__,
        "markupsafe": importlib.metadata.version("markupsafe"),
        "python": ".".join(map(str, sys.version_info[:3])),
        "now": NOW.isoformat(),
        **extra,
    }
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"manifest": ' + json.dumps(manifest) + ",\n")
        for key, value in shared.items():
            file.write(f'"{key}": ' + json.dumps(value, ensure_ascii=False) + ",\n")
        file.write('"cases": [\n')
        file.write(",\n".join(json.dumps(case, ensure_ascii=False) for case in rendered))
        file.write("\n]}\n")
    errors = sum("error" in case for case in rendered)
    print(f"{path}: {len(rendered)} cases, {errors} of them errors")


def random_cases_of(count, seed):
    """Cases of which most render: most random templates fail, which soon says nothing new."""
    shared = {"variables": random_cases.VARIABLES}
    kept = []
    for case in random_cases.make(seed):
        if len(kept) == count:
            return kept
        if "error" not in render(case, shared) or len(kept) % 5 == 0:
            kept.append(case)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--random", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out")
    options = parser.parse_args()
    import warnings

    warnings.simplefilter("ignore")
    chat_template_utils.datetime = FixedClock
    seed = {"seed": options.seed}
    if options.out:
        write(options.out, random_cases_of(options.random, options.seed), {"variables": random_cases.VARIABLES}, seed)
        return
    if not options.folder:
        parser.error("say where to write")
    write(os.path.join(options.folder, "chat_template_families.json"), families.make(), families.shared(), {})
    write(os.path.join(options.folder, "chat_template_language.json"), language.make(), {"variables": language.VARIABLES}, {})
    write(
        os.path.join(options.folder, "chat_template_random.json"),
        random_cases_of(options.random, options.seed),
        {"variables": random_cases.VARIABLES},
        seed,
    )


if __name__ == "__main__":
    main()
