"""Writes the tokenizer goldens: small trained tokenizers and what transformers makes of 3,200 lines.

    python3 -m venv golden && golden/bin/pip install transformers==4.45.1 tokenizers==0.20.3
    golden/bin/python tools/golden/tokenizer.py tests/golden/tokenizer

One gzipped JSON per tokenizer: a manifest, the files of its folder, the ids of every line, decoded
texts, and tokens, offsets and truncations for some. The lines themselves are in lines.json.gz. Takes
a few minutes.
"""

import collections
import gzip
import json
import os
import sys
import tempfile

import tokenizers
import transformers
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers
from tokenizers import pre_tokenizers as pre
from tokenizers import processors, trainers

import tokenizer_charsmap
import tokenizer_text

SEED = 20241115
LINES = 3200
GPT4 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
        r"|\s*[\r\n]+|\s+(?!\S)|\s+")
QWEN = GPT4.replace("{1,3}", "")
BYTES = [f"<0x{i:02X}>" for i in range(256)]
TEXT = tokenizer_text.training_lines(4000, SEED + 1)


def special(content, **options):
    return AddedToken(content, special=True, normalized=False, **options)


def train_bpe(tokenizer, size=1200, specials=(), alphabet=(), **options):
    tokenizer.train_from_iterator(TEXT, trainers.BpeTrainer(
        vocab_size=size, special_tokens=list(specials), initial_alphabet=list(alphabet),
        limit_alphabet=200 if not alphabet else 256, show_progress=False, **options))


def byte_bpe(pre_tokenizer, normalizer=None, specials=("<|endoftext|>",), ignore_merges=False, size=1200):
    tokenizer = Tokenizer(models.BPE(ignore_merges=ignore_merges))
    if normalizer:
        tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.decoder = decoders.ByteLevel()
    train_bpe(tokenizer, size, specials, pre.ByteLevel.alphabet())
    return tokenizer


def piece_bpe(normalizer, pre_tokenizer, decoder, specials=("<unk>", "<s>", "</s>"), fuse_unk=True):
    """SentencePiece style: spaces are ▁ and what is unknown becomes bytes."""
    trained = Tokenizer(models.BPE(unk_token="<unk>"))
    trained.pre_tokenizer = pre.Metaspace(prepend_scheme="always", split=True)
    train_bpe(trained, 1000, list(specials) + BYTES)
    state = json.loads(trained.to_str())["model"]
    tokenizer = Tokenizer(models.BPE(
        state["vocab"], [tuple(merge) for merge in state["merges"]], unk_token="<unk>",
        fuse_unk=fuse_unk, byte_fallback=True))
    tokenizer.add_special_tokens([special(s) for s in specials])
    if normalizer:
        tokenizer.normalizer = normalizer
    if pre_tokenizer:
        tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.decoder = decoder
    return tokenizer


def sp_decoder():
    return decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(),
                              decoders.Strip(" ", 1, 0)])


def gpt2():
    tokenizer = byte_bpe(pre.ByteLevel(add_prefix_space=False))
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    return tokenizer, {"model_max_length": 1024}


def gpt2_old_file(state):
    """As files of 2020 are: the model without its type, empty strings for null, merges as strings."""
    model = state["model"]
    model.pop("type"), model.pop("ignore_merges", None), model.pop("byte_fallback", None)
    for key in ("unk_token", "continuing_subword_prefix", "end_of_word_suffix"):
        model[key] = ""
    model["merges"] = [" ".join(merge) for merge in model["merges"]]
    return state


def pythia():
    tokenizer = byte_bpe(pre.ByteLevel(add_prefix_space=False, trim_offsets=True), normalizers.NFC(),
                         ("<|endoftext|>", "<|padding|>"))
    tokenizer.add_tokens([AddedToken(" " * n, normalized=True) for n in range(24, 1, -1)])
    tokenizer.post_processor = processors.ByteLevel(add_prefix_space=False, trim_offsets=True)
    return tokenizer, {"tokenizer_class": "GPTNeoXTokenizer", "add_prefix_space": False,
                       "bos_token": "<|endoftext|>", "eos_token": "<|endoftext|>",
                       "unk_token": "<|endoftext|>", "clean_up_tokenization_spaces": True}


def llama3():
    names = ["<|begin_of_text|>", "<|end_of_text|>", "<|im_start|>", "<|im_end|>"]
    tokenizer = byte_bpe(pre.Sequence([pre.Split(Regex(GPT4), "isolated"),
                                       pre.ByteLevel(add_prefix_space=False, use_regex=False)]),
                         None, (), True, 1500)
    tokenizer.add_special_tokens([special(name) for name in names])
    begin = tokenizer.token_to_id(names[0])
    tokenizer.post_processor = processors.Sequence([
        processors.ByteLevel(trim_offsets=True, add_prefix_space=True),
        processors.TemplateProcessing(single=f"{names[0]} $A", pair=f"{names[0]} $A {names[0]} $B:1",
                                      special_tokens=[(names[0], begin)])])
    return tokenizer, {"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": names[0],
                       "eos_token": names[1], "clean_up_tokenization_spaces": True}


def llama2():
    tokenizer = piece_bpe(normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]),
                          None, sp_decoder())
    return tokenizer, {"tokenizer_class": "LlamaTokenizer", "legacy": False, "bos_token": "<s>",
                       "eos_token": "</s>", "unk_token": "<unk>", "add_bos_token": True,
                       "add_eos_token": True, "clean_up_tokenization_spaces": False}


def mistral():
    tokenizer = piece_bpe(None, pre.Metaspace(prepend_scheme="first", split=False), sp_decoder())
    tokenizer.add_special_tokens([special("<tool>")])
    return tokenizer, {"tokenizer_class": "LlamaTokenizer", "bos_token": "<s>", "eos_token": "</s>",
                       "unk_token": "<unk>", "add_bos_token": True}


def gemma():
    names = ("<pad>", "<eos>", "<bos>", "<unk>", "<mask>")
    tokenizer = piece_bpe(normalizers.Replace(" ", "▁"), pre.Split(" ", "merged_with_previous"),
                          decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(),
                                             decoders.Fuse()]), names)
    tokenizer.add_tokens([AddedToken("\n" * n, normalized=False) for n in range(5, 1, -1)])
    return tokenizer, {"tokenizer_class": "GemmaTokenizer", "bos_token": "<bos>", "eos_token": "<eos>",
                       "unk_token": "<unk>", "pad_token": "<pad>", "truncation_side": "left"}


def qwen():
    tokenizer = byte_bpe(pre.Sequence([pre.Split(Regex(QWEN), "isolated"),
                                       pre.ByteLevel(add_prefix_space=False, use_regex=False)]),
                         normalizers.NFC(), (), False)
    tokenizer.add_special_tokens([special(n) for n in ("<|endoftext|>", "<|im_start|>", "<|im_end|>")])
    tokenizer.add_tokens([AddedToken("<tool>", normalized=False)])
    tokenizer.post_processor = processors.ByteLevel(add_prefix_space=False, trim_offsets=False)
    return tokenizer, {"tokenizer_class": "Qwen2Tokenizer", "bos_token": None, "eos_token": "<|im_end|>",
                       "pad_token": "<|endoftext|>", "errors": "replace", "split_special_tokens": False,
                       "additional_special_tokens": ["<|im_start|>", "<|im_end|>"]}


def phi():
    tokenizer = byte_bpe(pre.ByteLevel(add_prefix_space=True))
    tokenizer.add_tokens([AddedToken(c * n, normalized=False) for n in range(9, 1, -1) for c in (" ", "\t")])
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=True)
    return tokenizer, {"tokenizer_class": "CodeGenTokenizer", "add_prefix_space": False,
                       "bos_token": "<|endoftext|>", "eos_token": "<|endoftext|>",
                       "unk_token": "<|endoftext|>", "clean_up_tokenization_spaces": True}


def roberta():
    tokenizer = byte_bpe(pre.ByteLevel(add_prefix_space=True), None, ("<s>", "<pad>", "</s>", "<unk>"))
    tokenizer.add_special_tokens([special("<mask>", lstrip=True)])
    tokenizer.post_processor = processors.RobertaProcessing(
        ("</s>", tokenizer.token_to_id("</s>")), ("<s>", tokenizer.token_to_id("<s>")),
        trim_offsets=True, add_prefix_space=True)
    return tokenizer, {"tokenizer_class": "PreTrainedTokenizerFast", "mask_token": "<mask>",
                       "cls_token": "<s>", "sep_token": "</s>", "pad_token": "<pad>"}


def common_lines(least=8):
    """Lines without rare characters: the Unigram trainer wants room for every character."""
    counts = collections.Counter("".join(TEXT))
    return [line for line in TEXT if all(counts[c] >= least for c in line)]


def train_unigram(tokenizer, specials, size=1600):
    tokenizer.train_from_iterator(common_lines(), trainers.UnigramTrainer(
        vocab_size=size, special_tokens=list(specials), unk_token="<unk>", show_progress=False))


def t5():
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.Precompiled(tokenizer_charsmap.example_map())
    tokenizer.pre_tokenizer = pre.Sequence([pre.WhitespaceSplit(), pre.Metaspace()])
    tokenizer.decoder = decoders.Metaspace()
    train_unigram(tokenizer, ("<pad>", "</s>", "<unk>"))
    end = tokenizer.token_to_id("</s>")
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", end)])
    return tokenizer, {"tokenizer_class": "T5Tokenizer", "eos_token": "</s>", "unk_token": "<unk>",
                       "pad_token": "<pad>", "extra_ids": 100}


def unigram_bytes():
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.Sequence([
        normalizers.Nmt(), normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " "),
        normalizers.Strip(left=True, right=False)])
    tokenizer.pre_tokenizer = pre.Metaspace(prepend_scheme="always", split=True)
    train_unigram(tokenizer, ["<s>", "</s>", "<unk>"] + BYTES)
    state = json.loads(tokenizer.to_str())
    state["model"]["byte_fallback"] = True
    tokenizer = Tokenizer.from_str(json.dumps(state))
    tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Metaspace()])
    tokenizer.add_special_tokens([special("<mask>", lstrip=True)])
    begin, end = tokenizer.token_to_id("<s>"), tokenizer.token_to_id("</s>")
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", begin), ("</s>", end)])
    return tokenizer, {"tokenizer_class": "PreTrainedTokenizerFast", "unk_token": "<unk>"}


def wordpiece(normalizer, pre_tokenizer, cleanup):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=20))
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.train_from_iterator(TEXT, trainers.WordPieceTrainer(
        vocab_size=1200, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"],
        limit_alphabet=300, show_progress=False))
    tokenizer.decoder = decoders.WordPiece(cleanup=cleanup)
    return tokenizer


BERT_TOKENS = {"unk_token": "[UNK]", "sep_token": "[SEP]", "pad_token": "[PAD]", "cls_token": "[CLS]",
               "mask_token": "[MASK]"}


def bert():
    tokenizer = wordpiece(normalizers.BertNormalizer(), pre.BertPreTokenizer(), True)
    tokenizer.post_processor = processors.BertProcessing(
        ("[SEP]", tokenizer.token_to_id("[SEP]")), ("[CLS]", tokenizer.token_to_id("[CLS]")))
    return tokenizer, {"tokenizer_class": "BertTokenizer", "do_lower_case": True, **BERT_TOKENS}


def bert_cased():
    tokenizer = wordpiece(normalizers.BertNormalizer(lowercase=True), pre.BertPreTokenizer(), False)
    return tokenizer, {"tokenizer_class": "BertTokenizer", "do_lower_case": False, "strip_accents": False,
                       "tokenize_chinese_chars": False, **BERT_TOKENS}


def accents():
    tokenizer = wordpiece(normalizers.Sequence([normalizers.NFD(), normalizers.Lowercase(),
                                                normalizers.StripAccents(), normalizers.Strip()]),
                          pre.Whitespace(), True)
    return tokenizer, {"tokenizer_class": "PreTrainedTokenizerFast", "clean_up_tokenization_spaces": True,
                       **BERT_TOKENS}


def word_level():
    tokenizer = Tokenizer(models.WordLevel(unk_token="<unk>"))
    tokenizer.normalizer = normalizers.NFKD()
    tokenizer.pre_tokenizer = pre.Sequence([pre.WhitespaceSplit(), pre.Punctuation("contiguous"),
                                            pre.Digits(individual_digits=True)])
    tokenizer.train_from_iterator(TEXT, trainers.WordLevelTrainer(
        vocab_size=2000, special_tokens=["<unk>", "<pad>"], show_progress=False))
    tokenizer.decoder = decoders.CTC(pad_token="<pad>", word_delimiter_token="e", cleanup=True)
    return tokenizer, {"tokenizer_class": "PreTrainedTokenizerFast", "unk_token": "<unk>"}


def suffix():
    """The first GPT: a mark at the end of words."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True, strip_accents=False)
    tokenizer.pre_tokenizer = pre.BertPreTokenizer()
    train_bpe(tokenizer, 1200, ("<unk>",), end_of_word_suffix="</w>")
    tokenizer.decoder = decoders.BPEDecoder(suffix="</w>")
    return tokenizer, {"tokenizer_class": "PreTrainedTokenizerFast", "unk_token": "<unk>"}


def prefix(fuse_unk):
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", continuing_subword_prefix="##", fuse_unk=fuse_unk))
    tokenizer.pre_tokenizer = pre.Sequence([pre.UnicodeScripts(), pre.CharDelimiterSplit("-"),
                                            pre.Punctuation("merged_with_next")])
    train_bpe(tokenizer, 1000, ("<unk>",), continuing_subword_prefix="##")
    return tokenizer, {"tokenizer_class": "PreTrainedTokenizerFast", "unk_token": "<unk>"}


def deepseek():
    """Several splits in a row."""
    tokenizer = byte_bpe(pre.Sequence([
        pre.Split(Regex(r"\p{N}{1,3}"), "isolated"), pre.Split(Regex("[一-龥\u3040-ゟ゠-ヿ]+"), "isolated"),
        pre.Split(Regex(r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
                        r"| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"), "isolated"),
        pre.ByteLevel(add_prefix_space=False, use_regex=False)]), None, ("<s>", "</s>"))
    return tokenizer, {"tokenizer_class": "LlamaTokenizerFast", "add_bos_token": True, "bos_token": "<s>",
                       "eos_token": "</s>", "unk_token": None}


def bloom():
    """A class within a class, and every behaviour of Split."""
    tokenizer = byte_bpe(pre.Sequence([
        pre.Split(Regex(r" ?[^(\s|[.,!?…。，、।۔،])]+"), "isolated"),
        pre.Split(Regex(r"\d"), "contiguous"), pre.Split(Regex(r"\b[A-Z]\w*"), "merged_with_next"),
        pre.Split("o", "merged_with_previous"), pre.Split(Regex("[^a-y]"), "merged_with_previous", invert=True),
        pre.Split(Regex(r"\s{3,}|$|^x"), "removed"), pre.Split(Regex("(?m:q.)|\\h{6}"), "removed", invert=False),
        pre.ByteLevel(add_prefix_space=True, use_regex=False)]), None, ("<unk>", "<s>"))
    return tokenizer, {"tokenizer_class": "PreTrainedTokenizerFast", "unk_token": "<unk>"}


def added():
    """Added tokens with every property, over a normalizer that changes case."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=False, byte_fallback=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Lowercase(), normalizers.NFKC()])
    tokenizer.pre_tokenizer = pre.Sequence([pre.Metaspace(replacement="_", prepend_scheme="never"),
                                            pre.Digits(individual_digits=False)])
    train_bpe(tokenizer, 700, ("<unk>",))
    tokenizer.decoder = decoders.Metaspace(replacement="_", prepend_scheme="never")
    tokenizer.add_tokens([AddedToken("Widget", single_word=True), AddedToken("<lr>", lstrip=True, rstrip=True),
                          AddedToken("<left>", lstrip=True, normalized=False),
                          AddedToken("<right>", rstrip=True), AddedToken("<Norm>", normalized=True),
                          AddedToken("the", single_word=True, normalized=False), AddedToken("<one>")])
    tokenizer.add_special_tokens([special("<s>", rstrip=True), AddedToken("</S>", special=True, normalized=True)])
    return tokenizer, {"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "<s>",
                       "pad_token": "<|padding|>", "additional_special_tokens": ["<tool>", "<one>"]}


BUILDERS = {
    "gpt2": gpt2, "pythia": pythia, "llama3": llama3, "llama2": llama2, "mistral": mistral, "gemma": gemma,
    "qwen": qwen, "phi": phi, "roberta": roberta, "t5": t5, "unigram_bytes": unigram_bytes, "bert": bert,
    "bert_cased": bert_cased, "accents": accents, "word_level": word_level, "suffix": suffix,
    "prefix": lambda: prefix(False), "prefix_fused": lambda: prefix(True), "deepseek": deepseek,
    "bloom": bloom, "added": added,
}


def write_gz(path, value):
    data = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode("utf-8")
    with open(path, "wb") as out:
        with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=9, mtime=0, filename="") as packed:
            packed.write(data)


def answers(tokenizer, lines):
    ids, skipped, kept, details, shorter = [], [], [], {}, {}
    for i, line in enumerate(lines):
        encoding = tokenizer(line, return_offsets_mapping=True)
        ids.append(encoding.input_ids)
        with_special = tokenizer.decode(encoding.input_ids)
        without = tokenizer.decode(encoding.input_ids, skip_special_tokens=True)
        # null where the text comes back as it was
        kept.append(None if with_special == line else with_special)
        skipped.append(None if without == with_special else without)
        if i % 4 == 0:
            details[i] = {"plain": tokenizer(line, add_special_tokens=False).input_ids,
                          "tokens": encoding.tokens(), "offsets": encoding.offset_mapping,
                          "mask": encoding.encodings[0].special_tokens_mask}
        if i % 16 == 0:
            longest = tokenizer.num_special_tokens_to_add() + i % 7
            shorter[i] = {"max_length": longest,
                          "ids": tokenizer(line, truncation=True, max_length=longest).input_ids}
    return {"ids": ids, "decoded": kept, "decoded_skipping": skipped, "details": details, "truncated": shorter}


def main():
    folder = sys.argv[1]
    wanted = sys.argv[2:] or list(BUILDERS)
    os.makedirs(folder, exist_ok=True)
    manifest = {"script": "tools/golden/tokenizer.py", "transformers": transformers.__version__,
                "tokenizers": tokenizers.__version__, "seed": SEED}
    lines = tokenizer_text.make_lines(LINES, SEED)
    write_gz(f"{folder}/lines.json.gz", {"manifest": manifest, "lines": lines})
    for name in wanted:
        tokenizer, config = BUILDERS[name]()
        state = json.loads(tokenizer.to_str())
        if name == "gpt2":
            state = gpt2_old_file(state)
        files = {"tokenizer.json": json.dumps(state, ensure_ascii=False), "tokenizer_config.json": json.dumps(config)}
        if name == "gpt2":
            files["config.json"] = '{"model_type": "gpt2"}'
        with tempfile.TemporaryDirectory() as where:
            for file, text in files.items():
                with open(f"{where}/{file}", "w", encoding="utf-8") as out:
                    out.write(text)
            reference = transformers.AutoTokenizer.from_pretrained(where)
        assert reference.is_fast
        tokens = {key: getattr(reference, key) for key in reference.SPECIAL_TOKENS_ATTRIBUTES[:7]}
        write_gz(f"{folder}/{name}.json.gz", {
            "manifest": manifest, "files": files, "size": len(reference), "special_tokens": tokens,
            "special_ids": {key: getattr(reference, key + "_id") for key in tokens},
            **answers(reference, lines)})
        print(name, type(reference).__name__, len(reference), os.path.getsize(f"{folder}/{name}.json.gz"))


if __name__ == "__main__":
    main()
