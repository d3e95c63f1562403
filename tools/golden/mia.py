#!/usr/bin/env python3
"""Makes tests/golden/mia/: what open-unlearning's own attacks say about tiny checkpoints.

    python3 tools/golden/mia.py CHECKOUT [OUT]

CHECKOUT is a clone of locuslab/open-unlearning. Needs Debian's python3-torch in a venv with --system-site-packages
and transformers==4.45.1 tokenizers datasets accelerate==0.34.2 hydra-core==1.3 hydra-colorlog rouge-score scikit-learn
scipy "numpy<2" "pyarrow<22".

Three families (llama with a chat template, gpt2 and phi with tags), each with a reference model of other weights;
question/answer and completion data that no other test uses; gradnorm with batch size 1, as its loss is of one
example. Weights are stored in float16 and run in float32. The same environment gives the same bytes.
"""

import json
import pathlib
import random
import sys

import golden_file
import open_unlearning

SEED = 20261116
VOCABULARY = 384
WORDS = ("author river stone winter letter garden Naïve Zürich quiet market number seventeen paints wrote against "
         "under morning glass silver 42 1987 bridge paper harbour while never theory copper café lantern").split()
TAGS = {"apply_chat_template": False, "user_start_tag": "Question: ", "user_end_tag": "\n",
        "asst_start_tag": "Answer: ", "asst_end_tag": "\n\n"}
CHAT = {"apply_chat_template": True, "system_prompt": "Answer in short.", "date_string": "10 Apr 2025"}
CHAT_TEMPLATE = ("{{ bos_token }}{% for m in messages %}<|{{ m['role'] }}|>{{ m['content'] }}"
                 "{{ eos_token if m['role'] == 'assistant' else '' }}{% endfor %}"
                 "{% if add_generation_prompt %}<|assistant|>{% endif %}")
SIZES = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "max_position_embeddings": 160}


def sentence(rng, words):
    return (" ".join(rng.choices(WORDS, k=words))).capitalize() + rng.choice(".?!")


def records(rng, kind, count):
    if kind == "qa":
        return [{"question": sentence(rng, rng.randint(3, 8)), "answer": sentence(rng, rng.randint(1, 14))}
                for _ in range(count)]
    return [{"prompt": sentence(rng, rng.randint(1, 6)), "text": sentence(rng, rng.randint(4, 20))}
            for _ in range(count)]


def make_tokenizer(folder, chat):
    import tokenizers
    from transformers import PreTrainedTokenizerFast
    rng = random.Random(SEED)
    bpe = tokenizers.Tokenizer(tokenizers.models.BPE())
    bpe.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = tokenizers.decoders.ByteLevel()
    special = ["<s>", "</s>", "<pad>"]
    bpe.train_from_iterator([sentence(rng, 20) for _ in range(200)], tokenizers.trainers.BpeTrainer(
        vocab_size=VOCABULARY, special_tokens=special, initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False))
    fast = PreTrainedTokenizerFast(tokenizer_object=bpe, bos_token="<s>", eos_token="</s>",
                                   **({"pad_token": "<pad>"} if chat else {}))
    if chat:
        fast.chat_template = CHAT_TEMPLATE
    fast.save_pretrained(folder)


def make_checkpoint(folder, family, seed):
    import torch
    import transformers
    more = {"llama": {"num_key_value_heads": 2, "intermediate_size": 64},
            "gpt2": {"resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0},
            "phi": {"intermediate_size": 64, "resid_pdrop": 0.0, "embd_pdrop": 0.0, "attention_dropout": 0.0}}[family]
    sizes = SIZES if family != "gpt2" else {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 160}
    config = transformers.AutoConfig.for_model(family, vocab_size=VOCABULARY, bos_token_id=0, eos_token_id=1,
                                               **sizes, **more)
    torch.manual_seed(seed)
    model = transformers.AutoModelForCausalLM.from_config(config)
    with torch.no_grad():
        for name, parameter in model.named_parameters():  # untrained models are too sure of nothing: spread them
            parameter += torch.randn_like(parameter) * 0.15
    model.half().save_pretrained(folder)


def scores_of(family, kind, folder, data, attacks):
    import torch
    import transformers
    load = lambda path: transformers.AutoModelForCausalLM.from_pretrained(
        path, torch_dtype=torch.float32, attn_implementation="eager").eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder / family)
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    template = CHAT if family == "llama" else TAGS
    handler = data.QADataset if kind == "qa" else data.CompletionDataset
    more = {"max_length": 64} if kind == "qa" else {"max_length": 24, "insert_space": True}
    sets = {name: handler({"path": "json", "data_files": str(folder / f"{kind}_{name}.json"), "split": "train"},
                          template, tokenizer, **more) for name in ("forget", "holdout")}
    collator = data.DataCollatorForSupervisedDataset(tokenizer, index="index")
    model = load(folder / family)
    reference = load(folder / f"{family}_reference")
    asked = {"loss": (attacks.LOSSAttack, {}), "min_k": (attacks.MinKProbAttack, {"k": 0.4}),
             "min_k_plus_plus": (attacks.MinKPlusPlusAttack, {"k": 0.4}),
             "zlib": (attacks.ZLIBAttack, {"tokenizer": tokenizer}),
             "reference": (attacks.ReferenceAttack, {"reference_model": reference})}
    for p in (1, 2, float("inf")):
        asked[f"gradnorm:p={p}"] = (attacks.GradNormAttack, {"p": p})
    result = {"family": family, "kind": kind}
    for name, (attack, arguments) in asked.items():
        size = 1 if name.startswith("gradnorm") else 5
        output = attacks.mia_auc(attack, model, sets, collator, size, **arguments)
        result[name] = {"auc": output["auc"], **{
            part: {index: value["score"] for index, value in output[part]["value_by_index"].items()}
            for part in ("forget", "holdout")}}
    return result


def main():
    checkout = sys.argv[1]
    root = pathlib.Path(__file__).resolve().parents[2]
    folder = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else root / "tests" / "golden" / "mia"
    folder.mkdir(parents=True, exist_ok=True)
    data, attacks = open_unlearning.import_attacks(checkout)
    rng = random.Random(SEED + 1)
    for kind in ("qa", "completion"):
        for name in ("forget", "holdout"):
            lines = [json.dumps(record, ensure_ascii=False) for record in records(rng, kind, 14)]
            (folder / f"{kind}_{name}.json").write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")
    cases = []
    for number, family in enumerate(("llama", "gpt2", "phi")):
        for role, seed in ((family, SEED + number), (f"{family}_reference", SEED + 100 + number)):
            make_tokenizer(folder / role, chat=family == "llama")
            make_checkpoint(folder / role, family, seed)
        cases += [scores_of(family, kind, folder, data, attacks) for kind in ("qa", "completion")]
    golden_file.write(folder / "expected.json", {
        "script": "tools/golden/mia.py", "seed": SEED,
        "packages": golden_file.versions("torch", "transformers", "tokenizers", "scikit-learn", "numpy"),
        "tags": TAGS, "chat": CHAT}, cases=cases)


if __name__ == "__main__":
    main()
