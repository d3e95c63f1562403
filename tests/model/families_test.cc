#include "palimpsest/model/internal/families.h"

#include <gtest/gtest.h>

#include <cmath>

#include "palimpsest/base/internal/file.h"
#include "tests/support/expect_error.h"

namespace palimpsest::model {
namespace {

using Windows = std::vector<int64_t>;

// A small config.json of the family that reads without an error.
Json small_config(const std::string& family) {
  if (family == "gpt2") {
    return Json{{"model_type", "gpt2"}, {"vocab_size", 50},  {"n_embd", 16},
                {"n_layer", 2},         {"n_positions", 32}, {"n_head", 4}};
  }
  Json config{{"model_type", family},   {"vocab_size", 50},         {"hidden_size", 16},
              {"num_hidden_layers", 2}, {"num_attention_heads", 4}, {"num_key_value_heads", 2},
              {"intermediate_size", 40}};
  if (family == "gemma2") config["query_pre_attn_scalar"] = 64;
  // A whole number of pairs in a quarter of a head.
  if (family == "gpt_neox") config["hidden_size"] = 32;
  return config;
}

Architecture read_config(const Json& config) {
  return read_architecture(config.dump(), "config.json");
}

// The small config with some keys set; null included.
Architecture read_with(const std::string& family, const Json& changes) {
  Json config = small_config(family);
  config.update(changes);
  return read_config(config);
}

std::string refusal(const std::string& family, const Json& changes) {
  return error_of([&] { read_with(family, changes); });
}

std::string refusal_without(const std::string& family, const std::string& key) {
  Json config = small_config(family);
  config.erase(key);
  return error_of([&] { read_config(config); });
}

Architecture golden_architecture(const std::string& name) {
  return read_architecture(
      read_file(std::string(PALIMPSEST_GOLDEN_DIR "/model/") + name + "/config.json"), name);
}

TEST(FamiliesTest, EveryFamilyReadsAndIsConsistent) {
  EXPECT_EQ(model_families().size(), default_family_table().size());
  for (const ModelFamily& family : model_families()) {
    SCOPED_TRACE(family.model_type);
    EXPECT_FALSE(family.models.empty());
    EXPECT_FALSE(family.features.empty());
    const Architecture a = read_config(small_config(family.model_type));
    EXPECT_EQ(a.family, family.model_type);
    EXPECT_EQ(a.num_heads % a.num_kv_heads, 0);
    EXPECT_EQ(static_cast<int64_t>(a.windows.size()), a.num_layers);
    EXPECT_EQ(a.layer.query_key_value.outputs(), (a.num_heads + 2 * a.num_kv_heads) * a.head_dim);
    EXPECT_EQ(a.layer.query_key_value.inputs, a.hidden_size);
    EXPECT_EQ(a.layer.attention_out.outputs(), a.hidden_size);
    EXPECT_EQ(a.layer.attention_out.inputs, a.num_heads * a.head_dim);
    EXPECT_EQ(a.layer.mlp_in.outputs(), a.gated_mlp ? 2 * a.mlp_size : a.mlp_size);
    EXPECT_EQ(a.layer.mlp_out.inputs, a.mlp_size);
    EXPECT_EQ(a.layer.mlp_out.outputs(), a.hidden_size);
    EXPECT_EQ(a.head.has_value(), !a.tied_embeddings);
    EXPECT_EQ(a.rotary.has_value(), !a.positions.has_value());
    EXPECT_EQ(a.layer.query_norm.has_value(), a.query_key_norm != QueryKeyNorm::kNone);
    EXPECT_EQ(a.layer.key_norm.has_value(), a.query_key_norm != QueryKeyNorm::kNone);
    for (const Parameter& parameter : parameters(a)) {
      EXPECT_TRUE(parameter.name.starts_with(a.inner_prefix) || parameter.name == a.head ||
                  parameter.name == a.head_bias)
          << parameter.name;
    }
  }
}

TEST(FamiliesTest, ClassDefaultsFillWhatIsAbsent) {
  Json config = small_config("llama");
  config.erase("num_key_value_heads");
  const Architecture llama = read_config(config);
  EXPECT_EQ(llama.num_kv_heads, 4);
  EXPECT_EQ(llama.head_dim, 4);
  EXPECT_EQ(llama.max_positions, 2048);
  EXPECT_EQ(llama.norm_epsilon, 1e-6);
  EXPECT_EQ(llama.rotary->theta, 10000);
  EXPECT_FALSE(llama.tied_embeddings);
  EXPECT_EQ(llama.padding_index, std::nullopt);
  EXPECT_EQ(llama.stored_dtype, std::nullopt);
  EXPECT_EQ(read_config(small_config("gemma")).head_dim, 256);
  EXPECT_EQ(read_config(small_config("qwen3")).head_dim, 128);
  EXPECT_EQ(read_config(small_config("phi3")).norm_epsilon, 1e-5);
  EXPECT_EQ(read_config(small_config("gpt2")).mlp_size, 64);
  EXPECT_EQ(read_config(small_config("gpt2")).max_positions, 32);
  EXPECT_EQ(read_config(small_config("mistral")).max_positions, 131072);
  for (const char* tied : {"gemma", "gemma2", "gpt2"}) {
    EXPECT_TRUE(read_config(small_config(tied)).tied_embeddings) << tied;
  }
  expect_contains(refusal_without("mistral", "num_key_value_heads"),
                  "num_key_value_heads (8) does not divide num_attention_heads (4)");
}

TEST(FamiliesTest, NullMeansAsManyKeysAsHeads) {
  for (const char* family : {"llama", "mistral", "qwen2", "gemma"}) {
    const Architecture a = read_with(family, {{"num_key_value_heads", nullptr}, {"head_dim", 8}});
    EXPECT_EQ(a.num_kv_heads, 4) << family;
    EXPECT_EQ(a.head_dim, 8) << family;
  }
}

TEST(FamiliesTest, WindowsFollowTheFamily) {
  EXPECT_EQ(read_config(small_config("mistral")).windows, Windows({4096, 4096}));
  EXPECT_EQ(read_with("mistral", {{"sliding_window", nullptr}}).windows, Windows({0, 0}));
  EXPECT_EQ(read_config(small_config("gemma2")).windows, Windows({4096, 0}));
  EXPECT_EQ(read_config(small_config("phi3")).windows, Windows({0, 0}));
  EXPECT_EQ(read_with("phi3", {{"sliding_window", 9}}).windows, Windows({9, 9}));
  EXPECT_EQ(read_with("llama", {{"sliding_window", 9}}).windows, Windows({0, 0}));
  const Json qwen = {{"use_sliding_window", true}, {"sliding_window", 9}, {"max_window_layers", 1}};
  EXPECT_EQ(read_with("qwen2", qwen).windows, Windows({0, 9}));
  EXPECT_EQ(read_with("qwen3", qwen).windows, Windows({0, 9}));
  EXPECT_EQ(read_with("qwen2", {{"sliding_window", 9}, {"max_window_layers", 0}}).windows,
            Windows({0, 0}));
  expect_contains(refusal("mistral", {{"sliding_window", 0}}), "sliding_window is out of range");
}

TEST(FamiliesTest, LayerTypesWinOverTheRule) {
  const Json types = {"full_attention", "sliding_attention"};
  EXPECT_EQ(read_with("gemma2", {{"layer_types", types}, {"sliding_window", 7}}).windows,
            Windows({0, 7}));
  EXPECT_EQ(read_with("llama", {{"layer_types", {"full_attention", "full_attention"}}}).windows,
            Windows({0, 0}));
  expect_contains(refusal("llama", {{"layer_types", types}}), "no sliding_window is in use");
  expect_contains(refusal("gemma2", {{"layer_types", {"full_attention"}}}),
                  "layer_types is not an array of 2 names");
  expect_contains(refusal("gemma2", {{"layer_types", {"full_attention", "chunked"}}}),
                  "not supported");
  expect_contains(refusal("gemma2", {{"layer_types", {"full_attention", 3}}}), "not supported");
}

TEST(FamiliesTest, PaddingRowsAreTransformers) {
  EXPECT_EQ(read_with("llama", {{"pad_token_id", 3}}).padding_index, 3);
  EXPECT_EQ(read_with("llama", {{"pad_token_id", -1}}).padding_index, 49);
  EXPECT_EQ(read_with("llama", {{"pad_token_id", nullptr}}).padding_index, std::nullopt);
  EXPECT_EQ(read_with("phi", {{"pad_token_id", 3}}).padding_index, 3);
  EXPECT_EQ(read_with("gpt2", {{"pad_token_id", 3}}).padding_index, std::nullopt);
  EXPECT_EQ(read_with("gpt_neox", {{"pad_token_id", 3}}).padding_index, std::nullopt);
  // Gemma's class default is 0; Phi-3's, 32000, lies beyond this vocabulary.
  EXPECT_EQ(read_config(small_config("gemma")).padding_index, 0);
  EXPECT_EQ(read_with("gemma", {{"pad_token_id", nullptr}}).padding_index, std::nullopt);
  EXPECT_EQ(read_config(small_config("phi3")).padding_index, std::nullopt);
  expect_contains(refusal("llama", {{"pad_token_id", 50}}), "beyond the vocabulary of 50");
  expect_contains(refusal("llama", {{"pad_token_id", -51}}), "beyond the vocabulary of 50");
}

TEST(FamiliesTest, ActivationsHaveManyNames) {
  const auto activation = [](const char* name) {
    return read_with("llama", {{"hidden_act", name}}).activation;
  };
  EXPECT_EQ(activation("swish"), kernels::Activation::kSilu);
  EXPECT_EQ(activation("gelu"), kernels::Activation::kGelu);
  EXPECT_EQ(activation("gelu_new"), kernels::Activation::kGeluTanh);
  EXPECT_EQ(activation("gelu_fast"), kernels::Activation::kGeluTanh);
  EXPECT_EQ(activation("gelu_pytorch_tanh"), kernels::Activation::kGeluTanh);
  EXPECT_EQ(activation("relu"), kernels::Activation::kRelu);
  EXPECT_EQ(read_with("gemma", {{"hidden_act", "gelu"}}).activation,
            kernels::Activation::kGeluTanh);
  EXPECT_EQ(read_with("gemma", {{"hidden_activation", "gelu"}}).activation,
            kernels::Activation::kGelu);
  expect_contains(
      refusal("llama", {{"hidden_act", "quick_gelu"}}),
      "config.json: the hidden_act 'quick_gelu' is not supported (expected one of silu");
}

TEST(FamiliesTest, RopeScalingInAllSpellings) {
  const auto scaling = [](const Json& value) {
    return read_with("llama", {{"rope_scaling", value}}).rotary->scaling;
  };
  EXPECT_EQ(scaling(nullptr), RopeScaling::kNone);
  EXPECT_EQ(scaling({{"rope_type", "default"}}), RopeScaling::kNone);
  EXPECT_EQ(scaling({{"type", "linear"}, {"factor", 2}}), RopeScaling::kLinear);
  EXPECT_EQ(scaling({{"rope_type", "dynamic"}, {"factor", 2.5}}), RopeScaling::kDynamic);
  const Json factors = {1.0, 2.0};
  EXPECT_EQ(scaling({{"type", "su"}, {"short_factor", factors}, {"long_factor", factors}}),
            RopeScaling::kLongRope);
  const Json yarn = {{"type", "yarn"}, {"short_factor", factors}, {"long_factor", factors}};
  EXPECT_EQ(read_with("phi3", {{"rope_scaling", yarn}}).rotary->scaling, RopeScaling::kLongRope);
  expect_contains(refusal("llama", {{"rope_scaling", yarn}}),
                  "config.json: rope_scaling: the rope scaling 'yarn' is not supported (expected "
                  "one of default, linear, dynamic, llama3, longrope)");
}

TEST(FamiliesTest, RopeParametersOfNewerFiles) {
  const Architecture a = read_with("llama", {{"rope_parameters",
                                              {{"rope_type", "llama3"},
                                               {"rope_theta", 500000.0},
                                               {"factor", 8},
                                               {"low_freq_factor", 1},
                                               {"high_freq_factor", 4},
                                               {"original_max_position_embeddings", 64}}},
                                             {"dtype", "bfloat16"},
                                             {"max_position_embeddings", 512}});
  EXPECT_EQ(a.rotary->theta, 500000);
  EXPECT_EQ(a.rotary->scaling, RopeScaling::kLlama3);
  EXPECT_EQ(a.rotary->original_max_positions, 64);
  EXPECT_EQ(a.max_positions, 512);
  EXPECT_EQ(a.stored_dtype, "bfloat16");
  const Json plain = {{"rope_type", "default"}, {"rope_theta", 7}, {"partial_rotary_factor", 0.5}};
  EXPECT_EQ(read_with("gpt_neox", {{"rope_parameters", plain}}).rotary->dims, 4);
  EXPECT_EQ(read_with("gpt_neox", {{"rope_parameters", plain}}).rotary->theta, 7);
  expect_contains(refusal("gemma2", {{"rope_parameters", {{"full_attention", {{"x", 1}}}}}}),
                  "rope_parameters differs between kinds of layers");
}

TEST(FamiliesTest, LongestSequenceFollowsTheScaling) {
  const auto longest = [](const Json& scaling) {
    return read_with("llama", {{"rope_scaling", scaling}, {"max_position_embeddings", 100}})
        .max_positions;
  };
  EXPECT_EQ(longest(nullptr), 100);
  EXPECT_EQ(longest({{"rope_type", "linear"}, {"factor", 2.5}}), 250);
  EXPECT_EQ(longest({{"rope_type", "dynamic"}, {"factor", 2}}), std::nullopt);
}

TEST(FamiliesTest, LongRopeAttentionFactor) {
  const auto attention_factor = [](Json scaling, const Json& changes) {
    scaling["type"] = "longrope";
    scaling["short_factor"] = {1, 1};
    scaling["long_factor"] = {1, 1};
    Json all = changes;
    all["rope_scaling"] = scaling;
    return read_with("phi3", all).rotary->attention_factor;
  };
  const Json longer = {{"max_position_embeddings", 131072},
                       {"original_max_position_embeddings", 4096}};
  const double usual = std::sqrt(1 + std::log(32.0) / std::log(4096.0));
  EXPECT_DOUBLE_EQ(attention_factor(Json::object(), longer), usual);
  EXPECT_EQ(attention_factor({{"attention_factor", 1.5}}, longer), 1.5);
  EXPECT_EQ(attention_factor(Json::object(), {{"max_position_embeddings", 4096}}), 1);
}

TEST(FamiliesTest, RefusesWhatTheDecoderLacksByName) {
  expect_contains(refusal("phi", {{"qk_layernorm", true}}), "qk_layernorm is not supported");
  expect_contains(refusal("gpt2", {{"scale_attn_by_inverse_layer_idx", true}}),
                  "scale_attn_by_inverse_layer_idx is not supported");
  expect_contains(refusal("gpt2", {{"add_cross_attention", true}}), "add_cross_attention");
  expect_contains(refusal("llama", {{"partial_rotary_factor", 0.5}}), "partial_rotary_factor");
  expect_contains(
      refusal("llama", {{"quantization_config", {{"quant_method", "gptq"}}}}),
      "config.json: quantized weights are not supported (found quantization_config); use the "
      "unquantized checkpoint");
  EXPECT_EQ(read_with("llama", {{"quantization_config", nullptr}}).vocab_size, 50);
  EXPECT_EQ(read_with("gpt2", {{"scale_attn_weights", false}}).attention_scale, 1);
  // In float32 it is the same computation.
  EXPECT_EQ(read_with("gpt2", {{"reorder_and_upcast_attn", true}}).attention_scale, 0.5);
}

TEST(FamiliesTest, UnknownFamiliesGetTheList) {
  EXPECT_EQ(refusal("llama", {{"model_type", "mamba"}}),
            "config.json: the model family 'mamba' is not supported (expected one of llama, "
            "mistral, qwen2, qwen3, gemma, gemma2, phi, phi3, gpt2, gpt_neox, olmo2)");
  expect_contains(refusal_without("llama", "model_type"), "model_type is missing");
  expect_contains(refusal("llama", {{"model_type", 3}}), "model_type is not a string");
}

TEST(FamiliesTest, EverySizeIsRequiredAndInRange) {
  for (const char* key : {"vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads",
                          "intermediate_size"}) {
    EXPECT_EQ(refusal_without("llama", key), std::string("config.json: ") + key + " is missing");
    for (const Json& bad : {Json(0), Json(-3), Json(1.5), Json("16"), Json(true), Json(1ull << 40),
                            Json(~0ull), Json::array(), Json::object()}) {
      expect_contains(refusal("llama", {{key, bad}}), std::string(key) + " is out of range");
    }
  }
  for (const char* key : {"n_embd", "n_layer", "n_head", "n_positions"}) {
    EXPECT_EQ(refusal_without("gpt2", key), std::string("config.json: ") + key + " is missing");
  }
  expect_contains(refusal("llama", {{"num_hidden_layers", 10'001}}), "from 1 to 10000");
  expect_contains(refusal("llama", {{"num_attention_heads", 3}}),
                  "hidden_size (16) is not a multiple of num_attention_heads (3)");
  expect_contains(refusal("llama", {{"num_key_value_heads", 3}}), "does not divide");
  expect_contains(refusal("llama", {{"head_dim", 1 << 20}}),
                  "heads of 1048576 numbers are too many");
  expect_contains(refusal("llama", {{"head_dim", 5}}), "5 numbers of a head would be rotated");
  expect_contains(refusal("llama", {{"rms_norm_eps", 0}}), "rms_norm_eps is out of range");
  expect_contains(refusal("llama", {{"rope_theta", -1}}), "rope_theta is out of range");
  expect_contains(refusal("llama", {{"rope_theta", 1e200}}), "rope_theta is out of range");
  expect_contains(refusal("llama", {{"attention_bias", "yes"}}), "attention_bias is not true or");
  expect_contains(refusal_without("gemma2", "query_pre_attn_scalar"), "query_pre_attn_scalar is");
}

TEST(FamiliesTest, RopeScalingIsChecked) {
  const auto message = [](const Json& scaling) {
    return refusal("llama", {{"rope_scaling", scaling}});
  };
  expect_contains(message(3), "config.json: rope_scaling: this is not a JSON object");
  expect_contains(message({{"type", 3}}), "type is not a string");
  expect_contains(message({{"type", "linear"}}), "config.json: rope_scaling: factor is missing");
  expect_contains(message({{"type", "linear"}, {"factor", "x"}}), "factor is out of range");
  expect_contains(message({{"type", "linear"}, {"factor", 1e9}}), "factor is out of range");
  expect_contains(message({{"type", "longrope"}, {"short_factor", {1}}, {"long_factor", {1, 1}}}),
                  "short_factor is not an array of 2 numbers");
  expect_contains(
      message({{"type", "longrope"}, {"short_factor", {1, 0}}, {"long_factor", {1, 1}}}),
      "short_factor holds 0");
  expect_contains(message({{"type", "llama3"},
                           {"factor", 8},
                           {"low_freq_factor", 4},
                           {"high_freq_factor", 4},
                           {"original_max_position_embeddings", 64}}),
                  "high_freq_factor is not greater");
}

TEST(FamiliesTest, RefusesWhatIsNoConfig) {
  expect_contains(error_of([] { read_architecture("{", "config.json"); }), "not valid JSON");
  expect_contains(error_of([] { read_architecture("[1]", "config.json"); }), "not a JSON object");
  expect_contains(error_of([] { read_architecture("", "config.json"); }), "not valid JSON");
}

TEST(FamiliesGoldenTest, LlamaAndItsVariations) {
  const Architecture plain = golden_architecture("llama");
  EXPECT_EQ(plain.norm_epsilon, 1e-3);
  EXPECT_EQ(plain.activation, kernels::Activation::kSilu);
  EXPECT_EQ(plain.stored_dtype, "float32");
  const Architecture tied = golden_architecture("llama_gqa_tied");
  EXPECT_TRUE(tied.tied_embeddings);
  EXPECT_EQ(tied.padding_index, 3);
  EXPECT_EQ(tied.rotary->theta, 5000);
  EXPECT_EQ(golden_architecture("llama_rope_linear").max_positions, 128);
  EXPECT_EQ(golden_architecture("llama_rope_dynamic").max_positions, std::nullopt);
  EXPECT_EQ(golden_architecture("llama_rope_dynamic").rotary->original_max_positions, 24);
  EXPECT_EQ(golden_architecture("llama_rope_llama3").rotary->scaling, RopeScaling::kLlama3);
  EXPECT_EQ(golden_architecture("mistral").windows, Windows({12, 12}));
  EXPECT_EQ(golden_architecture("qwen2").windows, Windows({0, 0, 0}));
  EXPECT_EQ(golden_architecture("qwen3").query_key_norm, QueryKeyNorm::kEachHead);
  EXPECT_EQ(golden_architecture("olmo2").query_key_norm, QueryKeyNorm::kWholeProjection);
  EXPECT_EQ(golden_architecture("olmo2").layer.attention_norm, std::nullopt);
}

TEST(FamiliesGoldenTest, GemmaAndPhi) {
  EXPECT_EQ(golden_architecture("gemma").norm, kernels::NormKind::kRmsPlus);
  EXPECT_EQ(golden_architecture("gemma").activation, kernels::Activation::kGeluTanh);
  EXPECT_DOUBLE_EQ(golden_architecture("gemma").embedding_scale, std::sqrt(32.0));
  const Architecture gemma2 = golden_architecture("gemma2");
  EXPECT_EQ(gemma2.windows, Windows({10, 0, 10, 0}));
  EXPECT_EQ(gemma2.attention_softcap, 5);
  EXPECT_EQ(gemma2.logit_softcap, 8);
  EXPECT_DOUBLE_EQ(gemma2.attention_scale, 1 / std::sqrt(24.0));
  const Architecture phi = golden_architecture("phi");
  EXPECT_TRUE(phi.parallel_block);
  EXPECT_EQ(phi.rotary->dims, 6);
  EXPECT_EQ(phi.head_bias, "lm_head.bias");
  EXPECT_EQ(phi.layer.mlp_norm, std::nullopt);
  EXPECT_EQ(golden_architecture("phi3_window").windows, Windows({12, 12}));
  EXPECT_EQ(golden_architecture("phi3_longrope").max_positions, 128);
  EXPECT_EQ(golden_architecture("phi3_longrope").rotary->original_max_positions, 32);
}

TEST(FamiliesGoldenTest, Gpt) {
  const Architecture gpt2 = golden_architecture("gpt2");
  EXPECT_EQ(gpt2.max_positions, 128);
  EXPECT_EQ(gpt2.mlp_size, 160);
  EXPECT_TRUE(gpt2.layer.mlp_in.transposed);
  EXPECT_EQ(golden_architecture("gpt2_bare").mlp_size, 64);
  const Architecture neox = golden_architecture("gpt_neox");
  EXPECT_TRUE(neox.parallel_block);
  EXPECT_EQ(neox.rotary->dims, 4);
  EXPECT_EQ(neox.layer.query_key_value.rows, FusedRows::kByHead);
  EXPECT_FALSE(golden_architecture("gpt_neox_sequential").parallel_block);
}

}  // namespace
}  // namespace palimpsest::model
