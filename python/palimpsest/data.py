"""Records as Python has them, made into the files that the library reads."""

from __future__ import annotations

import contextlib
import json
import math
import os
import pathlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from palimpsest import hub
from palimpsest._core import Error

Records = Any  #: a path, or an iterable of dicts or texts: a list, a datasets.Dataset, a pandas DataFrame


def _plain(value: Any) -> Any:
    """The value as json writes it; numpy's and pandas' numbers and arrays become Python's."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"a {type(value).__name__}")


def _without_nan(record: Mapping[str, Any]) -> dict[str, Any]:
    """A missing value of a DataFrame is an absent one."""
    return {str(key): value for key, value in record.items() if not (isinstance(value, float) and math.isnan(value))}


def _iterate(records: Records, name: str) -> Iterable[Any]:
    if hasattr(records, "to_dict") and hasattr(records, "columns"):  # a DataFrame, without an import of pandas
        return records.to_dict(orient="records")
    if isinstance(records, Mapping) or not isinstance(records, Iterable):
        raise Error(f"{name}: records are needed (expected a file, a list of dicts or texts, a data set or a DataFrame, "
                    f"found a {type(records).__name__})")
    return records


def records_file(records: Records, name: str, folder: pathlib.Path) -> tuple[str, pathlib.Path, dict[str, Any]]:
    """The name and the file of a data set, and its first record if the set came from memory.

    A path stays where it is. Anything else is written to the folder, one record per line.
    """
    if hub.is_data_name(records):
        records = hub.load_records(records)
    if isinstance(records, (str, os.PathLike)):
        path = pathlib.Path(records)
        return path.name, path, {}
    path = folder / f"{name}.jsonl"
    first: dict[str, Any] = {}
    with path.open("w", encoding="utf-8") as file:
        number = -1
        for number, record in enumerate(_iterate(records, name)):
            if isinstance(record, str):
                record = {"text": record}
            if not isinstance(record, Mapping):
                raise Error(f"{name}[{number}]: it is neither a dict nor a text, but a {type(record).__name__}")
            record = _without_nan(record)
            try:
                line = json.dumps(record, ensure_ascii=False, default=_plain)
            except (TypeError, ValueError) as error:
                raise Error(f"{name}[{number}]: the record cannot be written as JSON ({error})") from error
            file.write(line + "\n")
            first = first or record
    if number < 0:
        raise Error(f"{name}: there are no records")
    return name, path, first


@contextlib.contextmanager
def without_folder(folder: pathlib.Path) -> Iterator[Callable[[str], str]]:
    """Messages name files of the scratch folder by their names alone, in errors as well."""

    def shown(text: str) -> str:
        return text.replace(f"{folder}{os.sep}", "")

    try:
        yield shown
    except Error as error:
        if str(folder) not in str(error):
            raise
        raise Error(shown(str(error))) from None


def keys_of(first: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """Texts without questions are completed, as if text_key had been given."""
    asked = any(given.get(key) is not None for key in ("dataset", "text_key", "prefix_key"))
    question = given.get("question_key") or "question"
    if not asked and "text" in first and question not in first:
        return {"text_key": "text"}
    return {}
