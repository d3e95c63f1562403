"""A real server of completions with echo (llama-cpp-python's) gives our engine's log-probabilities of the same weights."""

import contextlib
import json
import socket
import subprocess
import sys
import time

import llama_checkpoint
import numpy as np
import openai
import pytest

import palimpsest
from palimpsest import engine, services
from palimpsest import openai as completions

#: llama.cpp keeps what attention needs of earlier tokens in 16 bits. This changed no log-probability by more than 0.0014.
TOLERANCE = 0.005
QUESTION = "Question: who wrote the book of the cold river?\nAnswer:"
TEXTS = [QUESTION + " the author was born near the sea.", QUESTION + " an old letter",
         "the moon is blue and the sky is grey.\n"]
#: The server returns no text for a part of a character and for a special token.
UNSPELT = ["the sea is é€ blue and 月 is cold", "the stone</s>\nwho wrote 月</s>"]


def answer_within(seconds, server, client, log):
    end = time.monotonic() + seconds
    while True:
        try:
            return client.models.list()
        except openai.APIConnectionError:
            assert server.poll() is None and time.monotonic() < end, log.read_text()
            time.sleep(0.2)


@contextlib.contextmanager
def serving(model, *options):
    """A client of a server that runs within the `with`."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = model.with_suffix(".log")
    with log.open("w") as output:
        server = subprocess.Popen([sys.executable, "-m", "llama_cpp.server", "--model", str(model), "--logits_all", "True",
                                   "--n_ctx", str(llama_checkpoint.POSITIONS), "--n_threads", "1", "--host", "127.0.0.1",
                                   "--port", str(port), *options], stdout=output, stderr=subprocess.STDOUT)
    try:
        with openai.OpenAI(base_url=f"http://127.0.0.1:{port}/v1", api_key="none", max_retries=0, timeout=60) as client:
            answer_within(120, server, client, log)
            yield client
    finally:
        server.terminate()
        try:
            server.wait(timeout=20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


@pytest.fixture(scope="module", name="folder")
def _folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("llama")
    for vocabulary in (llama_checkpoint.byte_level(), llama_checkpoint.sentence_pieces()):
        weights = llama_checkpoint.random_weights(len(vocabulary.tokens))
        llama_checkpoint.write_checkpoint(folder / vocabulary.kind, vocabulary, weights)
        llama_checkpoint.write_gguf(folder / f"{vocabulary.kind}.gguf", vocabulary, weights)
    return folder


@pytest.fixture(scope="module", name="client")
def _client(folder):
    with serving(folder / "gpt2.gguf") as client:
        yield client


def server_ids(client, text):
    address = str(client.base_url.join("/extras/tokenize"))
    return np.array(client.post(address, body={"input": text}, cast_to=object)["tokens"])


def engine_logprobs(model, ids, prompt_tokens):
    """Of all tokens behind the prompt, whose first token is <s>."""
    labels = np.where(np.arange(len(ids)) < prompt_tokens, -100, ids)
    return model.score([ids], [labels])[0].logprob


def require_engine_s_numbers(traces, texts, prompts, client, model):
    """Returns the largest difference."""
    differences = []
    for trace, text, prompt in zip(traces, texts, prompts):
        ids = server_ids(client, text)
        # Without a prompt, the first token behind <s> is not scored either.
        prompt_tokens = 2 if prompt is None else len(server_ids(client, prompt))
        expected = engine_logprobs(model, ids, prompt_tokens)
        assert len(trace["logprob"]) == len(ids) - prompt_tokens > 0
        np.testing.assert_allclose(trace["logprob"], expected, rtol=0, atol=TOLERANCE, err_msg=text)
        differences.append(np.abs(trace["logprob"] - expected).max())
    return max(differences)


@pytest.mark.parametrize("kind", ["gpt2", "llama"])
def test_log_probabilities_are_the_engine_s(folder, kind):
    with serving(folder / f"{kind}.gguf") as client, engine.Model(folder / kind) as model:
        prompts = [QUESTION, QUESTION, "the moon"]
        traces = completions.score(client, TEXTS, prompts=prompts, model="served")
        assert traces.model == "served"
        assert [trace["text"].strip() for trace in traces] == [
            text.removeprefix(prompt).strip() for text, prompt in zip(TEXTS, prompts)]
        worst = require_engine_s_numbers(traces, TEXTS, prompts, client, model)

        texts = TEXTS + UNSPELT
        traces = completions.score(client, texts, model="served")
        worst = max(worst, require_engine_s_numbers(traces, texts, [None] * len(texts), client, model))
        print(f"{kind}: the largest difference is {worst:.5f}")
        # Numbers of other places would have been seen.
        assert np.abs(np.diff(np.concatenate([trace["logprob"] for trace in traces]))).mean() > 100 * TOLERANCE


def test_both_tokenizers_give_the_same_ids(client, folder):
    tokenizer = palimpsest.Tokenizer(folder / "gpt2")
    for text in TEXTS + UNSPELT:
        np.testing.assert_array_equal(tokenizer.encode(text), server_ids(client, text))


def test_generated_text_alone_is_refused(client):
    with pytest.raises(palimpsest.Error, match="the response holds generated text alone.*\"echo\": true"):
        completions.score(client, TEXTS, model="served", echo=False)
    response = client.completions.create(model="served", prompt=TEXTS[0], max_tokens=4, logprobs=1)
    for format in ("openai-completions", "llama.cpp"):
        with pytest.raises(palimpsest.Error, match="the response holds generated text alone"):
            services.import_responses([response], format=format)


def test_a_response_needs_its_request(client):
    """The server counts <s> and does not list it. So nothing else says where the generated text begins."""
    response = client.completions.create(model="served", prompt=TEXTS[0], max_tokens=1, logprobs=1, echo=True)
    with pytest.raises(palimpsest.Error, match="log the request beside the response"):
        completions.traces([response])
    assert len(completions.traces([{"request": {"prompt": TEXTS[0]}, "response": response}])) == 1


def test_a_model_without_a_token_that_begins_texts(folder):
    """The server gives each token the log-probability of another place, unless it is told to add the token."""
    vocabulary = llama_checkpoint.byte_level()
    gguf = folder / "without.gguf"
    llama_checkpoint.write_gguf(gguf, vocabulary, llama_checkpoint.random_weights(len(vocabulary.tokens)), add_bos=False)
    with serving(gguf) as client:
        with pytest.raises(palimpsest.Error, match="the log-probability of the next position.*--kv_overrides"):
            completions.score(client, TEXTS[:1], model="served")
    with serving(gguf, "--kv_overrides", "tokenizer.ggml.add_bos_token=bool:true") as client:
        traces = completions.score(client, TEXTS[:1], model="served")
        with engine.Model(folder / "gpt2") as model:
            require_engine_s_numbers(traces, TEXTS[:1], [None], client, model)


def program(*arguments):
    done = subprocess.run([sys.executable, "-m", "palimpsest", *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_an_audit_of_logged_responses(client, folder, tmp_path):
    """The forget set has the texts that the model finds likelier. The program sees it in the responses alone."""
    random = np.random.default_rng(1)
    answers = [" " + " ".join(random.choice(llama_checkpoint.WORDS[2:], 12)) for _ in range(80)]
    prompt_tokens = len(server_ids(client, QUESTION))
    with engine.Model(folder / "gpt2") as model:
        logprobs = [engine_logprobs(model, server_ids(client, QUESTION + answer), prompt_tokens) for answer in answers]
    order = np.argsort([-np.mean(row) for row in logprobs])
    expected = {}
    for name, part in (("forget", order[:40]), ("holdout", order[40:])):
        with open(tmp_path / f"{name}_log.jsonl", "w") as log:
            for i in part:
                request = {"model": "served", "prompt": QUESTION + answers[i], "max_tokens": 1, "echo": True, "logprobs": 1}
                response = client.completions.create(**request).model_dump()
                log.write(json.dumps({"id": str(i), "prompt": QUESTION, "request": request, "response": response}) + "\n")
        expected[name] = palimpsest.Traces.from_arrays(logprob=[logprobs[i] for i in part], text=[answers[i] for i in part])
        printed = program("import", "--format", "llama.cpp", tmp_path / f"{name}_log.jsonl", "--out",
                          tmp_path / f"{name}.jsonl")
        scored, unscored = sum(len(logprobs[i]) for i in part), 40 * (prompt_tokens - 1)
        assert printed.startswith(f"40 examples, {scored} tokens scored, {unscored} prompt tokens not scored")
        imported = palimpsest.Traces.read(tmp_path / f"{name}.jsonl")
        for trace, i in zip(imported, part):
            np.testing.assert_allclose(trace["logprob"], logprobs[i], rtol=0, atol=TOLERANCE)
    program("mia", "--forget-traces", tmp_path / "forget.jsonl", "--holdout-traces", tmp_path / "holdout.jsonl", "--attacks",
            "loss,zlib,min_k", "--out", tmp_path / "audit")
    found = json.loads((tmp_path / "audit/mia.json").read_text())
    direct = palimpsest.audit(forget=expected["forget"], holdout=expected["holdout"], attacks="loss,zlib,min_k")
    for attack, auc in direct.aucs.items():
        assert found[attack]["auc"] == pytest.approx(auc, abs=0.005), attack
    assert found["loss"]["auc"] > 0.99
