#include "palimpsest/engine/internal/engine_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <set>

#include "palimpsest/base/error.h"
#include "palimpsest/engine/engine_loader.h"
#include "palimpsest/model/internal/architecture.h"
#include "tests/support/checkpoint_copy.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::engine {
namespace {

std::unique_ptr<model::LanguageModel> load(const std::filesystem::path& folder,
                                           const model::ModelOptions& options = {}) {
  return EngineLoader().load(folder, options);
}

// One model for all tests that leave it as it is.
model::LanguageModel& llama() {
  static const std::unique_ptr<model::LanguageModel> model = load(golden_model_folder("llama"));
  return *model;
}

std::string score_failure(model::LanguageModel& model, const model::Sequence& sequence) {
  const std::vector<model::Sequence> sequences = {{.ids = {1, 2, 3}, .labels = {1, 2, 3}},
                                                  sequence};
  return error_of([&] { model.score(sequences, {}); });
}

std::string generate_failure(model::LanguageModel& model, const model::Prompt& prompt,
                             const model::GenerateOptions& options = {.max_new_tokens = 4}) {
  return error_of([&] { model.generate({{prompt}}, options); });
}

// After one beginning, every token of the vocabulary has a rank of its own, in the order of their
// probabilities.
TEST(EngineModelTest, RanksAreTheOrderOfTheProbabilities) {
  const int64_t vocabulary = llama().info().vocab_size;
  std::vector<model::Sequence> sequences;
  for (int64_t id = 0; id < vocabulary; ++id) {
    sequences.push_back({.ids = {1, 9, 17, id}, .labels = {kIgnoredLabel, kIgnoredLabel, 17, id}});
  }
  const auto scores = llama().score(sequences, {.ranks = true});
  EXPECT_TRUE(llama().score(sequences, {})[0].rank.empty());
  std::vector<double> by_rank(static_cast<size_t>(vocabulary), 1);
  for (size_t i = 0; i < scores.size(); ++i) {
    ASSERT_EQ(scores[i].rank.size(), 2U);
    EXPECT_EQ(scores[i].rank[0] == 0, scores[i].argmax[0] == 17);
    EXPECT_EQ(scores[i].rank[1] == 0, scores[i].argmax[1] == static_cast<int64_t>(i));
    by_rank.at(static_cast<size_t>(scores[i].rank[1])) = scores[i].logprob[1];
  }
  EXPECT_LE(by_rank.front(), 0);
  EXPECT_TRUE(std::ranges::is_sorted(by_rank, std::greater()));
  EXPECT_EQ(std::set<double>(by_rank.begin(), by_rank.end()).size(), by_rank.size());
}

TEST(EngineModelTest, RefusesIdsBeyondTheVocabulary) {
  const std::string message = score_failure(llama(), {{1, 101, 3}, {1, 2, 3}});
  expect_contains(message, "sequence 1: token 1 has the id 101");
  expect_contains(message, "0 to 100");
  expect_contains(score_failure(llama(), {{1, -1}, {1, 1}}), "the id -1");
  expect_contains(generate_failure(llama(), {.ids = {5, 101}}), "prompt 0: token 1 has the id 101");
  expect_contains(generate_failure(llama(), {.ids = {5}, .known = {102}}), "the id 102");
  expect_contains(generate_failure(llama(), {.ids = {5}, .draft = {103}}), "the id 103");
}

TEST(EngineModelTest, StopsOnRequestAndStaysUsable) {
  std::stop_source source;
  source.request_stop();
  const std::vector<model::Sequence> sequences = {{.ids = {1, 2, 3}, .labels = {1, 2, 3}}};
  EXPECT_THROW(llama().score(sequences, {.stop = source.get_token()}), Stopped);
  EXPECT_THROW(llama().score(sequences, {.gradient_norms = {model::NormOrder::kTwo},
                                         .stop = source.get_token()}),
               Stopped);
  EXPECT_THROW(llama().generate({{{.ids = {1, 2}}}}, {.stop = source.get_token()}), Stopped);
  EXPECT_EQ(llama().score(sequences, {}).front().logprob.size(), 2U);
}

// What a fingerprint must know: where generations end is the base's to say.
TEST(EngineLoaderTest, TheFilesOfAnAdapterAreItsBasesToo) {
  const TempFolder folder;
  for (const char* name : {"llama", "llama_lora"}) {
    std::filesystem::copy(golden_model_folder(name), folder.path() / name);
  }
  folder.write("llama/generation_config.json", R"({"eos_token_id": 5})");
  std::set<std::string> names;
  for (const std::filesystem::path& file : EngineLoader().files(folder.path() / "llama_lora")) {
    EXPECT_TRUE(std::filesystem::exists(file)) << file;
    names.insert(file.filename().string());
  }
  EXPECT_EQ(names,
            (std::set<std::string>{"adapter_config.json", "adapter_model.safetensors",
                                   "config.json", "generation_config.json", "model.safetensors"}));
}

TEST(EngineModelTest, RefusesWrongLabels) {
  expect_contains(score_failure(llama(), {{1, 2, 3}, {1, 2}}),
                  "sequence 1: 3 tokens have 2 labels");
  expect_contains(score_failure(llama(), {{1, 2}, {1, 101}}), "the id 101");
  expect_contains(score_failure(llama(), {{1, 2}, {1, -99}}), "the id -99");
}

TEST(EngineModelTest, RefusesWhatIsTooLong) {
  const auto gpt2 = load(golden_model_folder("gpt2"));
  const model::Sequence longest{.ids = std::vector<int64_t>(128, 3),
                                .labels = std::vector<int64_t>(128, 3)};
  EXPECT_EQ(gpt2->score({{longest}}, {})[0].logprob.size(), 127u);
  model::Sequence longer = longest;
  longer.ids.push_back(3);
  longer.labels.push_back(3);
  const std::string message = score_failure(*gpt2, longer);
  expect_contains(message, "129 tokens are too many");
  expect_contains(message, "at most 128");
  expect_contains(generate_failure(*gpt2, {.ids = longer.ids}), "129 tokens are too many");
}

TEST(EngineModelTest, RefusesAnEmptyPrompt) {
  expect_contains(generate_failure(llama(), {}), "prompt 0: it has no tokens");
}

TEST(EngineModelTest, StaysUsableAfterAnError) {
  const std::vector<model::Sequence> sequences = {{.ids = {1, 2, 3}, .labels = {1, 2, 3}}};
  const auto before = llama().score(sequences, {});
  score_failure(llama(), {{1, 101}, {1, 1}});
  EXPECT_EQ(llama().score(sequences, {})[0].logprob, before[0].logprob);
}

// An MLP of 512 units, of which those that were added do nothing: rows of weights as long as this
// lie apart in memory (see weights.cc), and nothing but their place may change.
TEST(EngineModelTest, RoomBetweenTheRowsOfWeightsChangesNothing) {
  CheckpointCopy copy("llama");
  constexpr int64_t kUnits = 512;
  for (const char* layer : {"0", "1"}) {
    const auto widen = [&](const std::string& name, std::vector<int64_t> shape, size_t row_bytes) {
      TestTensor& tensor = copy.tensor(std::string("model.layers.") + layer + ".mlp." + name);
      const size_t added = row_bytes * static_cast<size_t>(shape[0]) - tensor.bytes.size();
      const size_t rows = shape[0] == kUnits ? 1 : static_cast<size_t>(shape[0]);
      const size_t old_row = tensor.bytes.size() / rows;
      for (size_t row = rows; row > 0; --row) {
        tensor.bytes.insert(row * old_row, added / rows, '\0');
      }
      tensor.shape = std::move(shape);
    };
    const int64_t width = copy.tensor("model.norm.weight").shape[0];
    const size_t number =
        copy.tensor("model.norm.weight").bytes.size() / static_cast<size_t>(width);
    widen("gate_proj.weight", {kUnits, width}, static_cast<size_t>(width) * number);
    widen("up_proj.weight", {kUnits, width}, static_cast<size_t>(width) * number);
    widen("down_proj.weight", {width, kUnits}, kUnits * number);
  }
  copy.config["intermediate_size"] = kUnits;
  const auto wide = load(copy.write());
  const std::vector<model::Sequence> sequences = {
      {.ids = {1, 2, 3, 4, 5, 6}, .labels = {1, 2, 3, 4, 5, 6}},
      {.ids = {9, 8, 7}, .labels = {9, 8, 7}}};
  const model::ScoreOptions options{.gradient_norms = {model::NormOrder::kTwo}};
  const auto expected = llama().score(sequences, options);
  const auto found = wide->score(sequences, options);
  for (size_t i = 0; i < sequences.size(); ++i) {
    EXPECT_EQ(found[i].logprob, expected[i].logprob);
    ASSERT_EQ(expected[i].gradient_norms.size(), 1u);
    EXPECT_NEAR(found[i].gradient_norms.at(0), expected[i].gradient_norms[0],
                1e-6 + 1e-5 * expected[i].gradient_norms[0]);
  }
  const model::Prompt prompt{.ids = {5, 6}};
  EXPECT_EQ(wide->generate({&prompt, 1}, {.max_new_tokens = 20})[0].ids,
            llama().generate({&prompt, 1}, {.max_new_tokens = 20})[0].ids);
}

TEST(EngineModelTest, NothingToDo) {
  EXPECT_TRUE(llama().score({}, {}).empty());
  EXPECT_TRUE(llama().score({}, {.gradient_norms = {model::NormOrder::kTwo}}).empty());
  EXPECT_TRUE(llama().generate({}, {}).empty());
}

TEST(EngineModelTest, SequencesWithoutLabels) {
  const std::vector<model::Sequence> sequences = {
      {},
      {.ids = {7}, .labels = {7}},
      {.ids = {7, 8, 9}, .labels = {7, kIgnoredLabel, kIgnoredLabel}},
      {.ids = {7, 8, 9}, .labels = {kIgnoredLabel, kIgnoredLabel, 9}}};
  for (const bool with_gradients : {false, true}) {
    model::ScoreOptions options;
    if (with_gradients) options.gradient_norms = {model::NormOrder::kTwo};
    const auto scores = llama().score(sequences, options);
    ASSERT_EQ(scores.size(), 4u);
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_TRUE(scores[i].logprob.empty());
      EXPECT_TRUE(scores[i].argmax.empty());
      EXPECT_TRUE(scores[i].gradient_norms.empty());
    }
    EXPECT_EQ(scores[3].logprob.size(), 1u);
    // Only the last token's: no loss is left.
    EXPECT_TRUE(scores[3].gradient_norms.empty());
  }
}

// The resident model reads everything at once, the streamed one when the layer's turn comes.
TEST(EngineModelTest, NanInAWeight) {
  CheckpointCopy copy("llama");
  copy.set("model.layers.1.mlp.up_proj.weight", 5, std::numeric_limits<float>::quiet_NaN());
  const auto folder = copy.write();
  const std::string expected = "tensor 'model.layers.1.mlp.up_proj.weight' of the checkpoint holds";
  expect_contains(error_of([&] { load(folder); }), expected);
  const auto streamed = load(folder, {.residence = model::Residence::kStreamed});
  const model::Sequence sequence{.ids = {1, 2, 3}, .labels = {1, 2, 3}};
  for (int attempt = 0; attempt < 2; ++attempt) {
    expect_contains(score_failure(*streamed, sequence), expected);
  }
}

// Weights that are finite, but whose products are not.
TEST(EngineModelTest, OutputThatIsNotFinite) {
  CheckpointCopy copy("llama");
  copy.fill("lm_head.weight", 3e38F);
  const auto model = load(copy.write());
  const std::string expected = "the model's output is not a number";
  const model::Sequence sequence{.ids = {1, 2, 3, 4}, .labels = {1, 2, 3, 4}};
  expect_contains(score_failure(*model, sequence), expected);
  expect_contains(
      error_of([&] { model->score({{sequence}}, {.gradient_norms = {model::NormOrder::kTwo}}); }),
      expected);
  expect_contains(generate_failure(*model, {.ids = {1, 2}}), expected);
  expect_contains(
      generate_failure(*model, {.ids = {1, 2}}, {.max_new_tokens = 4, .repetition_penalty = 1.5}),
      expected);
  expect_contains(generate_failure(*model, {.ids = {1, 2}}, {.max_new_tokens = 4, .sample = true}),
                  expected);
}

TEST(EngineModelTest, OutputThatIsNotFiniteBehindASoftCap) {
  CheckpointCopy copy("gemma2");
  copy.fill("model.layers.3.mlp.down_proj.weight", 3e38F);
  copy.set("model.layers.3.mlp.down_proj.weight", 0, -3e38F);
  const auto model = load(copy.write());
  const model::Sequence sequence{.ids = {1, 2, 3, 4}, .labels = {1, 2, 3, 4}};
  expect_contains(score_failure(*model, sequence), "the model's output is not a number");
}

TEST(EngineModelTest, AnAdapterThatDoesNotFit) {
  CheckpointCopy copy("llama");
  copy.write();
  copy.add_adapter(
      R"({"peft_type": "LORA", "r": 1, "lora_alpha": 1})",
      {zeros("base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight", {1, 40}),
       zeros("base_model.model.model.layers.0.self_attn.q_proj.lora_B.weight", {32, 1})});
  expect_contains(error_of([&] { load(copy.folder.path()); }), "do not fit");
}

TEST(EngineModelTest, TellsAboutItself) {
  const model::ModelInfo& info = llama().info();
  const std::filesystem::path config = golden_model_folder("llama") / "config.json";
  const model::Architecture architecture =
      model::read_architecture(read_file(config), config.string());
  EXPECT_EQ(info.source, golden_model_folder("llama").string());
  EXPECT_EQ(info.vocab_size, architecture.vocab_size);
  EXPECT_EQ(info.max_positions, architecture.max_positions);
  EXPECT_EQ(info.device, "cpu");
  EXPECT_EQ(info.dtype, "float32");
  EXPECT_EQ(info.residence, model::Residence::kResident);
  EXPECT_EQ(info.num_parameters, model::num_parameters(architecture));
}

// Dynamic frequencies change with the length once that is beyond the 24 positions of training.
TEST(EngineModelTest, SaysWhetherPositionsOfTwoLengthsAgree) {
  const auto dynamic = load(golden_model_folder("llama_rope_dynamic"));
  ASSERT_TRUE(dynamic->info().positions_agree);
  EXPECT_TRUE(dynamic->info().positions_agree(3, 24));
  EXPECT_FALSE(dynamic->info().positions_agree(24, 25));
  ASSERT_TRUE(llama().info().positions_agree);
  EXPECT_TRUE(llama().info().positions_agree(1, 1000));
  EXPECT_FALSE(load(golden_model_folder("gpt2"))->info().positions_agree);  // learned: no rotation
}

}  // namespace
}  // namespace palimpsest::engine
