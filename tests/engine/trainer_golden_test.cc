#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "palimpsest/base/internal/file.h"
#include "palimpsest/engine/internal/parameter_tensors.h"
#include "palimpsest/engine/internal/trainer.h"
#include "palimpsest/model/internal/parameter_check.h"
#include "tests/support/golden_tensors.h"

namespace palimpsest::engine {
namespace {

std::vector<std::string> cases() {
  std::set<std::string> names;
  const std::filesystem::path folder = std::filesystem::path(PALIMPSEST_GOLDEN_DIR) / "gradients";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") names.insert(entry.path().stem().string());
  }
  return {names.begin(), names.end()};
}

// A golden checkpoint ready for training.
struct Loaded {
  explicit Loaded(const std::string& name, int threads)
      : folder(std::filesystem::path(PALIMPSEST_GOLDEN_DIR) / "model" / name),
        architecture(model::read_architecture(read_file(folder / "config.json"), name)),
        pool(threads),
        source(architecture, model::Checkpoint::open(folder), std::nullopt, pool) {}

  std::filesystem::path folder;
  model::Architecture architecture;
  WorkerPool pool;
  WeightSource source;
};

struct GoldenBatch {
  std::vector<model::Sequence> sequences;
  TokenValues weights;
};

GoldenBatch batch_of(const Json& golden) {
  GoldenBatch batch;
  for (const Json& line : golden.at("sequences")) {
    model::Sequence sequence{.ids = line.at("ids").get<std::vector<int64_t>>(),
                             .labels = line.at("labels").get<std::vector<int64_t>>()};
    const auto weights = line.at("weights").get<std::vector<double>>();
    std::vector<double> labelled;
    for (size_t t = 1; t < weights.size(); ++t) {
      if (sequence.labels[t] != kIgnoredLabel) labelled.push_back(weights[t]);
    }
    batch.sequences.push_back(std::move(sequence));
    batch.weights.push_back(std::move(labelled));
  }
  return batch;
}

double loss_of(const TokenValues& values, const TokenValues& weights) {
  double loss = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    for (size_t k = 0; k < values[i].size(); ++k) loss += weights[i][k] * values[i][k];
  }
  return loss;
}

std::map<std::string, std::vector<float>> gradients_of(const Trainer& trainer) {
  std::map<std::string, std::vector<float>> gradients;
  for_each_parameter(trainer.architecture(), trainer.gradients(),
                     [&](const model::Parameter& parameter, std::span<const float> numbers) {
                       gradients[parameter.name].assign(numbers.begin(), numbers.end());
                     });
  return gradients;
}

class TrainerGoldenTest : public testing::TestWithParam<std::string> {};

TEST_P(TrainerGoldenTest, GradientsOfEveryParameterMatchAutograd) {
  const Json golden = read_golden("gradients/" + GetParam() + ".json");
  const auto expected = read_golden_tensors("gradients/" + GetParam() + ".safetensors.gz");
  const GoldenBatch batch = batch_of(golden.at("batches").at(0));
  // With everything kept, with layers run again, and a sequence at a time.
  for (const TrainerLimits& limits :
       {TrainerLimits{}, TrainerLimits{.tape_bytes = 0}, TrainerLimits{.max_rows = 1}}) {
    Loaded loaded(GetParam(), 2);
    Trainer trainer(loaded.architecture, loaded.source.all(), loaded.pool, limits);
    const TokenValues values = trainer.accumulate(batch.sequences, {.weights = batch.weights});
    EXPECT_NEAR(loss_of(values, batch.weights), golden.at("batches").at(0).at("loss").get<double>(),
                1e-4);
    const auto gradients = gradients_of(trainer);
    ASSERT_EQ(gradients.size(), expected.size());
    for (const auto& [name, numbers] : expected) {
      ASSERT_TRUE(gradients.contains(name)) << name;
      const std::vector<float>& ours = gradients.at(name);
      ASSERT_EQ(ours.size(), numbers.size()) << name;
      double difference = 0;
      double norm = 0;
      for (size_t i = 0; i < ours.size(); ++i) {
        const double d = static_cast<double>(ours[i]) - static_cast<double>(numbers[i]);
        difference += d * d;
        norm += static_cast<double>(numbers[i]) * static_cast<double>(numbers[i]);
      }
      EXPECT_LE(std::sqrt(difference), 1e-4 * std::sqrt(norm)) << name;
    }
  }
}

TEST_P(TrainerGoldenTest, ThreadsAndRecomputationChangeNothing) {
  const GoldenBatch batch =
      batch_of(read_golden("gradients/" + GetParam() + ".json").at("batches").at(0));
  const auto gradients = [&](int threads, const TrainerLimits& limits) {
    Loaded loaded(GetParam(), threads);
    Trainer trainer(loaded.architecture, loaded.source.all(), loaded.pool, limits);
    trainer.accumulate(batch.sequences, {.weights = batch.weights});
    return gradients_of(trainer);
  };
  const auto one = gradients(1, {});
  EXPECT_EQ(gradients(2, {}), one);
  EXPECT_EQ(gradients(3, {.tape_bytes = 0}), one);
}

INSTANTIATE_TEST_SUITE_P(Models, TrainerGoldenTest, testing::ValuesIn(cases()),
                         [](const auto& param) { return param.param; });

}  // namespace
}  // namespace palimpsest::engine
