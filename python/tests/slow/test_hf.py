"""palimpsest.hf.Model gives the numbers of transformers' own logits, and so those of our engine."""

import json
import subprocess
import sys

import golden_evaluation
import numpy as np
import pytest
import torch
import transformers

import palimpsest
from palimpsest import checkpoints, engine, hf
from palimpsest.model import GenerateOptions, Prompt, ScoreOptions, Sequence

RELEASE = tuple(int(part) for part in transformers.__version__.split(".")[:2])
#: Checkpoints on which the installed transformers computes something else than the golden data, with the reason.
DIFFERENT = {
    **({"gemma": "newer releases read hidden_act instead of hidden_activation"} if RELEASE > (4, 45) else
       {"phi3_window": "4.45 ignores the window with eager attention", "qwen3": "not in 4.45", "olmo2": "not in 4.45"}),
    "gpt2_lora": "an adapter: see test_an_adapter_that_is_not_merged",
    "llama_lora": "an adapter: see test_an_adapter_that_is_not_merged",
}
#: Cases whose greedy texts depend on transformers' cache (tests/golden/model/README.md).
CACHE = {"gemma2", "phi3_longrope", "phi3_window", "llama_rope_dynamic", "qwen2", "mistral"}


def score_options(masked=None, norms=()):
    return ScoreOptions(masked, list(norms), lambda: False)


def generate_options(**options):
    plain = {"max_new_tokens": 16, "eos_ids": [], "repetition_penalty": 1.0, "masked_token": None, "sample": False,
             "temperature": 1.0, "top_k": 0, "top_p": 1.0, "seed": 0, "max_batch": 8, "stop_requested": lambda: False}
    return GenerateOptions(**{**plain, **options})


def load(folder, **arguments):
    known = checkpoints.known_arguments({"dtype": torch.float32, **arguments})
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, **known)
    return hf.Model(model, tokenizer=None)


def cases(source):
    return sorted(path.parent for path in (source / "tests/golden/model").glob("*/golden.json"))


def test_every_family_gives_the_engine_s_numbers(source):
    checked = 0
    for folder in cases(source):
        if folder.name in DIFFERENT:
            continue
        golden = json.loads((folder / "golden.json").read_text())
        model = load(folder, attn_implementation="eager")
        sequences = [Sequence(np.array(s["ids"]), np.array(s["labels"])) for s in golden["sequences"]]
        ours = model.score(sequences, score_options())
        with engine.Model(folder) as reference:
            theirs = reference.score([s.ids for s in sequences], [s.labels for s in sequences])
        for i, (a, b) in enumerate(zip(ours, theirs)):
            for name in ("logprob", "mean", "var"):
                np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=1e-4, atol=1e-4,
                                           err_msg=f"{folder.name}, sequence {i}, {name}")
            np.testing.assert_array_equal(a.argmax, b.argmax, err_msg=f"{folder.name}, sequence {i}")
            checked += len(a.logprob)
        assert model.tiled is True, folder.name
    assert checked > 1000


def test_masked_tokens_are_hidden_and_count_as_positions(source):
    folder = source / "tests/golden/model/llama_gqa_tied"
    golden = json.loads((folder / "golden.json").read_text())
    pad = golden["manifest"]["pad_token_id"]
    sequences = [Sequence(np.array(s["ids"]), np.array(s["labels"])) for s in golden["masked_sequences"]]
    found = load(folder, attn_implementation="eager").score(sequences, score_options(pad))
    for scores, expected in zip(found, golden["masked_sequences"]):
        np.testing.assert_allclose(scores.logprob, expected["logprob"], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", ["llama", "gpt2", "olmo2", "phi"])
def test_gradient_norms(source, name):
    if name in DIFFERENT:
        pytest.skip(DIFFERENT[name])
    folder = source / f"tests/golden/model/{name}"
    golden = json.loads((folder / "golden.json").read_text())
    sequences = [Sequence(np.array(s["ids"]), np.array(s["labels"])) for s in golden["sequences"]]
    found = load(folder, attn_implementation="eager").score(sequences, score_options(norms=["1", "2", "inf"]))
    with engine.Model(folder) as reference:
        theirs = reference.score([s.ids for s in sequences], [s.labels for s in sequences],
                                 gradient_norms=["1", "2", "inf"])
    for a, b in zip(found, theirs):
        if len(b.gradient_norms):
            np.testing.assert_allclose(a.gradient_norms, b.gradient_norms, rtol=2e-4)


def test_greedy_texts_are_the_engine_s(source):
    checked = 0
    for folder in cases(source):
        if folder.name in DIFFERENT or folder.name in CACHE:
            continue
        golden = json.loads((folder / "golden.json").read_text())
        prompts = [np.array(one["prompt"]) for one in golden["greedy"]]
        model = load(folder, attn_implementation="eager")
        length = 16
        found = model.generate([Prompt(ids, np.array([], dtype=int)) for ids in prompts],
                               generate_options(max_new_tokens=length))
        for one, expected in zip(found, golden["greedy"]):
            assert list(one.ids) == expected["new"][:length], folder.name
            checked += 1
        known = golden["greedy"][0]["new"][:4]
        begun, = model.generate([Prompt(prompts[0], np.array(known))], generate_options(max_new_tokens=length))
        assert list(begun.ids) == golden["greedy"][0]["new"][:length]
    assert checked > 10


def test_ends_and_stops(source):
    folder = source / "tests/golden/model/llama"
    golden = json.loads((folder / "golden.json").read_text())["greedy"][0]
    model = load(folder)
    prompt = [Prompt(np.array(golden["prompt"]), np.array([], dtype=int))]
    third = golden["new"][2]
    first_end = golden["new"].index(third) + 1
    ended, = model.generate(prompt, generate_options(eos_ids=[third]))
    assert list(ended.ids) == golden["new"][:first_end] and ended.stopped
    stopped, = model.generate(prompt, generate_options(should_stop=lambda ids: len(ids) == 5))
    assert list(stopped.ids) == golden["new"][:5] and stopped.stopped


def test_an_audit_by_torch_is_the_engine_s(examples):
    files = {"forget": examples / "data/forget.jsonl", "holdout": examples / "data/holdout.jsonl"}
    model = hf.Model.from_pretrained(str(examples / "tiny-model"), dtype=torch.float32)
    ours = palimpsest.audit(model, **files)
    theirs = palimpsest.audit(examples / "tiny-model", **files)
    assert set(ours.aucs) == set(theirs.aucs) and "gradnorm" in ours.aucs
    for attack in theirs.aucs:
        for a, b in zip(ours.scores(attack), theirs.scores(attack)):
            np.testing.assert_allclose(a, b, rtol=2e-4, atol=1e-4, err_msg=attack)
    direct = palimpsest.audit(model.model, **files, tokenizer=model.tokenizer, attacks="loss")
    np.testing.assert_allclose(direct.scores("loss")[0], ours.scores("loss")[0], atol=1e-6)


def test_the_program_runs_models_by_torch(examples, tmp_path):
    aucs = []
    for device in ("cpu", "torch"):
        done = subprocess.run([sys.executable, "-m", "palimpsest", "mia", "--model", examples / "tiny-model", "--forget",
                               examples / "data/forget.jsonl", "--holdout", examples / "data/holdout.jsonl", "--device",
                               device, "--out", tmp_path / device], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        found = json.loads((tmp_path / device / "mia.json").read_text())
        aucs.append({attack: found[attack]["auc"] for attack in ("loss", "min_k", "gradnorm")})
    assert aucs[0] == pytest.approx(aucs[1], abs=5e-3)
    if not torch.cuda.is_available():
        done = subprocess.run([sys.executable, "-m", "palimpsest", "mia", "--model", examples / "tiny-model", "--forget",
                               "a", "--holdout", "b", "--device", "cuda", "--out", tmp_path / "cuda"],
                              capture_output=True, text=True)
        assert done.returncode == 2 and "Traceback" not in done.stderr


def test_a_closed_model_is_refused(source):
    model = load(source / "tests/golden/model/llama")
    model.close()
    with pytest.raises(palimpsest.Error, match="the model was closed"):
        model.score([Sequence(np.arange(3), np.arange(3))], score_options())
    with pytest.raises(palimpsest.Error, match="the model was closed"):
        model.fingerprint()


@pytest.mark.parametrize("name", golden_evaluation.RUNS)
def test_published_evaluations(source, tmp_path, name):
    """TOFU and MUSE by torch are open-unlearning's, value by value."""
    golden = golden_evaluation.read(source, name)
    model = hf.Model.from_pretrained(str(source / "tests/golden/eval/target"), dtype=torch.float32,
                                     attn_implementation="eager")
    done = golden_evaluation.run(source, name, tmp_path / "run", model=model)
    golden_evaluation.require_same(done.to_dict(), golden["log"])


def tiny(config):
    torch.manual_seed(0)
    return transformers.AutoModelForCausalLM.from_config(config).eval()


def check_against_logits(model, vocabulary):
    """Scores by hand from the model's own logits."""
    random = np.random.default_rng(0)
    sequences = [Sequence(ids, ids) for ids in (random.integers(5, vocabulary, n) for n in (9, 17, 12))]
    found = model.score(sequences, score_options())
    for sequence, scores in zip(sequences, found):
        with torch.no_grad():
            logits = model.model(input_ids=torch.tensor(sequence.ids[None])).logits[0].double()
        logprobs = torch.log_softmax(logits, -1)[:-1]
        probs = logprobs.exp()
        mean = (probs * logprobs).sum(-1)
        expected = logprobs.gather(-1, torch.tensor(sequence.ids[1:, None]))[:, 0]
        np.testing.assert_allclose(scores.logprob, expected, atol=1e-4)
        np.testing.assert_allclose(scores.mean, mean, atol=1e-4)
        np.testing.assert_allclose(scores.var, (probs * logprobs**2).sum(-1) - mean**2, rtol=1e-3, atol=1e-4)
    new, = model.generate([Prompt(sequences[0].ids, np.array([], dtype=int))], generate_options(max_new_tokens=4))
    assert len(new.ids) == 4


SMALL = {"vocab_size": 97, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4,
         "num_key_value_heads": 2, "max_position_embeddings": 64}


def test_a_mixture_of_experts():
    config = transformers.MixtralConfig(**SMALL, num_local_experts=4, num_experts_per_tok=2)
    model = hf.Model(tiny(config), tokenizer=None)
    check_against_logits(model, 97)
    assert model.tiled


@pytest.mark.skipif(not hasattr(transformers, "Gemma3TextConfig"), reason="this release of transformers has no Gemma 3")
def test_a_family_that_the_engine_does_not_know():
    config = transformers.Gemma3TextConfig(**SMALL, head_dim=8, sliding_window=16)
    check_against_logits(hf.Model(tiny(config), tokenizer=None), 97)


def test_a_model_that_changes_its_logits_is_run_as_a_whole(caplog):
    class Shifted(transformers.LlamaForCausalLM):
        def forward(self, *arguments, **keywords):
            output = super().forward(*arguments, **keywords)
            output.logits = output.logits * 3.0
            return output

    torch.manual_seed(0)
    model = hf.Model(Shifted(transformers.LlamaConfig(**SMALL)).eval(), tokenizer=None)
    check_against_logits(model, 97)
    assert model.tiled is False
    assert any("needs more memory" in message for message in caplog.messages)


def test_an_adapter_that_is_not_merged(source):
    import peft

    base = tiny(transformers.LlamaConfig(**SMALL))
    model = peft.get_peft_model(base, peft.LoraConfig(r=4, target_modules=["q_proj", "v_proj"], init_lora_weights=False))
    check_against_logits(hf.Model(model.eval(), tokenizer=None), 97)


@pytest.mark.skipif(torch.__version__.startswith("1."), reason="bitsandbytes runs on the CPU with torch 2 only")
@pytest.mark.parametrize("bits", ["load_in_8bit", "load_in_4bit"])
def test_quantised_weights(tmp_path, bits):
    config = transformers.LlamaConfig(**{**SMALL, "hidden_size": 64, "intermediate_size": 128})
    tiny(config).save_pretrained(tmp_path)
    quantised = transformers.AutoModelForCausalLM.from_pretrained(
        tmp_path, quantization_config=transformers.BitsAndBytesConfig(**{bits: True}), device_map="cpu")
    check_against_logits(hf.Model(quantised, tokenizer=None), 97)


def test_a_stop_is_seen_between_batches(source):
    model = hf.Model(tiny(transformers.LlamaConfig(**SMALL)), tokenizer=None, batch_tokens=8)
    asked = []

    def stop():
        asked.append(1)
        return len(asked) > 1

    ids = np.arange(5, 13)
    with pytest.raises(Exception):
        model.score([Sequence(ids, ids)] * 5, ScoreOptions(None, [], stop))
    assert len(asked) == 2


def test_no_block_of_tokens_by_vocabulary(tmp_path):
    """8 × 512 tokens with a vocabulary of 152,000 take at most 600 MB beyond the model."""
    import resource

    config = transformers.LlamaConfig(**{**SMALL, "vocab_size": 152_000, "max_position_embeddings": 512})
    model = hf.Model(tiny(config), tokenizer=None)
    random = np.random.default_rng(0)
    sequences = [Sequence(ids, ids) for ids in random.integers(5, 152_000, (8, 512))]
    model.score([Sequence(sequences[0].ids[:8], sequences[0].ids[:8])], score_options())
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    model.score(sequences, score_options())
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 600_000


@pytest.mark.skipif(torch.__version__.startswith("1."), reason="with torch 1.13, transformers 4.45 crashes on such a device_map")
def test_parts_of_a_model_on_disk(tmp_path):
    """device_map over the CPU and the disk: weights are loaded when they are used."""
    tiny(transformers.LlamaConfig(**SMALL)).save_pretrained(tmp_path / "model")
    places = {"model.embed_tokens": "cpu", "model.layers.0": "cpu", "model.layers.1": "disk", "model.norm": "cpu",
              "model.rotary_emb": "cpu", "lm_head": "disk"}
    model = transformers.AutoModelForCausalLM.from_pretrained(tmp_path / "model", device_map=places,
                                                              offload_folder=str(tmp_path / "offload"))
    assert any(parameter.device.type == "meta" for parameter in model.parameters())
    offloaded = hf.Model(model, tokenizer=None)
    check_against_logits(offloaded, 97)
    whole = hf.Model(transformers.AutoModelForCausalLM.from_pretrained(tmp_path / "model"), tokenizer=None)
    assert offloaded.fingerprint() == whole.fingerprint()
    with torch.no_grad():
        next(whole.model.parameters())[0, 0] += 1
    assert offloaded.fingerprint() != whole.fingerprint()
