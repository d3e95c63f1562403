"""Palimpsest measures what a language model still remembers.

    import palimpsest

    done = palimpsest.audit("checkpoint", forget="forget.jsonl", holdout="holdout.jsonl")
    print(done)

The statistics are in `palimpsest.stat`; the most common ones are here, too.
"""

from palimpsest._core import Error, version_and_commit as _version_and_commit
from palimpsest.auditing import Attack, Audit, audit
from palimpsest.evaluation import Evaluation, evaluate, records_handler, unlearning_metric
from palimpsest.stat import auc, bootstrap_auc, delong, effective_epsilon, ks, tpr_at_fpr
from palimpsest.text import ChatTemplate, Tokenizer, rouge
from palimpsest.traces import Traces

__version__ = _version_and_commit().split(",")[0]

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
