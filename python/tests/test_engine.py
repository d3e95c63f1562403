"""The CPU engine from Python."""

import numpy as np
import pytest

import palimpsest
from palimpsest import engine


def test_scores_and_generations(examples):
    tokenizer = palimpsest.Tokenizer(examples / "tiny-model")
    ids = tokenizer.encode("Where was the author born?")
    with engine.Model(examples / "tiny-model") as model:
        one, = model.score([ids], gradient_norms=["2"])
        assert len(one.logprob) == len(ids) - 1 and (one.logprob <= 0).all()
        assert one.gradient_norms[0] > 0
        new, = model.generate([ids], max_new_tokens=3)
        assert 1 <= len(new) <= 3
        both = model.score([ids, ids[:3]])
        np.testing.assert_array_equal(both[0].logprob, one.logprob)
    with pytest.raises(palimpsest.Error, match="the model was closed"):
        model.score([ids])


def test_wrong_ids_are_refused(examples):
    with engine.Model(examples / "tiny-model") as model:
        for wrong in ([10**9], [[1.5]], ["a"]):
            with pytest.raises(palimpsest.Error):
                model.score([np.asarray(wrong)])
    with pytest.raises(palimpsest.Error):
        engine.Model("nowhere")
