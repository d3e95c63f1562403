"""Palimpsest measures what a language model still remembers.

    import palimpsest

    done = palimpsest.audit("checkpoint", forget="forget.jsonl", holdout="holdout.jsonl")
    print(done)

The statistics are in `palimpsest.stat`; the most common ones are here, too.
"""

from importlib import import_module as _import_module
from typing import Any as _Any

from palimpsest._core import Error, version_and_commit as _version_and_commit
from palimpsest.auditing import Attack, Audit, audit
from palimpsest.evaluation import Evaluation, evaluate, records_handler, unlearning_metric
from palimpsest.stat import auc, bootstrap_auc, delong, effective_epsilon, ks, tpr_at_fpr
from palimpsest.text import ChatTemplate, Tokenizer, rouge
from palimpsest.traces import Traces

__version__ = _version_and_commit().split(",")[0]

_SUBMODULES = ("engine", "hf", "metrics", "openai", "report", "services", "vllm")


def __getattr__(name: str) -> _Any:
    """Further parts of the package are imported when they are used."""
    if name in _SUBMODULES:
        return _import_module(f"palimpsest.{name}")
    raise AttributeError(f"module 'palimpsest' has no attribute '{name}'")


__all__ = [
    "Attack",
    "Audit",
    "ChatTemplate",
    "Error",
    "Evaluation",
    "Tokenizer",
    "Traces",
    "__version__",
    "auc",
    "audit",
    "bootstrap_auc",
    "delong",
    "effective_epsilon",
    "evaluate",
    "ks",
    "records_handler",
    "rouge",
    "tpr_at_fpr",
    "unlearning_metric",
]
