#include "palimpsest/model/internal/families.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <string_view>

#include "palimpsest/base/error.h"
#include "palimpsest/model/internal/family_parts.h"

namespace palimpsest::model {
namespace {

// ---- Llama and the families that are variations of it

struct LlamaBiases {
  bool query_key_value = false;
  bool attention_out = false;
  bool mlp = false;
};

LlamaBiases all_attention_biases(const ConfigFields& config) {
  const bool bias = config.flag_or("attention_bias", false);
  return {.query_key_value = bias, .attention_out = bias};
}

// Names and blocks of Llama: gated MLP, norms before both blocks.
Architecture llama_like(const ConfigFields& config, const FamilyDefaults& defaults,
                        const LlamaBiases& biases) {
  Architecture a = read_sizes(config, defaults);
  const std::string layer = "model.layers.{}.";
  const int64_t queries = a.num_heads * a.head_dim;
  const int64_t keys = a.num_kv_heads * a.head_dim;
  a.inner_prefix = "model.";
  a.embedding = "model.embed_tokens.weight";
  a.layer.attention_norm = norm_of(layer + "input_layernorm");
  a.layer.query_key_value = {
      .parts = {part_of(layer + "self_attn.q_proj", queries, biases.query_key_value),
                part_of(layer + "self_attn.k_proj", keys, biases.query_key_value),
                part_of(layer + "self_attn.v_proj", keys, biases.query_key_value)},
      .inputs = a.hidden_size};
  a.layer.attention_out = {
      .parts = {part_of(layer + "self_attn.o_proj", a.hidden_size, biases.attention_out)},
      .inputs = queries};
  a.layer.mlp_norm = norm_of(layer + "post_attention_layernorm");
  a.layer.mlp_in = {.parts = {part_of(layer + "mlp.gate_proj", a.mlp_size, biases.mlp),
                              part_of(layer + "mlp.up_proj", a.mlp_size, biases.mlp)},
                    .inputs = a.hidden_size};
  a.layer.mlp_out = {.parts = {part_of(layer + "mlp.down_proj", a.hidden_size, biases.mlp)},
                     .inputs = a.mlp_size};
  a.final_norm = norm_of("model.norm");
  set_head("lm_head", a);
  return a;
}

void add_query_key_norms(QueryKeyNorm kind, Architecture& a) {
  a.query_key_norm = kind;
  a.layer.query_norm = norm_of("model.layers.{}.self_attn.q_norm");
  a.layer.key_norm = norm_of("model.layers.{}.self_attn.k_norm");
}

// sliding_window; null: none.
std::optional<int64_t> window_or(const ConfigFields& config, std::optional<int64_t> fallback) {
  if (!config.has("sliding_window")) return fallback;
  if (config.find("sliding_window") == nullptr) return std::nullopt;
  return config.size("sliding_window");
}

bool every_layer(int64_t) {
  return true;
}

Architecture read_llama(const ConfigFields& config) {
  LlamaBiases biases = all_attention_biases(config);
  biases.mlp = config.flag_or("mlp_bias", false);
  return llama_like(config, {.max_positions = 2048}, biases);
}

Architecture read_mistral(const ConfigFields& config) {
  Architecture a = llama_like(config, {.max_positions = 131072, .num_kv_heads = 8}, {});
  set_windows(config, window_or(config, 4096), every_layer, a);
  return a;
}

// The upper layers have windows, if any.
void set_qwen_windows(const ConfigFields& config, Architecture& a) {
  const bool used = config.flag_or("use_sliding_window", false);
  const int64_t first = config.integer("max_window_layers").value_or(28);
  set_windows(
      config, used ? window_or(config, 4096) : std::nullopt,
      [first](int64_t layer) { return layer >= first; }, a);
}

Architecture read_qwen2(const ConfigFields& config) {
  Architecture a =
      llama_like(config, {.max_positions = 32768, .num_kv_heads = 32}, {.query_key_value = true});
  set_qwen_windows(config, a);
  return a;
}

Architecture read_qwen3(const ConfigFields& config) {
  Architecture a = llama_like(config, {.max_positions = 32768, .num_kv_heads = 32, .head_dim = 128},
                              all_attention_biases(config));
  add_query_key_norms(QueryKeyNorm::kEachHead, a);
  set_qwen_windows(config, a);
  return a;
}

// hidden_act is what early files hold by mistake: Gemma was trained with the tanh form, which
// hidden_activation names and is the default.
Architecture gemma_like(const ConfigFields& config) {
  Architecture a = llama_like(config,
                              {.activation_key = "hidden_activation",
                               .max_positions = 8192,
                               .num_kv_heads = 16,
                               .head_dim = 256,
                               .activation = "gelu_pytorch_tanh",
                               .tied_embeddings = true,
                               .pad_id = 0},
                              all_attention_biases(config));
  a.norm = kernels::NormKind::kRmsPlus;
  a.embedding_scale = std::sqrt(static_cast<double>(a.hidden_size));
  return a;
}

// A soft cap; null: none.
std::optional<double> cap_or(const ConfigFields& config, const char* key, double fallback) {
  if (!config.has(key)) return fallback;
  if (config.find(key) == nullptr) return std::nullopt;
  return config.positive(key);
}

Architecture read_gemma2(const ConfigFields& config) {
  Architecture a = gemma_like(config);
  const std::string layer = "model.layers.{}.";
  a.layer.attention_post_norm = norm_of(layer + "post_attention_layernorm");
  a.layer.mlp_norm = norm_of(layer + "pre_feedforward_layernorm");
  a.layer.mlp_post_norm = norm_of(layer + "post_feedforward_layernorm");
  // No default: releases of transformers disagree on it (224, 256).
  a.attention_scale = 1 / std::sqrt(config.positive("query_pre_attn_scalar"));
  a.attention_softcap = cap_or(config, "attn_logit_softcapping", 50);
  a.logit_softcap = cap_or(config, "final_logit_softcapping", 30);
  set_windows(
      config, window_or(config, 4096), [](int64_t i) { return i % 2 == 0; }, a);
  return a;
}

Architecture read_phi3(const ConfigFields& config) {
  Architecture a = llama_like(config,
                              {.max_positions = 4096,
                               .norm_epsilon = 1e-5,
                               .pad_id = 32000,
                               .rotary = RotaryDefaults{.partial = true,
                                                        .original_max_positions = 4096,
                                                        .yarn_is_longrope = true}},
                              {});
  const std::string layer = "model.layers.{}.";
  const int64_t rows = a.layer.query_key_value.outputs();
  a.layer.query_key_value.parts = {part_of(layer + "self_attn.qkv_proj", rows, false)};
  a.layer.mlp_in.parts = {part_of(layer + "mlp.gate_up_proj", 2 * a.mlp_size, false)};
  set_windows(config, window_or(config, std::nullopt), every_layer, a);
  return a;
}

Architecture read_olmo2(const ConfigFields& config) {
  Architecture a = llama_like(config, {.max_positions = 2048, .norm_epsilon = 1e-5, .pad_id = 1},
                              all_attention_biases(config));
  add_query_key_norms(QueryKeyNorm::kWholeProjection, a);
  a.layer.attention_norm.reset();
  a.layer.mlp_norm.reset();
  a.layer.attention_post_norm = norm_of("model.layers.{}.post_attention_layernorm");
  a.layer.mlp_post_norm = norm_of("model.layers.{}.post_feedforward_layernorm");
  return a;
}

// ---- Families with LayerNorm and a plain MLP

Architecture read_phi(const ConfigFields& config) {
  refuse_switch(config, "qk_layernorm");
  Architecture a = llama_like(config,
                              {.epsilon_key = "layer_norm_eps",
                               .max_positions = 2048,
                               .norm_epsilon = 1e-5,
                               .activation = "gelu_new",
                               .rotary = RotaryDefaults{.share = 0.5, .partial = true}},
                              {.query_key_value = true});
  const std::string layer = "model.layers.{}.";
  a.norm = kernels::NormKind::kLayer;
  a.gated_mlp = false;
  a.parallel_block = true;
  a.layer.attention_norm = norm_of(layer + "input_layernorm", true);
  a.layer.attention_out.parts = {part_of(layer + "self_attn.dense", a.hidden_size, true)};
  a.layer.mlp_norm.reset();
  a.layer.mlp_in.parts = {part_of(layer + "mlp.fc1", a.mlp_size, true)};
  a.layer.mlp_out.parts = {part_of(layer + "mlp.fc2", a.hidden_size, true)};
  a.final_norm = norm_of("model.final_layernorm", true);
  a.head_bias = "lm_head.bias";
  return a;
}

Architecture read_gpt2(const ConfigFields& config) {
  refuse_switch(config, "scale_attn_by_inverse_layer_idx");
  refuse_switch(config, "add_cross_attention");
  Architecture a = read_sizes(config, {.hidden_key = "n_embd",
                                       .layers_key = "n_layer",
                                       .heads_key = "n_head",
                                       .mlp_key = "n_inner",
                                       .positions_key = "n_positions",
                                       .epsilon_key = "layer_norm_epsilon",
                                       .activation_key = "activation_function",
                                       .mlp_is_four_times_hidden = true,
                                       .grouped_heads = false,
                                       .norm_epsilon = 1e-5,
                                       .activation = "gelu_new",
                                       .tied_embeddings = true,
                                       .padding_row = false,
                                       .rotary = std::nullopt});
  const std::string layer = "transformer.h.{}.";
  const int64_t hidden = a.hidden_size;
  const auto linear = [&](const std::string& name, int64_t inputs, int64_t outputs) {
    return LinearSpec{
        .parts = {part_of(layer + name, outputs, true)}, .inputs = inputs, .transposed = true};
  };
  if (!config.flag_or("scale_attn_weights", true)) a.attention_scale = 1;
  a.norm = kernels::NormKind::kLayer;
  a.gated_mlp = false;
  a.inner_prefix = "transformer.";
  a.embedding = "transformer.wte.weight";
  a.positions = "transformer.wpe.weight";
  a.layer.attention_norm = norm_of(layer + "ln_1", true);
  a.layer.query_key_value = linear("attn.c_attn", hidden, 3 * hidden);
  a.layer.attention_out = linear("attn.c_proj", hidden, hidden);
  a.layer.mlp_norm = norm_of(layer + "ln_2", true);
  a.layer.mlp_in = linear("mlp.c_fc", hidden, a.mlp_size);
  a.layer.mlp_out = linear("mlp.c_proj", a.mlp_size, hidden);
  a.final_norm = norm_of("transformer.ln_f", true);
  set_head("lm_head", a);
  return a;
}

Architecture read_gpt_neox(const ConfigFields& config) {
  Architecture a = read_sizes(config, {.epsilon_key = "layer_norm_eps",
                                       .max_positions = 2048,
                                       .grouped_heads = false,
                                       .norm_epsilon = 1e-5,
                                       .activation = "gelu",
                                       .padding_row = false,
                                       .rotary = RotaryDefaults{.theta_key = "rotary_emb_base",
                                                                .share_key = "rotary_pct",
                                                                .share = 0.25,
                                                                .partial = true}});
  const std::string layer = "gpt_neox.layers.{}.";
  const int64_t hidden = a.hidden_size;
  const bool bias = config.flag_or("attention_bias", true);
  a.norm = kernels::NormKind::kLayer;
  a.gated_mlp = false;
  a.parallel_block = config.flag_or("use_parallel_residual", true);
  a.inner_prefix = "gpt_neox.";
  a.embedding = "gpt_neox.embed_in.weight";
  a.layer.attention_norm = norm_of(layer + "input_layernorm", true);
  a.layer.query_key_value = {
      .parts = {part_of(layer + "attention.query_key_value", 3 * hidden, bias)},
      .inputs = hidden,
      .rows = FusedRows::kByHead};
  a.layer.attention_out = {.parts = {part_of(layer + "attention.dense", hidden, bias)},
                           .inputs = hidden};
  a.layer.mlp_norm = norm_of(layer + "post_attention_layernorm", true);
  a.layer.mlp_in = {.parts = {part_of(layer + "mlp.dense_h_to_4h", a.mlp_size, true)},
                    .inputs = hidden};
  a.layer.mlp_out = {.parts = {part_of(layer + "mlp.dense_4h_to_h", hidden, true)},
                     .inputs = a.mlp_size};
  a.final_norm = norm_of("gpt_neox.final_layer_norm", true);
  set_head("embed_out", a);
  return a;
}

}  // namespace

const FamilyTable& default_family_table() {
  static const FamilyTable table = {
      {{"llama",
        "Llama 2, 3, 3.1, 3.2, 3.3; TinyLlama, SmolLM 2, Yi and others of the same structure",
        "grouped queries, rope scaling, tied embeddings, biases"},
       2,
       read_llama},
      {{"mistral", "Mistral 7B and its successors", "sliding window on all layers"},
       2,
       read_mistral},
      {{"qwen2", "Qwen 1.5, 2, 2.5", "query, key and value biases, windows on the upper layers"},
       std::nullopt,
       read_qwen2},
      {{"qwen3", "Qwen 3 (dense)", "query and key norms per head"}, std::nullopt, read_qwen3},
      {{"gemma", "Gemma 1, CodeGemma", "norms with 1 + w, scaled embeddings"}, 1, gemma_like},
      {{"gemma2", "Gemma 2",
        "soft caps, windows on every other layer, norms before and after each block"},
       1,
       read_gemma2},
      {{"phi", "Phi-1, 1.5, 2", "parallel block, part of each head rotated, biases everywhere"},
       2,
       read_phi},
      {{"phi3", "Phi-3, 3.5 (mini, medium), Phi-4", "fused projections, longrope, sliding window"},
       32000,
       read_phi3},
      {{"gpt2", "GPT-2, DistilGPT-2", "learned positions, transposed weights"}, 50256, read_gpt2},
      {{"gpt_neox", "Pythia, GPT-NeoX-20B",
        "residual parallel or not, part of each head rotated, queries, keys and values "
        "interleaved"},
       2,
       read_gpt_neox},
      {{"olmo2", "OLMo 2", "norms after the blocks, query and key norms over all heads"},
       50279,
       read_olmo2},
  };
  return table;
}

const FamilyRow& find_family(const FamilyTable& table, const ConfigFields& config) {
  const std::optional<std::string> type = config.text("model_type");
  std::vector<std::string_view> known;
  for (const FamilyRow& row : table) {
    if (type == row.family.model_type) return row;
    known.push_back(row.family.model_type);
  }
  throw Error(
      {.what = type ? fmt::format("the model family '{}' is not supported", type->substr(0, 80))
                    : "model_type is missing",
       .where = config.where(),
       .expected = fmt::format("one of {}", fmt::join(known, ", "))});
}

Architecture read_architecture(const std::string& config_json, const std::string& where) {
  const Json json = parse_json(config_json, where);
  const ConfigFields config(json, where);
  const FamilyRow& row = find_family(default_family_table(), config);
  if (config.find("quantization_config") != nullptr) {
    throw Error({.what = "quantized weights are not supported",
                 .where = where,
                 .found = "quantization_config",
                 .hint = "use the unquantized checkpoint"});
  }
  Architecture a = row.read(config);
  if (a.windows.empty()) {
    set_windows(
        config, std::nullopt, [](int64_t) { return false; }, a);
  }
  a.family = row.family.model_type;
  // Since transformers 4.56 the key is "dtype".
  a.stored_dtype = config.text(config.find("dtype") != nullptr ? "dtype" : "torch_dtype");
  return a;
}

const std::vector<ModelFamily>& model_families() {
  static const std::vector<ModelFamily> families = [] {
    std::vector<ModelFamily> list;
    for (const FamilyRow& row : default_family_table()) list.push_back(row.family);
    return list;
  }();
  return families;
}

}  // namespace palimpsest::model
