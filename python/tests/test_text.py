"""Tokenizers, chat templates, ROUGE, and responses of services."""

import pickle
import types

import numpy as np
import pytest

import palimpsest
from palimpsest import openai, vllm


def test_a_tokenizer(examples):
    tokenizer = palimpsest.Tokenizer(examples / "tiny-tokenizer")
    ids = tokenizer.encode("the author was born near", add_special_tokens=False)
    assert ids.dtype == np.int64
    assert tokenizer.decode(ids) == "the author was born near"
    for one, alone in zip(tokenizer.encode_batch(["a", "The author"]), ["a", "The author"]):
        np.testing.assert_array_equal(one, tokenizer.encode(alone))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(tokenizer)).encode("a"), tokenizer.encode("a"))
    with pytest.raises(palimpsest.Error):
        palimpsest.Tokenizer("nowhere")


def test_a_chat_template():
    template = palimpsest.ChatTemplate("{% for m in messages %}{{ m.role }}: {{ m.content }}{{ eos_token }}{% endfor %}",
                                       special_tokens={"eos_token": "</s>"})
    messages = [{"role": "user", "content": "Hello"}]
    assert template.render(messages) == "user: Hello</s>"
    assert pickle.loads(pickle.dumps(template)).render(messages) == "user: Hello</s>"
    with pytest.raises(palimpsest.Error):
        palimpsest.ChatTemplate("{% for %}")


def test_rouge():
    scores = palimpsest.rouge("the quick brown foxes", "a quick fox", use_stemmer=True)
    assert scores["rouge1"].recall == 0.5
    with pytest.raises(palimpsest.Error):
        palimpsest.rouge("a", "b", ["other"])


def completion(echo=True):
    tokens = ["Question", ":", " who", "?", " Nobody"]
    logprobs = [None, -1.0, -2.0, -0.5, -0.25]
    offsets = [0, 8, 9, 13, 14]
    if not echo:
        tokens, logprobs, offsets = tokens[-1:], logprobs[-1:], [0]
    return {"object": "text_completion", "model": "served",
            "choices": [{"index": 0, "text": "".join(tokens), "finish_reason": "length",
                         "logprobs": {"tokens": tokens, "token_logprobs": logprobs, "text_offset": offsets,
                                      "top_logprobs": None}}]}


def test_completions_with_echo():
    traces = openai.traces([{"request": {"prompt": "Question: who? Nobody", "echo": True, "max_tokens": 0},
                             "response": completion()}], prompts=["Question: who?"])
    assert len(traces) == 1 and traces.model == "served"
    assert traces[0]["logprob"] == pytest.approx([-0.25])


def test_a_client_is_asked_for_echo():
    asked = []

    def create(**request):
        asked.append(request)
        return completion()

    client = types.SimpleNamespace(completions=types.SimpleNamespace(create=create))
    traces = openai.score(client, ["Question: who? Nobody"], model="served", max_tokens=0)
    assert asked[0]["echo"] is True and asked[0]["prompt"] == "Question: who? Nobody"
    assert len(traces[0]["logprob"]) == 4


def test_generated_text_alone_is_refused():
    with pytest.raises(palimpsest.Error):
        openai.traces([{"request": {"prompt": "Question: who?"}, "response": completion(echo=False)}])


def test_outputs_of_vllm():
    def entry(token, logprob):
        return {token: types.SimpleNamespace(logprob=logprob, rank=1, decoded_token=f" t{token}")}

    output = types.SimpleNamespace(prompt="t5 t6 t7", prompt_token_ids=[5, 6, 7],
                                   prompt_logprobs=[None, entry(6, -0.5), entry(7, -1.5)])
    traces = vllm.traces([output], model="served")
    assert traces[0]["logprob"] == pytest.approx([-0.5, -1.5])
