"""Importing a checkout of open-unlearning, with stand-ins for modules that it imports and does not need here."""

import importlib.machinery
import pathlib
import sys
import types


def stand_in(name, **members):
    module = types.ModuleType(name)
    module.__spec__ = importlib.machinery.ModuleSpec(name, None)
    module.__dict__.update(members)
    sys.modules.setdefault(name, module)


def prepare(checkout):
    """Makes the checkout's modules importable."""
    import transformers.models.auto.modeling_auto  # noqa: F401  looks for the real deepspeed
    sys.path.insert(0, str(pathlib.Path(checkout) / "src"))
    stand_in("lm_eval", simple_evaluate=None)
    stand_in("lm_eval.models")
    stand_in("lm_eval.models.hf_vlms", HFLM=object)
    stand_in("lm_eval.tasks", TaskManager=object)
    stand_in("deepspeed")


def import_attacks(checkout):
    """Its data module, and the module that has the attacks and mia_auc."""
    prepare(checkout)
    import data
    from evals.metrics.mia import utils
    return data, utils
