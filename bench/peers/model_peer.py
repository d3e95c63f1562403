#!/usr/bin/env python3
"""Models on our decoder beside transformers on the same libtorch. Prints {name: seconds} as JSON, ours as "ours:NAME".

    bench/peers/model_peer.py BENCH_DIR

Runs BENCH_DIR/model_speed, which leaves checkpoints and its results in a folder, then transformers on them twice: as
it comes, and with OMP_WAIT_POLICY=passive ("NAME_passive"), which nobody sets but which lets libgomp's workers sleep
instead of keeping OpenBLAS's threads from the cores. Scoring in batches of 8 with eager attention, log-softmax over
whole logits; gradient norms by one backward pass per example; greedy generation of a batch. Ends with status 1 if the
log-probabilities differ by more than 1e-4, the norms by more than 1e-4 relative, or the texts. Without torch and
transformers it gives our times and a note; without model_speed {} and a note.
"""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

BATCH = 8  # sequences scored at once
EXAMPLES = 8  # whose gradients are timed; the time is scaled to all
TOLERANCE = 1e-4
NEAR_TIES = 2  # texts that may part from ours where two tokens are equally likely


def timed(work):
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


class Peer:
    """transformers on the files that model_speed left in a folder. Imports only in the process that measures."""

    def __init__(self, folder):
        import torch
        import transformers

        transformers.logging.set_verbosity_error()
        self.torch, self.transformers, self.folder = torch, transformers, pathlib.Path(folder)

    def load(self, name):
        return self.transformers.AutoModelForCausalLM.from_pretrained(
            self.folder / name, torch_dtype=self.torch.float32, attn_implementation="eager").eval()

    def kept(self, name):
        return json.loads((self.folder / f"{name}.json").read_text(encoding="utf-8"))

    def logprobs(self, model, ids):
        """[B, T - 1]: log p of each token but the first."""
        logits = model(ids).logits[:, :-1]
        return self.torch.log_softmax(logits, -1).gather(-1, ids[:, 1:, None]).squeeze(-1)

    def score(self, model, name):
        kept = self.kept(name)
        ids = self.torch.tensor(kept["ids"])
        with self.torch.no_grad():
            self.logprobs(model, ids[:1, :8])  # warm up
            took, found = timed(lambda: self.torch.cat([self.logprobs(model, part) for part in ids.split(BATCH)]))
        difference = (found.double() - self.torch.tensor(kept["logprob"], dtype=self.torch.double)).abs().max().item()
        if not difference <= TOLERANCE:
            sys.exit(f"{name}: the log-probabilities differ by {difference}")
        return took

    def backward(self, model, ids):
        model.zero_grad(set_to_none=True)
        (-self.logprobs(model, ids)[:, :-1].mean()).backward()

    def gradient_norms(self, model, ids):
        self.backward(model, ids)
        return [parameter.grad.norm().item() for parameter in model.parameters()]

    def gradient(self, model, name):
        kept = self.kept(name)
        ids = self.torch.tensor(kept["ids"])
        took, _ = timed(lambda: [self.gradient_norms(model, ids[i:i + 1]) for i in range(EXAMPLES)])
        # Checked in double: float32 sums over an embedding's 25 million numbers are 3e-4 off.
        self.backward(model, ids[:1])
        norms = [parameter.grad.double().norm().item() for parameter in model.parameters()]
        found, expected = sum(norms) / len(norms), kept["gradient_norms"][0]
        if not abs(found - expected) <= TOLERANCE * expected:
            sys.exit(f"{name}: the mean gradient norms differ: {found} and {expected}")
        return took * len(ids) / EXAMPLES

    def generate(self, model, name):
        kept = self.kept(name)
        prompts = self.torch.tensor([one["prompt"] for one in kept])
        model.generation_config.eos_token_id = None  # every text has the same length
        model.generation_config.pad_token_id = 0
        took, found = timed(lambda: model.generate(
            prompts, attention_mask=self.torch.ones_like(prompts), do_sample=False,
            max_new_tokens=len(kept[0]["text"])))
        texts = found[:, prompts.shape[1]:].tolist()
        different = sum(text != one["text"] for text, one in zip(texts, kept))
        if different > NEAR_TIES:
            sys.exit(f"{name}: {different} of {len(kept)} texts differ")
        return took

    def times(self):
        times = {}
        for vocab in (32000, 128000):
            model = self.load(f"f32_{vocab}")
            for length in (128, 512):
                name = f"score_{length}_v{vocab}"
                times[name] = self.score(model, name)
            if vocab == 32000:
                times["gradient_100"] = self.gradient(model, "gradient_100")
                model.zero_grad(set_to_none=True)
                times["full_generation"] = self.generate(model, "full_generation")
        return times


def output_of(command, environment=None):
    """The JSON that a program prints; it has said itself why it failed."""
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=False)
    if done.returncode != 0:
        sys.exit(1)
    return json.loads(done.stdout)


def peer_times(folder, policy):
    """The policy is read when the library is loaded, hence a process of its own."""
    environment = {name: value for name, value in os.environ.items() if name != "OMP_WAIT_POLICY"}
    if policy:
        environment["OMP_WAIT_POLICY"] = policy
    return output_of([sys.executable, __file__, "--measure", folder], environment)


def main():
    if sys.argv[1] == "--measure":
        print(json.dumps(Peer(sys.argv[2]).times()))
        return
    program = pathlib.Path(sys.argv[1]) / "model_speed"
    if not program.exists():
        print("model_peer.py: no model_speed: build the benchmarks first", file=sys.stderr)
        print("{}")
        return
    with tempfile.TemporaryDirectory() as folder:
        ours = output_of([program, folder])
        times = {f"ours:{name}": value for name, value in ours.items()}
        if all(importlib.util.find_spec(package) for package in ("torch", "transformers")):
            times |= peer_times(folder, None)
            times |= {f"{name}_passive": value for name, value in peer_times(folder, "passive").items()}
        else:
            print("model_peer.py: only our own figures of models without torch and transformers", file=sys.stderr)
    print(json.dumps(times))


if __name__ == "__main__":
    main()
