"""What transformers says about a checkpoint: scores, greedy continuations, gradient norms.

Every call runs on a fresh copy of the model, one sequence at a time: the rotary embeddings of some families
remember the longest sequence that they have seen, and nothing here may depend on the order of calls.
"""

import contextlib
import copy
import itertools

import numpy as np
import torch
import transformers

NEW_TOKENS = 64
MIN_GAP = 1e-3  # between the two best logits wherever an argmax is recorded
MAX_ERROR = 5e-6  # of a float32 log-probability against float64; engines are held to 2e-5
PENALTY = 1.3
IGNORED = -100


def rounded(values):
    """Nine digits: well below every tolerance, and half the bytes."""
    return [float(f"{value:.9g}") for value in np.asarray(values, dtype=np.float64).ravel()]


REAL_FLOAT32 = torch.float32
REAL_FLOAT = torch.Tensor.float


def set_float32(dtype, methods):
    torch.float32 = dtype
    if methods:
        torch.Tensor.float = REAL_FLOAT if dtype is REAL_FLOAT32 else torch.Tensor.double


@contextlib.contextmanager
def float64_copy(model, methods=False):
    """A float64 copy that computes its norms and softmaxes in float64 too: transformers' code asks for
    torch.float32 by name there. Rotary angles stay in float32, as they are part of the definition. With `methods`,
    calls of Tensor.float() give float64 as well: some releases round their logits and Gemma's norms so. The goldens
    of model.py were made without."""
    exact = copy.deepcopy(model).double()
    for module in exact.modules():
        if "Rotary" in type(module).__name__:
            module.register_forward_pre_hook(lambda *_: set_float32(REAL_FLOAT32, methods))
            module.register_forward_hook(lambda *_: set_float32(torch.float64, methods))
    set_float32(torch.float64, methods)
    try:
        yield exact
    finally:
        set_float32(REAL_FLOAT32, methods)


def logits_of(model, ids, mask=None):
    """(T, V) float64 from the model's own precision."""
    mask = None if mask is None else torch.tensor([mask])
    with torch.no_grad():
        out = copy.deepcopy(model)(input_ids=torch.tensor([ids]), attention_mask=mask, use_cache=False)
    return out.logits[0].double()


def exact_logits_of(model, ids, mask=None):
    with float64_copy(model) as exact:
        return logits_of(exact, ids, mask)


def gaps_of(logits):
    """How far the best token leads the second best, in every row."""
    best = torch.topk(logits, 2, dim=-1).values
    return best[..., 0] - best[..., 1]


def labelled(labels):
    return [t for t in range(1, len(labels)) if labels[t] != IGNORED]


def score(logits, labels):
    """The four columns of a trace over the labelled positions t >= 1, from the logits at t - 1."""
    positions = labelled(labels)
    log_p = torch.log_softmax(logits[[t - 1 for t in positions]], dim=-1)
    p = log_p.exp()
    mean = (p * log_p).sum(-1)
    var = (p * (log_p - mean[:, None])**2).sum(-1)
    logprob = log_p[range(len(positions)), [labels[t] for t in positions]]
    return {"positions": positions, "logprob": rounded(logprob), "mean": rounded(mean), "var": rounded(var),
            "argmax": log_p.argmax(-1).tolist()}


def draw_ids(model, rng, start, length, banned):
    """`start` continued to `length` ids: half of them the model's own choice, so that labels are neither
    all surprising nor all foreseen."""
    vocabulary = [v for v in range(4, model.config.vocab_size) if v not in banned]
    ids = list(start) or [1]
    while len(ids) < length:
        own = rng.random() < 0.5
        choice = int(logits_of(model, ids)[-1].argmax()) if own else int(rng.choice(vocabulary))
        ids.append(choice if choice not in banned else int(rng.choice(vocabulary)))
    return ids


def measure(model, ids, labels, mask=None):
    """(scores, error of float32, whether every argmax is clear and the error small)."""
    logits = logits_of(model, ids, mask)
    found = score(logits, labels)
    exact = score(exact_logits_of(model, ids, mask), labels)
    error = max((abs(a - b) for a, b in zip(found["logprob"], exact["logprob"])), default=0.0)
    clear = all(gaps_of(logits)[t - 1] > MIN_GAP for t in labelled(labels))
    return found, error, clear and error < MAX_ERROR


def until_good(model, draw, pad=None):
    """Lines of golden.json and their errors from draw() -> [(name, ids, labels)], all of them good. With pad:
    its tokens are masked."""
    for _ in range(300):
        lines = []
        for name, ids, labels in draw():
            mask = None if pad is None else [int(v != pad) for v in ids]
            found, error, good = measure(model, ids, labels, mask)
            if not good:
                break
            lines.append(({"name": name, "ids": ids, "labels": labels, **found}, error))
        else:
            return lines
    raise RuntimeError(f"{name}: no sequence with clear argmaxes and small errors (the last error: {error})")


def sequences(model, rng, pad):
    def answer(name, prompt, length):
        ids = draw_ids(model, rng, prompt, length, {pad})
        return name, ids, [IGNORED] * len(prompt) + ids[len(prompt):]

    def two_answers():
        prompt = draw_ids(model, rng, [], 24, {pad})
        return [answer("shared prompt, first answer", prompt, 30),
                answer("shared prompt, second answer", prompt, 36)]

    def everything():
        ids = draw_ids(model, rng, [], 45, {pad})
        return [("all labelled, position 0 too", ids, list(ids))]

    def gaps():
        ids = draw_ids(model, rng, [], 33, {pad})
        ids[9] = ids[20] = ids[21] = pad
        labels = [v if t % 5 not in (0, 3) else IGNORED for t, v in enumerate(ids)]
        return [("gaps in the labels, pad tokens that are not masked", ids, labels)]

    draws = [
        lambda: [("one token, labelled", [7], [7])],
        lambda: [answer("two tokens", [int(rng.integers(4, 90))], 2)],
        two_answers, everything, gaps,
        lambda: [answer("long", draw_ids(model, rng, [], 10, {pad}), 80)],
    ]
    return [line for draw in draws for line in until_good(model, draw)]


def masked_sequences(model, rng, pad):
    def inside():
        ids = draw_ids(model, rng, [], 28, {pad})
        ids[5] = ids[6] = ids[14] = pad
        return [("pad inside prompt and answer", ids, [IGNORED] * 12 + ids[12:])]

    def at_the_end():
        ids = draw_ids(model, rng, [], 19, {pad})
        ids[1] = ids[17] = ids[18] = pad
        return [("pad second and at the end", ids, list(ids))]

    return until_good(model, inside, pad) + until_good(model, at_the_end, pad)


def generate(model, prompt, mask=None, eos=None, penalty=None, cache=True):
    """(new ids, the smallest lead of the best token over the second best)."""
    model = copy.deepcopy(model)
    model.generation_config = transformers.GenerationConfig(
        max_new_tokens=NEW_TOKENS, do_sample=False, use_cache=cache, eos_token_id=eos, pad_token_id=0,
        repetition_penalty=penalty or 1.0, return_dict_in_generate=True, output_scores=True)
    out = model.generate(torch.tensor([prompt]), attention_mask=torch.tensor([mask or [1] * len(prompt)]))
    new = out.sequences[0, len(prompt):].tolist()
    return new, float(min(gaps_of(scores[0].double()) for scores in out.scores))


def draw_prompt(model, rng, length, pad):
    if length == 1:
        return [int(rng.integers(4, 90))]
    prompt = draw_ids(model, rng, [], length, set() if pad is None else {pad})
    for t in (3, 4, length // 2) if pad is not None else ():
        prompt[t] = pad
    return prompt


def clear_prompt(model, rng, length, variants, pad=None):
    """A prompt and its outputs under all variants (keyword arguments of generate), with clear argmaxes; the
    plain output shall vary if possible (random models like to repeat themselves)."""
    best = (0, None, None)
    for trial in range(40):
        prompt = draw_prompt(model, rng, length, pad)
        mask = None if pad is None else [int(v != pad) for v in prompt]
        outputs = []
        for variant in variants:
            new, gap = generate(model, prompt, mask=mask, **variant)
            if gap < MIN_GAP or (not outputs and len(set(new)) <= best[0]):
                break
            outputs.append(new)
        else:
            best = (len(set(outputs[0])), prompt, outputs)
        if best[0] >= 10 or (best[0] and trial >= 6):
            return best[1:]
    raise RuntimeError(f"no prompt of {length} tokens with clear argmaxes")


def choose_eos(outputs):
    """Two tokens that stop the outputs at places as different as possible, but not all of them at once."""
    def stops(pair):
        return [next((i for i, v in enumerate(new) if v in pair), NEW_TOKENS) for new in outputs]

    def merit(pair):
        found = stops(pair)
        early = sum(stop < NEW_TOKENS for stop in found)
        return (0 < early < len(outputs), len(set(found)), sum(3 < stop < NEW_TOKENS for stop in found), pair)

    tokens = sorted({v for new in outputs for v in new})
    return sorted(max(itertools.combinations(tokens, 2), key=merit))


def greedy(model, rng, case, pad):
    """The lists of golden.json that hold greedy continuations, and the eos list used."""
    usual = {"cache": case.use_cache}
    variants = [usual, {"penalty": PENALTY, **usual}] + [{"cache": False}] * case.cache_matters
    found = [clear_prompt(model, rng, length, variants) for length in case.prompt_lengths]
    for prompt, outputs in found:
        without = outputs[0] if case.cache_matters else generate(model, prompt, cache=False)[0]
        assert without == outputs[0], f"{case.name}: the cache changes the output of {prompt}"
    eos = choose_eos([outputs[0] for _, outputs in found])
    lists = {
        "greedy": [{"prompt": p, "new": o[0]} for p, o in found],
        "greedy_eos": [{"prompt": p, "eos": eos, "new": generate(model, p, eos=eos, **usual)[0]} for p, _ in found],
        "greedy_penalty": [{"prompt": p, "penalty": PENALTY, "new": o[1]} for p, o in found],
    }
    if case.cache_matters:
        lists["greedy_without_cache"] = [{"prompt": p, "new": o[2]} for p, o in found]
    if case.masked:
        prompt, outputs = clear_prompt(model, rng, 16, [usual], pad=pad)
        lists["greedy_masked"] = [{"prompt": prompt, "new": outputs[0]}]
    return lists, eos


def gradients(model, ids, labels):
    """{tensor: gradient} of minus the mean log-probability of the labels but the last."""
    positions = labelled(labels)[:-1]
    logits = model(input_ids=torch.tensor([ids]), use_cache=False).logits[0]
    log_p = torch.log_softmax(logits[[t - 1 for t in positions]], dim=-1)
    loss = -log_p[range(len(positions)), [labels[t] for t in positions]].mean()
    loss.backward()
    return {name: parameter.grad for name, parameter in model.named_parameters() if parameter.grad is not None}


def norms(gradient):
    size = gradient.double().abs()
    return {"1": float(size.sum()), "2": float((size * size).sum().sqrt()), "inf": float(size.max())}


def gradient_norms(model, item, index):
    """A line of `gradients`, and the largest relative difference of a float32 run from it."""
    with float64_copy(model) as double:
        exact = gradients(double, item["ids"], item["labels"])
    exact = {name: norms(gradient) for name, gradient in exact.items()}
    plain = gradients(copy.deepcopy(model), item["ids"], item["labels"])
    error = max(abs(norms(plain[name])[p] - value) / value
                for name, values in exact.items() for p, value in values.items())
    tensors = {name: dict(zip(values, rounded(list(values.values())))) for name, values in exact.items()}
    means = {p: rounded([np.mean([values[p] for values in exact.values()])])[0] for p in ("1", "2", "inf")}
    return {"sequence": index, "score": means, "tensors": tensors}, error
