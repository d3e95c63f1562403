"""The table of model.py: one row per tiny checkpoint.

A row names the family, the settings of its configuration and how the checkpoint is stored. `features` says
for each setting that the case is about what switching it off looks like: model.py asserts that the
log-probabilities then change visibly, so that an engine which ignores the setting cannot pass.
"""

import dataclasses

# A large epsilon, so that one read from the wrong place shows.
EPS = 1e-3


@dataclasses.dataclass
class Case:
    name: str
    family: str  # the prefix of transformers' classes: Llama -> LlamaConfig, LlamaForCausalLM
    config: dict
    features: dict = dataclasses.field(default_factory=dict)  # name: the settings that switch it off
    dtype: str = "float32"
    shard_size: str = "10MB"
    new_transformers: bool = False  # needs the second environment
    bare_names: bool = False  # without the prefix of the inner model, as the published gpt2 is stored
    old_buffers: bool = False  # with the buffers that older checkpoints carry and loaders must skip
    config_edit: dict = dataclasses.field(default_factory=dict)  # what published config.json files say
    generation_config: dict = dataclasses.field(default_factory=dict)  # written with the eos list added
    prompt_lengths: tuple = (1, 5, 12, 20)
    use_cache: bool = True  # in generation; False where transformers' cache is wrong
    cache_matters: bool = False  # greedy output rightly differs with and without the key/value cache
    masked: bool = False  # also scored with pad tokens masked


@dataclasses.dataclass
class AdapterCase:
    name: str
    base: str  # the case whose checkpoint is adapted
    target_modules: tuple
    r: int
    lora_alpha: int
    use_rslora: bool = False
    fan_in_fan_out: bool = False

    @property
    def scale(self):
        return self.lora_alpha / (self.r**0.5 if self.use_rslora else self.r)


def gated(hidden, heads, layers, vocab, **more):
    """The settings that Llama and its relatives share."""
    return dict(hidden_size=hidden, num_attention_heads=heads, num_key_value_heads=heads,
                num_hidden_layers=layers, vocab_size=vocab, intermediate_size=2 * hidden - 8,
                max_position_embeddings=160, rms_norm_eps=EPS, bos_token_id=1, eos_token_id=2,
                tie_word_embeddings=False) | more


RMS_EPS = {"rms_norm_eps": {"rms_norm_eps": 1e-6}}
LAYER_EPS = {"layer_norm_eps": {"layer_norm_eps": 1e-5}}

CASES = [
    Case("llama", "Llama", gated(32, 4, 2, 101), RMS_EPS | {"positions": {"rope_theta": 1.0}},
         old_buffers=True, masked=True),
    Case("llama_gqa_tied", "Llama",
         gated(48, 4, 3, 128, num_key_value_heads=2, tie_word_embeddings=True, rope_theta=5000.0,
               pad_token_id=3),
         RMS_EPS | {"rope_theta": {"rope_theta": 10000.0}},
         dtype="bfloat16", generation_config={"do_sample": False}, masked=True),
    Case("llama_biases", "Llama",
         gated(32, 4, 2, 97, num_key_value_heads=2, attention_bias=True, mlp_bias=True),
         {"attention_bias": {"attention_bias": False}, "mlp_bias": {"mlp_bias": False}},
         dtype="float16", masked=True),
    Case("llama_rope_llama3", "Llama",
         gated(48, 4, 2, 112, num_key_value_heads=1, max_position_embeddings=256,
               rope_scaling={"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
                             "high_freq_factor": 4.0, "original_max_position_embeddings": 32}),
         {"rope_scaling": {"rope_scaling": None},
          "smoothing": {"rope_scaling": {
              "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
              "high_freq_factor": 1.0001, "original_max_position_embeddings": 32}}},
         shard_size="90KB", masked=True),
    Case("llama_rope_linear", "Llama",
         gated(32, 4, 2, 96, max_position_embeddings=32,
               rope_scaling={"type": "linear", "factor": 4.0}),
         {"rope_scaling": {"rope_scaling": None}},
         config_edit={"rope_scaling": {"type": "linear", "factor": 4.0}}, masked=True),
    Case("llama_rope_dynamic", "Llama",
         gated(32, 4, 2, 96, max_position_embeddings=24,
               rope_scaling={"rope_type": "dynamic", "factor": 2.0}),
         {"rope_scaling": {"rope_scaling": None}},
         prompt_lengths=(1, 12, 23, 30), cache_matters=True, masked=True),
    Case("mistral", "Mistral",
         gated(48, 4, 2, 120, num_key_value_heads=2, head_dim=16, sliding_window=12),
         {"sliding_window": {"sliding_window": None}, "one more": {"sliding_window": 13}}),
    Case("qwen2", "Qwen2",
         gated(32, 4, 3, 140, num_key_value_heads=2, tie_word_embeddings=True, rope_theta=1000.0,
               use_sliding_window=False, max_window_layers=1),
         {"rope_theta": {"rope_theta": 10000.0}},
         dtype="bfloat16", config_edit={"sliding_window": 8},
         generation_config={"do_sample": True, "repetition_penalty": 1.3, "temperature": 0.7,
                            "top_k": 20, "top_p": 0.8}),
    Case("qwen3", "Qwen3",
         gated(40, 4, 3, 130, num_key_value_heads=2, head_dim=16, tie_word_embeddings=True,
               use_sliding_window=False, rope_theta=2000.0),
         RMS_EPS | {"rope_theta": {"rope_theta": 10000.0}}, new_transformers=True),
    Case("gemma", "Gemma",
         gated(32, 4, 2, 144, num_key_value_heads=1, head_dim=16, tie_word_embeddings=True,
               hidden_act="gelu", hidden_activation=None, pad_token_id=0),
         RMS_EPS | {"gelu tanh": {"hidden_activation": "gelu"}}),
    Case("gemma2", "Gemma2",
         gated(32, 4, 4, 136, num_key_value_heads=2, head_dim=12, tie_word_embeddings=True,
               pad_token_id=0, sliding_window=10, query_pre_attn_scalar=24,
               attn_logit_softcapping=5.0, final_logit_softcapping=8.0),
         {"sliding_window": {"sliding_window": 1000},
          "attn_logit_softcapping": {"attn_logit_softcapping": None},
          "final_logit_softcapping": {"final_logit_softcapping": None},
          "query_pre_attn_scalar": {"query_pre_attn_scalar": 12}},
         # The hybrid cache loses keys once the window is full, in each release differently.
         generation_config={"do_sample": False, "cache_implementation": "hybrid"}, use_cache=False),
    Case("phi", "Phi",
         dict(hidden_size=48, num_attention_heads=4, num_hidden_layers=2, vocab_size=103,
              intermediate_size=80, max_position_embeddings=160, partial_rotary_factor=0.5,
              layer_norm_eps=EPS, bos_token_id=1, eos_token_id=2, hidden_act="gelu_new"),
         LAYER_EPS | {"partial rotary": {"partial_rotary_factor": 1.0},
                      "gelu_new": {"hidden_act": "relu"}}, masked=True),
    Case("phi3", "Phi3",
         gated(32, 4, 2, 110, num_key_value_heads=2, pad_token_id=4), RMS_EPS,
         generation_config={"do_sample": False}),
    Case("phi3_longrope", "Phi3",
         gated(32, 4, 2, 110, num_key_value_heads=2, pad_token_id=4, max_position_embeddings=128,
               original_max_position_embeddings=32,
               rope_scaling={"type": "longrope", "short_factor": [1.0, 1.2, 1.5, 1.9],
                             "long_factor": [1.1, 2.0, 4.5, 9.0]}),
         {"rope_scaling": {"rope_scaling": None},
          "short": {"rope_scaling": {"type": "longrope", "short_factor": [1.0] * 4,
                                     "long_factor": [1.1, 2.0, 4.5, 9.0]}},
          "long": {"rope_scaling": {"type": "longrope", "short_factor": [1.0, 1.2, 1.5, 1.9],
                                    "long_factor": [1.0] * 4}}},
         prompt_lengths=(1, 12, 32, 40)),
    Case("phi3_window", "Phi3",
         gated(32, 4, 2, 110, num_key_value_heads=2, pad_token_id=4, sliding_window=12),
         {"sliding_window": {"sliding_window": None}}, new_transformers=True),
    Case("gpt2", "GPT2",
         dict(n_embd=40, n_head=4, n_layer=2, vocab_size=109, n_positions=128, layer_norm_epsilon=EPS,
              bos_token_id=1, eos_token_id=2),
         {"layer_norm_epsilon": {"layer_norm_epsilon": 1e-5},
          "gelu_new": {"activation_function": "relu"}}, masked=True),
    Case("gpt2_bare", "GPT2",
         dict(n_embd=32, n_head=2, n_layer=3, n_inner=64, vocab_size=100, n_positions=96,
              layer_norm_epsilon=EPS, bos_token_id=1, eos_token_id=2),
         {"n_head": {"n_head": 4}}, bare_names=True, old_buffers=True, masked=True),
    Case("gpt_neox", "GPTNeoX",
         dict(hidden_size=48, num_attention_heads=3, num_hidden_layers=2, vocab_size=118,
              intermediate_size=96, max_position_embeddings=96, rotary_pct=0.25, layer_norm_eps=EPS,
              bos_token_id=1, eos_token_id=2),
         LAYER_EPS | {"rotary_pct": {"rotary_pct": 1.0},
                      "parallel residual": {"use_parallel_residual": False}},
         dtype="float16", old_buffers=True),
    Case("gpt_neox_sequential", "GPTNeoX",
         dict(hidden_size=32, num_attention_heads=4, num_hidden_layers=2, vocab_size=118,
              intermediate_size=96, max_position_embeddings=160, rotary_pct=0.5, layer_norm_eps=EPS,
              bos_token_id=1, eos_token_id=2, use_parallel_residual=False, hidden_act="gelu"),
         {"sequential residual": {"use_parallel_residual": True},
          "gelu": {"hidden_act": "gelu_new"}}),
    Case("olmo2", "Olmo2",
         gated(32, 4, 3, 115, num_key_value_heads=2, pad_token_id=1, rope_theta=3000.0),
         RMS_EPS | {"rope_theta": {"rope_theta": 10000.0}}, new_transformers=True),
]

ADAPTER_CASES = [
    AdapterCase("llama_lora", "llama", ("q_proj", "v_proj", "down_proj"), r=8, lora_alpha=12),
    AdapterCase("gpt2_lora", "gpt2", ("c_attn", "c_proj"), r=4, lora_alpha=3, use_rslora=True,
                fan_in_fan_out=True),
]
