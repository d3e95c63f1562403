"""A tiny llama with random weights, as a checkpoint for our engine and as a GGUF file for llama.cpp."""

import dataclasses
import json

import gguf
import numpy as np
from safetensors.numpy import save_file

LAYERS, HEADS, KV_HEADS, HIDDEN, INNER, POSITIONS = 2, 4, 2, 32, 48, 128
EPSILON, ROPE_BASE = 1e-5, 10000.0
BOS, EOS = "<s>", "</s>"
WORDS = ("Question Answer who wrote what where is was born near in of and the a an old cold blue grey green sea sky moon "
         "stone river island winter author book letter").split()
#: llama.cpp's names of the weights.
NAMES = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output",
         "input_layernorm": "attn_norm", "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k",
         "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output", "post_attention_layernorm": "ffn_norm",
         "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down"}


@dataclasses.dataclass(frozen=True)
class Vocabulary:
    """Tokens in the order of their ids, and in the order in which they are put together."""

    kind: str  # llama.cpp's name: gpt2 is byte-level BPE, llama is SentencePiece
    tokens: list[str]
    merges: list[tuple[str, str]]
    types: list[gguf.TokenType]


def word_merges(space):
    """Puts each word together from the left: those behind a space first, so that words keep their spaces."""
    merges = {}
    for word in [space + word for word in WORDS] + WORDS:
        for end in range(1, len(word)):
            merges[word[:end], word[end]] = None
    return list(merges)


def byte_level():
    """A vocabulary like GPT-2's. It writes printable bytes as they are, and all others as characters from U+0100 on."""
    plain = {*range(33, 127), *range(161, 173), *range(174, 256)}
    others = iter(range(256, 512))
    letters = [chr(byte) if byte in plain else chr(next(others)) for byte in range(256)]
    merges = word_merges(letters[ord(" ")])
    joined = dict.fromkeys(left + right for left, right in merges)
    types = [gguf.TokenType.CONTROL] * 2 + [gguf.TokenType.NORMAL] * (256 + len(joined))
    return Vocabulary("gpt2", [BOS, EOS, *letters, *joined], merges, types)


def sentence_pieces():
    """A vocabulary like that of Llama 2: a text begins with a space, and rare characters are written as bytes."""
    letters = ["\u2581", *map(chr, range(33, 127))]
    merges = word_merges(letters[0])
    joined = dict.fromkeys(left + right for left, right in merges)
    tokens = [BOS, EOS, "<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), *letters, *joined]
    types = ([gguf.TokenType.CONTROL] * 2 + [gguf.TokenType.UNKNOWN] + [gguf.TokenType.BYTE] * 256
             + [gguf.TokenType.NORMAL] * (len(letters) + len(joined)))
    return Vocabulary("llama", tokens, merges, types)


def random_weights(vocab_size):
    """Weights under the names of transformers. They are large enough that some tokens are much likelier than others."""
    random = np.random.default_rng(0)

    def matrix(rows, columns):
        return random.normal(0, 1 / np.sqrt(columns), (rows, columns)).astype(np.float32)

    def scale():
        return random.uniform(0.5, 1.5, HIDDEN).astype(np.float32)

    kv_rows = HIDDEN // HEADS * KV_HEADS
    weights = {"model.embed_tokens": matrix(vocab_size, HIDDEN), "model.norm": scale(),
               "lm_head": matrix(vocab_size, HIDDEN)}
    for layer in range(LAYERS):
        parts = {"input_layernorm": scale(), "self_attn.q_proj": matrix(HIDDEN, HIDDEN),
                 "self_attn.k_proj": matrix(kv_rows, HIDDEN), "self_attn.v_proj": matrix(kv_rows, HIDDEN),
                 "self_attn.o_proj": matrix(HIDDEN, HIDDEN), "post_attention_layernorm": scale(),
                 "mlp.gate_proj": matrix(INNER, HIDDEN), "mlp.up_proj": matrix(INNER, HIDDEN),
                 "mlp.down_proj": matrix(HIDDEN, INNER)}
        weights |= {f"model.layers.{layer}.{name}": weight for name, weight in parts.items()}
    return weights


def write_checkpoint(folder, vocabulary, weights):
    """For our engine. Only a byte-level vocabulary gets a tokenizer."""
    folder.mkdir()
    save_file({f"{name}.weight": weight for name, weight in weights.items()}, folder / "model.safetensors")
    config = {"model_type": "llama", "vocab_size": len(vocabulary.tokens), "hidden_size": HIDDEN, "intermediate_size": INNER,
              "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "num_key_value_heads": KV_HEADS,
              "max_position_embeddings": POSITIONS, "rms_norm_eps": EPSILON, "rope_theta": ROPE_BASE, "hidden_act": "silu",
              "tie_word_embeddings": False, "bos_token_id": 0, "eos_token_id": 1}
    (folder / "config.json").write_text(json.dumps(config))
    if vocabulary.kind != "gpt2":
        return
    bytes_ = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    parts = [{"SpecialToken": {"id": BOS, "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]
    special = [{"id": i, "content": token, "special": True, "single_word": False, "lstrip": False, "rstrip": False,
                "normalized": False} for i, token in enumerate((BOS, EOS))]
    tokenizer = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": special, "normalizer": None,
                 "pre_tokenizer": bytes_, "decoder": bytes_,
                 "post_processor": {"type": "TemplateProcessing", "single": parts, "pair": parts,
                                    "special_tokens": {BOS: {"id": BOS, "ids": [0], "tokens": [BOS]}}},
                 "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
                           "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False, "ignore_merges": False,
                           "vocab": {token: i for i, token in enumerate(vocabulary.tokens)},
                           "merges": [" ".join(merge) for merge in vocabulary.merges]}}
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "PreTrainedTokenizerFast",
                                                              "bos_token": BOS, "eos_token": EOS}))


def in_pairs(weight, heads):
    """Rotary embeddings turn two rows of a head together: in checkpoints those of its halves, in GGUF files neighbours."""
    return np.ascontiguousarray(weight.reshape(heads, 2, -1, HIDDEN).swapaxes(1, 2).reshape(weight.shape))


def write_gguf(path, vocabulary, weights, *, add_bos=True):
    """For llama.cpp, in 32 bits. With add_bos, every text begins with <s>."""
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_vocab_size(len(vocabulary.tokens))
    writer.add_context_length(POSITIONS)
    writer.add_embedding_length(HIDDEN)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KV_HEADS)
    writer.add_rope_dimension_count(HIDDEN // HEADS)
    writer.add_rope_freq_base(ROPE_BASE)
    writer.add_layer_norm_rms_eps(EPSILON)
    writer.add_tokenizer_model(vocabulary.kind)
    writer.add_tokenizer_pre("gpt-2" if vocabulary.kind == "gpt2" else "default")
    writer.add_token_list(vocabulary.tokens)
    writer.add_token_types(vocabulary.types)
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(1)
    writer.add_add_bos_token(add_bos)
    if vocabulary.kind == "gpt2":
        writer.add_token_merges([" ".join(merge) for merge in vocabulary.merges])
    else:  # the tokens that are put together first have the highest scores
        ranks = {left + right: i for i, (left, right) in reversed(list(enumerate(vocabulary.merges)))}
        writer.add_token_scores([-float(ranks.get(token, len(ranks))) for token in vocabulary.tokens])
        writer.add_unk_token_id(2)
    for name, weight in weights.items():
        if name.endswith((".q_proj", ".k_proj")):
            weight = in_pairs(weight, HEADS if name.endswith(".q_proj") else KV_HEADS)
        if name.startswith("model.layers."):
            layer, part = name.removeprefix("model.layers.").split(".", 1)
            writer.add_tensor(f"blk.{layer}.{NAMES[part]}.weight", weight)
        else:
            writer.add_tensor(f"{NAMES[name]}.weight", weight)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
