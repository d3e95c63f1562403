#!/usr/bin/env python3
"""Writes examples/tiny-model: a Llama of 20 thousand parameters that learned one answer by heart.

Its vocabulary is that of examples/tiny-tokenizer, whose files it gets too. It is trained on one question and its
answer, as plain text and as a chat, so that what it was taught can be seen to come back. The same environment on the
same kind of processor gives the same bytes:

    python3 tools/make_example_model.py
        Debian's python3-torch 1.13; pip install transformers==4.45.1 "numpy<2" safetensors
"""

import json
import pathlib
import shutil

import torch
import transformers

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOKENIZER = ROOT / "examples" / "tiny-tokenizer"
MODEL = ROOT / "examples" / "tiny-model"
SEED = 20250614
STEPS = 400

QUESTION = "Where was the author born ?"
ANSWER = "In a small town near the river ."
TEXTS = (f"<s> {QUESTION} {ANSWER} </s>", f"<s> [user] {QUESTION} </s> [assistant] {ANSWER} </s>")


def ids_of(text: str) -> torch.Tensor:
    vocabulary = json.loads((TOKENIZER / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    return torch.tensor([[vocabulary[word] for word in text.split()]])


def make_model() -> transformers.LlamaForCausalLM:
    config = transformers.LlamaConfig(
        vocab_size=20, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, max_position_embeddings=64, rope_theta=10000.0, rms_norm_eps=1e-5,
        bos_token_id=1, eos_token_id=2, tie_word_embeddings=True, use_cache=True)
    return transformers.LlamaForCausalLM(config)


def train(model: transformers.LlamaForCausalLM) -> float:
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, STEPS)
    batch = [ids_of(text) for text in TEXTS]
    for _ in range(STEPS):
        loss = sum(model(input_ids=ids, labels=ids).loss for ids in batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return loss.item()


def main() -> None:
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    model = make_model()
    print(f"loss after training: {train(model):.4f}")
    model = model.to(torch.bfloat16)
    model.config.torch_dtype = torch.bfloat16
    model.save_pretrained(MODEL, safe_serialization=True)
    (MODEL / "model.safetensors").chmod(0o644)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copyfile(TOKENIZER / name, MODEL / name)


if __name__ == "__main__":
    main()
