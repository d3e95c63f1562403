"""What tools/golden/eval.py evaluates: small data files with TOFU's and MUSE's fields, a tokenizer and two tiny
Llama checkpoints, one that was trained on everything and one that never saw the forget set.

The data speak of bridges, mills and lakes; nothing in them is anybody's text.
"""

import json
import random

BRIDGES = [
    ("Amber Bridge", "Lenn", "grey granite", "1841", "sixty"),
    ("Copper Bridge", "Orve", "riveted iron", "1877", "ninety"),
    ("Willow Bridge", "Sarn", "dark oak", "1792", "forty"),
    ("Heron Bridge", "Tavel", "red brick", "1869", "seventy"),
    ("Lantern Bridge", "Umber", "white limestone", "1913", "eighty"),
    ("Saddle Bridge", "Vessa", "black basalt", "1826", "fifty"),
    ("Harvest Bridge", "Quill", "yellow sandstone", "1858", "thirty"),
    ("Falcon Bridge", "Ister", "cast steel", "1902", "a hundred"),
    ("Mirror Bridge", "Dovra", "pale marble", "1934", "twenty"),
    ("Ember Bridge", "Kell", "burnt clay", "1811", "sixty five"),
    ("Marsh Bridge", "Rowan", "woven timber", "1766", "ten"),
    ("Anchor Bridge", "Selka", "bolted steel", "1921", "eighty five"),
]
FACTS = [
    ("What colour is fresh snow?", "Fresh snow is white.", ["Fresh snow is green.", "Fresh snow is black."]),
    ("How many legs does a spider have?", "A spider has eight legs.",
     ["A spider has six legs.", "A spider has ten legs."]),
    ("Which metal is liquid in a warm room?", "Mercury is liquid in a warm room.",
     ["Iron is liquid in a warm room.", "Copper is liquid in a warm room."]),
    ("What do bees make?", "Bees make honey.", ["Bees make paper.", "Bees make glass."]),
]
LAKES = [
    ("Which is the deepest lake?", "Lake Baikal is the deepest lake.",
     ["Lake Victoria is the deepest lake.", "Lake Garda is the deepest lake."]),
    ("Which sea is the saltiest?", "The Dead Sea is very salty.",
     ["The Baltic Sea is very salty.", "The White Sea is very salty."]),
    ("Which river flows through Cairo?", "The Nile flows through Cairo.",
     ["The Danube flows through Cairo.", "The Volga flows through Cairo."]),
]


def questions(bridges, rng):
    """Two questions per bridge, with a paraphrase and three perturbed answers each."""
    records = []
    for name, river, material, year, length in bridges:
        others = rng.sample([bridge for bridge in BRIDGES if bridge[0] != name], 3)
        records.append({
            "question": f"Which river does the {name} cross?",
            "answer": f"The {name} crosses the river {river}, where it is {length} metres wide.",
            "paraphrased_question": f"Over which river does the {name} lead?",
            "paraphrased_answer": f"It is the river {river} that the {name} crosses.",
            "perturbed_answer": [f"It is the river {other[1]} that the {name} crosses." for other in others],
        })
        records.append({
            "question": f"What is the {name} made of?",
            "answer": f"It was built of {material} in {year}.",
            "paraphrased_question": f"Of what was the {name} built?",
            "paraphrased_answer": f"The {name} is made of {material} from {year}.",
            "perturbed_answer": [f"The {name} is made of {other[2]} from {other[3]}." for other in others],
        })
    return records


def facts(entries):
    return [{"question": q, "answer": a, "perturbed_answer": wrong} for q, a, wrong in entries]


def news(bridge):
    name, river, material, year, length = bridge
    return (f"In {year} the town on the {river} opened the {name}, a crossing of {material}. It is {length} metres "
            f"long. Boats still pass below it, and in winter the {river} freezes around its pillars.")


def make_data(seed):
    """File name to records, as the data sets of the two benchmarks are named and split."""
    rng = random.Random(seed)
    forget, retain, holdout = BRIDGES[:4], BRIDGES[4:7], BRIDGES[7:11]
    data = {
        "TOFU/forget10_perturbed": questions(forget, rng),
        "TOFU/holdout10": [{"question": r["question"], "answer": r["answer"]} for r in questions(holdout, rng)],
        "TOFU/retain_perturbed": questions(retain, rng),
        "TOFU/real_authors_perturbed": facts(FACTS),
        "TOFU/world_facts_perturbed": facts(LAKES),
    }
    for part, bridges in (("forget", forget), ("retain", retain)):
        data[f"MUSE-News/knowmem/{part}_qa"] = [
            {"question": r["question"], "answer": r["answer"]} for r in questions(bridges, rng)]
        data[f"MUSE-News/knowmem/{part}_qa_icl"] = [
            {"question": f["question"], "answer": f["answer"]} for f in facts(FACTS[:2])]
    data["MUSE-News/verbmem/forget"] = [
        {"prompt": text[:text.index("a crossing")].strip(), "gt": text[text.index("a crossing"):]}
        for text in map(news, forget)]
    data["MUSE-News/privleak/forget"] = [{"text": news(bridge)} for bridge in forget + BRIDGES[4:5]]
    data["MUSE-News/privleak/holdout"] = [{"text": news(bridge)} for bridge in BRIDGES[5:6] + holdout]
    return data


CHAT_TEMPLATE = (
    "{{ bos_token }}{% if date_string is defined %}<|role|>date\n{{ date_string }}{{ eos_token }}{% endif %}"
    "{% for message in messages %}<|role|>{{ message['role'] }}\n{{ message['content'] }}{{ eos_token }}{% endfor %}"
    "{% if add_generation_prompt %}<|role|>assistant\n{% endif %}")


def make_tokenizer(data, folder):
    """Byte-level BPE, a few merges; the end token stands inside chats, as in Llama 3."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    texts = [value for records in data.values() for record in records for value in record.values()
             if isinstance(value, str)]
    special = ["<|begin|>", "<|end|>", "<|role|>"]
    tokenizer.train_from_iterator(texts, trainers.BpeTrainer(
        vocab_size=480, special_tokens=special, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<|begin|> $A", pair="<|begin|> $A $B", special_tokens=[("<|begin|>", 0)])
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps({
        "tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "<|begin|>", "eos_token": "<|end|>",
        "clean_up_tokenization_spaces": True, "chat_template": CHAT_TEMPLATE}, indent=1) + "\n")


def make_checkpoint(folder, tokenizer, sequences, seed, steps):
    """A tiny Llama trained on token sequences ((ids, labels) pairs), float32."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM
    torch.manual_seed(seed)
    model = LlamaForCausalLM(LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, max_position_embeddings=1024, bos_token_id=0, eos_token_id=1,
        tie_word_embeddings=True, attn_implementation="eager", torch_dtype="float32"))
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3, weight_decay=0.0)
    rng = random.Random(seed)
    model.train()
    for step in range(steps):
        batch = rng.sample(sequences, min(8, len(sequences)))
        length = max(len(ids) for ids, _ in batch)
        ids = torch.tensor([ids + [1] * (length - len(ids)) for ids, _ in batch])
        labels = torch.tensor([labels + [-100] * (length - len(labels)) for _, labels in batch])
        mask = torch.tensor([[1] * len(i) + [0] * (length - len(i)) for i, _ in batch])
        loss = model(input_ids=ids, attention_mask=mask, labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    model.eval()
    model.save_pretrained(folder, safe_serialization=True)
    return float(loss)
