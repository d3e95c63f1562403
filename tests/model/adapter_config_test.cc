#include "palimpsest/model/internal/adapter_config.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/expect_error.h"

namespace palimpsest::model {
namespace {

// A plain configuration with one more member.
AdapterConfig read_adapter(const std::string& more) {
  return read_adapter_config(R"({"peft_type": "LORA", "r": 4, "lora_alpha": 6)" + more + "}",
                             "test", "merge it");
}

std::string adapter_failure(const std::string& more) {
  return error_of([&] { read_adapter(more); });
}

TEST(AdapterConfigTest, ReadsRankScaleAndBase) {
  const AdapterConfig config =
      read_adapter(R"(, "base_model_name_or_path": "org/name", "revision": "v2", "unknown": [1])");
  EXPECT_EQ(config.rank_of("model.layers.0.mlp.up_proj"), 4);
  EXPECT_EQ(config.scale_of("model.layers.0.mlp.up_proj"), 1.5);
  EXPECT_EQ(config.base, "org/name");
  EXPECT_EQ(config.base_revision, "v2");
}

TEST(AdapterConfigTest, TheBaseMayBeUnnamed) {
  EXPECT_EQ(read_adapter(R"(, "base_model_name_or_path": null, "revision": null)").base, "");
  EXPECT_EQ(read_adapter("").base, "");
  EXPECT_EQ(read_adapter("").base_revision, std::nullopt);
}

TEST(AdapterConfigTest, RankStabilizedScalesByTheRoot) {
  EXPECT_EQ(read_adapter(R"(, "use_rslora": true)").scale_of("m"), 3.0);
}

// The expected values are PEFT's: get_pattern_key() on each map, first match first.
TEST(AdapterConfigTest, PatternsNameModulesFromTheirEnd) {
  const AdapterConfig config = read_adapter(
      R"(, "rank_pattern": {"layers.1.self_attn.q_proj": 16, "q_proj": 2, "lm_head": 3},
           "alpha_pattern": {"proj": 100, "q_proj": 8})");
  EXPECT_EQ(config.rank_of("model.layers.0.self_attn.q_proj"), 2);
  EXPECT_EQ(config.rank_of("model.layers.1.self_attn.q_proj"), 16);
  EXPECT_EQ(config.rank_of("model.layers.11.self_attn.q_proj"), 2);
  EXPECT_EQ(config.rank_of("model.layers.0.self_attn.v_proj"), 4);
  EXPECT_EQ(config.rank_of("lm_head"), 3);
  EXPECT_EQ(config.scale_of("model.layers.0.self_attn.q_proj"), 4.0);
  EXPECT_EQ(config.scale_of("model.layers.1.self_attn.q_proj"), 0.5);
  EXPECT_EQ(config.scale_of("model.layers.0.self_attn.v_proj"), 1.5);
}

TEST(AdapterConfigTest, ARegularExpressionAsPatternIsRefused) {
  EXPECT_EQ(adapter_failure(R"(, "rank_pattern": {"^model\\..*q_proj": 2})"),
            "test: 'rank_pattern' holds a regular expression, which is not supported (expected "
            "names of modules, found \"^model\\\\..*q_proj\"); merge it");
  expect_contains(adapter_failure(R"(, "alpha_pattern": {"": 2})"),
                  "'alpha_pattern' holds a regular");
}

TEST(AdapterConfigTest, ReadsWhichModulesItTargets) {
  constexpr const char* kUp = "model.layers.0.mlp.up_proj";
  constexpr const char* kQuery = "model.layers.1.self_attn.q_proj";
  const auto of = [](const std::string& more) { return read_adapter(", " + more).targets; };
  EXPECT_FALSE(read_adapter("").targets.is_given());
  EXPECT_FALSE(of(R"("target_modules": null)").is_given());
  EXPECT_TRUE(of(R"("target_modules": ["q_proj"])").contain(kQuery, false));
  EXPECT_FALSE(of(R"("target_modules": ["q_proj"])").contain(kUp, false));
  EXPECT_TRUE(of(R"("target_modules": ".*mlp.*")").contain(kUp, false));
  EXPECT_FALSE(of(R"("target_modules": ".*mlp.*")").contain(kQuery, false));
  EXPECT_TRUE(of(R"("target_modules": "All-Linear")").all_linear);
  EXPECT_FALSE(
      of(R"("target_modules": "all-linear", "exclude_modules": ["up_proj"])").contain(kUp, false));
  const std::string both = R"("target_modules": ["up_proj", "q_proj"], )";
  EXPECT_FALSE(of(both + R"("layers_to_transform": 0)").contain(kQuery, false));
  EXPECT_TRUE(of(both + R"("layers_to_transform": [1, 5])").contain(kQuery, false));
  EXPECT_TRUE(of(both + R"("layers_to_transform": [])").contain(kQuery, false));
  EXPECT_TRUE(
      of(both + R"("layers_to_transform": 1, "layers_pattern": "layers")").contain(kQuery, false));
  EXPECT_FALSE(
      of(both + R"("layers_to_transform": 1, "layers_pattern": ["h"])").contain(kQuery, false));
}

TEST(AdapterConfigTest, MalformedTargetsAreNamed) {
  expect_contains(adapter_failure(R"(, "target_modules": 3)"), "'target_modules' is malformed");
  expect_contains(adapter_failure(R"(, "target_modules": ["q", 3])"),
                  "'target_modules' is malformed");
  expect_contains(adapter_failure(R"(, "target_modules": "(")"),
                  "test: target_modules: the regular expression '(' cannot be used");
  expect_contains(adapter_failure(R"(, "target_modules": ["q"], "layers_to_transform": [-1])"),
                  "'layers_to_transform' is malformed");
  expect_contains(
      adapter_failure(R"(, "target_modules": ".*", "layers_to_transform": [1])"),
      "'layers_to_transform' cannot be combined with a 'target_modules' that is a text");
}

TEST(AdapterConfigTest, WhatIsNotPlainLoraIsRefusedByName) {
  EXPECT_EQ(error_of([] { read_adapter_config(R"({"peft_type": "IA3"})", "test", "merge it"); }),
            "test: adapters with peft_type: \"IA3\" are not supported, only plain LoRA is; merge "
            "it");
  struct Case {
    const char* member;
    const char* message;
  };
  for (const auto& [member, message] : {
           Case{R"("use_dora": true)", "use_dora: true are"},
           {R"("modules_to_save": ["lm_head"])", "modules_to_save: [\"lm_head\"] are"},
           {R"("trainable_token_indices": [1])", "trainable_token_indices: [1] are"},
           {R"("lora_bias": true)", "lora_bias: true are"},
           {R"("layer_replication": [[0, 4]])", "layer_replication: [[0,4]] are"},
           {R"("target_parameters": ["w"])", "target_parameters: [\"w\"] are"},
           {R"("use_qalora": true)", "use_qalora: true are"},
           {R"("alora_invocation_tokens": [5])", "alora_invocation_tokens: [5] are"},
           {R"("bias": "all")", "bias: \"all\" are"},
           {R"("init_lora_weights": "pissa")", "init_lora_weights: \"pissa\" are"},
           {R"("init_lora_weights": "olora")", "init_lora_weights: \"olora\" are"},
       }) {
    expect_contains(adapter_failure(std::string(", ") + member), message);
  }
}

TEST(AdapterConfigTest, FeaturesThatAreSwitchedOffDoNotMatter) {
  EXPECT_EQ(
      read_adapter(R"(, "use_dora": false, "modules_to_save": [], "trainable_token_indices": null,
                      "layer_replication": null, "bias": "none", "init_lora_weights": "gaussian",
                      "rank_pattern": {}, "alpha_pattern": null, "fan_in_fan_out": true)")
          .rank,
      4);
}

TEST(AdapterConfigTest, MalformedFieldsAreNamed) {
  const auto of = [](const std::string& json) {
    return error_of([&] { read_adapter_config(json, "test", ""); });
  };
  expect_contains(of("{"), "test: this is not valid JSON");
  expect_contains(of("[]"), "test: this is not a JSON object");
  expect_contains(of("{}"), "the key 'peft_type' is missing");
  expect_contains(of(R"({"peft_type": "LORA"})"), "the key 'r' is missing");
  expect_contains(of(R"({"peft_type": "LORA", "r": 8})"), "the key 'lora_alpha' is missing");
  for (const char* rank : {"0", "-1", "2.5", "\"8\"", "null", "1e300", "18446744073709551615"}) {
    expect_contains(of(std::string(R"({"peft_type": "LORA", "lora_alpha": 1, "r": )") + rank + "}"),
                    "'r' is malformed (expected a whole number from 1");
  }
  for (const char* alpha : {"\"x\"", "null", "NaN", "[1]"}) {
    expect_contains(
        of(std::string(R"({"peft_type": "LORA", "r": 1, "lora_alpha": )") + alpha + "}"),
        "'lora_alpha' is malformed (expected a number");
  }
  expect_contains(adapter_failure(R"(, "use_rslora": 1)"), "'use_rslora' is malformed");
  expect_contains(adapter_failure(R"(, "base_model_name_or_path": 3)"),
                  "is malformed (expected a text");
  expect_contains(adapter_failure(R"(, "rank_pattern": [1])"), "'rank_pattern' is malformed");
  expect_contains(adapter_failure(R"(, "rank_pattern": {"q": 0})"),
                  "'rank_pattern.q' is malformed");
}

}  // namespace
}  // namespace palimpsest::model
