// The ways in which checkpoints are stored that load as in transformers, and those that are refused
// by name. The table in docs/models.md has one row per test.
#include <gtest/gtest.h>

#include "palimpsest/base/log.h"
#include "palimpsest/engine/engine_loader.h"
#include "tests/engine/same_scores.h"
#include "tests/support/checkpoint_copy.h"
#include "tests/support/expect_error.h"

namespace palimpsest::engine {
namespace {

std::vector<model::SequenceScores> scores_of(const std::string& golden,
                                             const std::filesystem::path& folder) {
  return EngineLoader()
      .load(folder, {})
      ->score(sequences_of(golden_of(golden).at("sequences")), {});
}

void expect_same_as_golden(const std::string& golden, const std::filesystem::path& folder) {
  expect_same(scores_of(golden, folder), scores_of(golden, golden_model_folder(golden)));
}

// Replaces a prefix of every name that begins with it.
void rename_prefix(CheckpointCopy& copy, const std::string& from, const std::string& to) {
  for (TestTensor& tensor : copy.tensors) {
    if (tensor.name.starts_with(from)) tensor.name = to + tensor.name.substr(from.size());
  }
}

std::string refusal_of(const CheckpointCopy& copy) {
  const std::filesystem::path folder = copy.write();
  return error_of([&] { EngineLoader().load(folder, {}); });
}

TEST(LoadingRulesTest, NamesWithoutThePrefixOfTheInnerModel) {
  for (const auto& [golden, prefix] : std::vector<std::pair<std::string, std::string>>{
           {"llama", "model."}, {"gpt2", "transformer."}, {"gpt_neox_sequential", "gpt_neox."}}) {
    SCOPED_TRACE(golden);
    CheckpointCopy copy(golden);
    rename_prefix(copy, prefix, "");
    expect_same_as_golden(golden, copy.write());
  }
}

TEST(LoadingRulesTest, ABaseModelHasAHeadOnlyIfItIsTied) {
  CheckpointCopy tied("llama_gqa_tied");
  rename_prefix(tied, "model.", "");
  expect_same_as_golden("llama_gqa_tied", tied.write());
  CheckpointCopy copy("llama");
  rename_prefix(copy, "model.", "");
  copy.remove("lm_head.weight");
  expect_contains(refusal_of(copy), "this is a base model without a head");
}

TEST(LoadingRulesTest, TiedWeightsByTheAliasInMetadata) {
  CheckpointCopy copy("llama_gqa_tied");
  rename_prefix(copy, "model.embed_tokens.weight", "lm_head.weight");
  copy.config["tie_word_embeddings"] = false;  // so that nothing but the alias says it
  copy.write();
  copy.folder.write(
      "model.safetensors",
      safetensors_of(copy.tensors,
                     {{"format", "pt"}, {"model.embed_tokens.weight", "lm_head.weight"}}));
  expect_same_as_golden("llama_gqa_tied", copy.folder.path());
}

TEST(LoadingRulesTest, TiedWeightsByTheNameOfTheHead) {
  CheckpointCopy copy("llama_gqa_tied");
  rename_prefix(copy, "model.embed_tokens.weight", "lm_head.weight");
  expect_same_as_golden("llama_gqa_tied", copy.write());
}

TEST(LoadingRulesTest, MissingBiasesCountAsZero) {
  CheckpointCopy zero("llama_biases");
  CheckpointCopy without("llama_biases");
  for (TestTensor& tensor : zero.tensors) {
    if (!tensor.name.ends_with("_proj.bias")) continue;
    without.remove(tensor.name);
    tensor.bytes.assign(tensor.bytes.size(), '\0');
  }
  ASSERT_LT(without.tensors.size(), zero.tensors.size());
  const WarningCapture capture;
  expect_same(scores_of("llama_biases", without.write()), scores_of("llama_biases", zero.write()));
  ASSERT_EQ(capture.warnings().size(), 1U);
  expect_contains(capture.warnings()[0], "are missing and count as 0: model.layers.0.self_attn.");
  // A norm's and the head's.
  CheckpointCopy phi("phi");
  phi.remove("model.final_layernorm.bias");
  phi.remove("lm_head.bias");
  EXPECT_NO_THROW(scores_of("phi", phi.write()));
}

TEST(LoadingRulesTest, BuffersOfOlderReleasesAreSkipped) {
  CheckpointCopy copy("llama");
  copy.tensors.push_back(zeros("model.layers.0.self_attn.rotary_emb.cos_cached", {1}));
  copy.tensors.push_back(zeros("model.rotary_emb.inv_freq", {4}));
  expect_same_as_golden("llama", copy.write());
}

TEST(LoadingRulesTest, ShardsWithoutAnIndex) {
  CheckpointCopy copy("llama");
  copy.write();
  std::filesystem::remove(copy.folder.path() / "model.safetensors");
  const auto half = copy.tensors.begin() + static_cast<std::ptrdiff_t>(copy.tensors.size() / 2);
  copy.folder.write("model-00001-of-00002.safetensors",
                    safetensors_of({copy.tensors.begin(), half}));
  const auto load = [&] { EngineLoader().load(copy.folder.path(), {}); };
  expect_contains(error_of(load), "the shard model-00002-of-00002.safetensors is missing");
  copy.folder.write("model-00002-of-00002.safetensors", safetensors_of({half, copy.tensors.end()}));
  expect_same_as_golden("llama", copy.folder.path());
  copy.folder.write("model-00001-of-00003.safetensors", "");
  expect_contains(error_of(load), "shards of several checkpoints");
}

TEST(LoadingRulesTest, Float8IsRefusedByName) {
  CheckpointCopy copy("llama");
  TestTensor& tensor = copy.tensor("model.layers.0.mlp.down_proj.weight");
  tensor.dtype = "F8_E4M3";
  tensor.bytes.resize(tensor.bytes.size() / 4);
  const std::string message = refusal_of(copy);
  expect_contains(message, "found F8_E4M3");
  expect_contains(message, "not quantized");
}

TEST(LoadingRulesTest, SpellingsOfRopeScaling) {
  CheckpointCopy copy("llama_rope_linear");
  ASSERT_TRUE(copy.config["rope_scaling"].contains("type"));  // the older one
  const double factor = copy.config["rope_scaling"]["factor"];
  copy.config["rope_scaling"] = {{"rope_type", "linear"}, {"factor", factor}};
  expect_same_as_golden("llama_rope_linear", copy.write());
  copy.config["rope_scaling"] = nullptr;
  copy.config["rope_parameters"] = {
      {"rope_type", "linear"}, {"factor", factor}, {"rope_theta", copy.config["rope_theta"]}};
  copy.config.erase("rope_theta");
  expect_same_as_golden("llama_rope_linear", copy.write());
  copy.config["rope_parameters"]["rope_type"] = "yarn";
  expect_contains(refusal_of(copy), "the rope scaling 'yarn' is not supported");
}

}  // namespace
}  // namespace palimpsest::engine
