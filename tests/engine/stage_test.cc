// A model whose layers are divided among stages gives the bits of the whole model: for every golden
// checkpoint, any division, shared beginnings and masks.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <span>

#include "palimpsest/engine/engine_loader.h"
#include "palimpsest/model/stage_link.h"
#include "tests/engine/decoder_parts.h"
#include "tests/engine/same_scores.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden_models.h"

namespace palimpsest::engine {
namespace {

// What is sent to the next stage waits there. The stages run one after the other.
class QueueLink : public model::StageLink {
 public:
  QueueLink(std::deque<std::vector<float>>* before, std::deque<std::vector<float>>* after)
      : before_(before), after_(after) {}
  void send(std::span<const float> block) override {
    ASSERT_NE(after_, nullptr);
    after_->emplace_back(block.begin(), block.end());
  }
  void receive(std::span<float> block) override {
    ASSERT_NE(before_, nullptr);
    ASSERT_FALSE(before_->empty());
    ASSERT_EQ(before_->front().size(), block.size());
    std::ranges::copy(before_->front(), block.begin());
    before_->pop_front();
  }

 private:
  std::deque<std::vector<float>>* before_;
  std::deque<std::vector<float>>* after_;
};

// All stages of a model in this process.
class Pipeline {
 public:
  Pipeline(const std::filesystem::path& folder, int64_t count,
           const model::ModelOptions& options = {.threads = 1})
      : queues_(static_cast<size_t>(count - 1)) {
    for (int64_t i = 0; i < count; ++i) {
      const auto next = static_cast<size_t>(i);
      links_.push_back(std::make_unique<QueueLink>(i > 0 ? &queues_[next - 1] : nullptr,
                                                   i + 1 < count ? &queues_[next] : nullptr));
      model::ModelOptions own = options;
      own.stage = model::Stage{.index = i, .count = count, .link = links_.back().get()};
      stages_.push_back(EngineLoader().load(folder, own));
    }
  }

  std::vector<model::SequenceScores> score(const std::vector<model::Sequence>& sequences,
                                           const model::ScoreOptions& options = {}) {
    std::vector<model::SequenceScores> scores;
    for (const auto& stage : stages_) {
      EXPECT_TRUE(scores.empty());
      scores = stage->score(sequences, options);
    }
    for (const auto& queue : queues_) EXPECT_TRUE(queue.empty());
    return scores;
  }

  model::LanguageModel& stage(size_t i) { return *stages_[i]; }
  int64_t weight_bytes() const {
    int64_t sum = 0;
    for (const auto& stage : stages_) sum += stage->info().weight_bytes;
    return sum;
  }

 private:
  std::vector<std::deque<std::vector<float>>> queues_;
  std::vector<std::unique_ptr<QueueLink>> links_;
  std::vector<std::unique_ptr<model::LanguageModel>> stages_;
};

// Of an adapter: the layers of its base, which has two.
int64_t layers_of(const std::filesystem::path& folder) {
  const std::filesystem::path config = folder / "config.json";
  if (!std::filesystem::exists(config)) return 2;
  return model::read_architecture(read_file(config), config.string()).num_layers;
}

std::vector<std::string> names_without_adapters() {
  std::vector<std::string> names = golden_model_names();
  std::erase_if(names, [](const std::string& name) { return name.ends_with("_lora"); });
  return names;
}

class StageTest : public testing::TestWithParam<std::string> {};
class StageCacheTest : public testing::TestWithParam<std::string> {};

TEST_P(StageTest, TheBitsOfTheWholeModel) {
  const std::filesystem::path folder = golden_model_folder(GetParam());
  const auto whole = EngineLoader().load(folder, {.threads = 2});
  const auto sequences = sequences_for(GetParam(), whole->info().vocab_size);
  for (int64_t count = 2; count <= layers_of(folder); ++count) {
    SCOPED_TRACE(count);
    Pipeline pipeline(folder, count);
    expect_same(pipeline.score(sequences), whole->score(sequences, {}));
    const model::ScoreOptions masked{.masked_token = sequences.back().ids[3], .ranks = true};
    const auto expected = whole->score(sequences, masked);
    const auto found = pipeline.score(sequences, masked);
    expect_same(found, expected);
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(found[i].rank, expected[i].rank);
  }
}

// Batches of a few rows: keys of shared beginnings are kept by the stage of their layer from batch
// to batch, and long texts are cut.
TEST_P(StageCacheTest, SharedBeginnings) {
  DecoderParts whole(GetParam(), false, 1);
  const model::Architecture& architecture = whole.source->architecture();
  const auto sequences = sequences_for(GetParam(), architecture.vocab_size);
  for (const int64_t max_rows : {7, 64}) {
    SCOPED_TRACE(max_rows);
    std::deque<std::vector<float>> queue;
    QueueLink first(nullptr, &queue);
    QueueLink second(&queue, nullptr);
    const auto scores_of = [&](int64_t begin, int64_t end, model::StageLink& link) {
      Decoder decoder(architecture, Decoder::Layers{.begin = begin, .end = end},
                      whole.source->part(begin, end, to_device_with(*whole.ops)), *whole.ops);
      return score_sequences(decoder, sequences, {}, {.max_rows = max_rows, .link = &link});
    };
    EXPECT_TRUE(scores_of(0, 1, first).empty());
    expect_same(scores_of(1, architecture.num_layers, second), whole.score(sequences, {}));
    EXPECT_TRUE(queue.empty());
  }
}

const auto kModelName = [](const auto& tested) { return tested.param; };
INSTANTIATE_TEST_SUITE_P(Golden, StageTest, testing::ValuesIn(golden_model_names()), kModelName);
INSTANTIATE_TEST_SUITE_P(Golden, StageCacheTest, testing::ValuesIn(names_without_adapters()),
                         kModelName);

TEST(StageModelTest, EachStageHasTheWeightsOfItsLayersAlone) {
  const std::filesystem::path tied = golden_model_folder("llama_gqa_tied");
  const auto whole = EngineLoader().load(tied, {});
  Pipeline pipeline(tied, 2);
  const std::filesystem::path config = tied / "config.json";
  const model::Architecture a = model::read_architecture(read_file(config), config.string());
  ASSERT_FALSE(a.head);
  // The table is there twice, and nothing else.
  EXPECT_EQ(pipeline.weight_bytes(), whole->info().weight_bytes + 4 * a.vocab_size * a.hidden_size);
  EXPECT_EQ(pipeline.stage(0).info().num_parameters, whole->info().num_parameters);

  DecoderParts parts("llama", false);
  const ModelWeights second = parts.source->part(1, 2, to_device_with(*parts.ops));
  EXPECT_FALSE(second.embedding.defined());
  EXPECT_FALSE(second.layers[0].mlp_in.weight.defined());
  EXPECT_TRUE(second.layers[1].mlp_in.weight.defined());
}

TEST(StageModelTest, OnlyScores) {
  const std::filesystem::path folder = golden_model_folder("llama");
  Pipeline pipeline(folder, 2);
  const std::vector<model::Sequence> sequences = {{.ids = {5, 6, 7}, .labels = {5, 6, 7}}};
  for (const size_t i : {0, 1}) {
    expect_contains(error_of([&] {
                      pipeline.stage(i).score(sequences,
                                              {.gradient_norms = {model::NormOrder::kTwo}});
                    }),
                    "gradient norms need a whole model");
    const std::vector<model::Prompt> prompts = {{.ids = {5, 6}}};
    expect_contains(error_of([&] { pipeline.stage(i).generate(prompts, {}); }),
                    "generation needs a whole model");
  }
}

TEST(StageModelTest, WhatCannotBeSplit) {
  const std::filesystem::path folder = golden_model_folder("llama");
  QueueLink link(nullptr, nullptr);
  EngineLoader loader;
  const auto load = [&](int64_t count, model::ModelOptions options) {
    options.stage = model::Stage{.index = 0, .count = count, .link = &link};
    return error_of([&] { loader.load(folder, options); });
  };
  expect_contains(load(99, {}), "cannot be split among 99 processes");
  expect_contains(load(2, {.residence = model::Residence::kStreamed}), "cannot be streamed");
  expect_contains(load(2, {.memory_limit = 1000}),
                  "layers 1 to 1, the share of process 0 of 2, need");
}

}  // namespace
}  // namespace palimpsest::engine
