#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "palimpsest/base/internal/file.h"
#include "palimpsest/engine/internal/trainer.h"
#include "palimpsest/lab/internal/adamw.h"
#include "palimpsest/lab/internal/model_folder.h"
#include "palimpsest/lab/internal/token_losses.h"
#include "tests/support/golden_tensors.h"

namespace palimpsest::lab {
namespace {

AdamWOptions options_of(const Json& golden) {
  const auto number = [&](const char* name) { return golden.at(name).get<double>(); };
  return {.learning_rate = number("learning_rate"),
          .final_share = number("final_share"),
          .warmup_share = number("warmup_share"),
          .weight_decay = number("weight_decay"),
          .beta1 = number("beta1"),
          .beta2 = number("beta2"),
          .epsilon = number("epsilon"),
          .max_gradient_norm = number("max_gradient_norm")};
}

Batch batch_of(const Json& step) {
  std::vector<data::Example> examples;
  std::vector<int64_t> members;
  for (const Json& line : step.at("sequences")) {
    members.push_back(std::ssize(examples));
    examples.push_back({.ids = line.at("ids").get<std::vector<int64_t>>(),
                        .labels = line.at("labels").get<std::vector<int64_t>>()});
  }
  return make_batch(examples, members);
}

class TrainingGoldenTest : public testing::TestWithParam<std::string> {};

// Five steps of AdamW, next to torch's in float64.
TEST_P(TrainingGoldenTest, MatchesTorch) {
  const std::filesystem::path folder =
      std::filesystem::path(PALIMPSEST_GOLDEN_DIR) / "model" / GetParam();
  const Json golden = read_golden("training/" + GetParam() + ".json");
  const model::Architecture architecture =
      model::read_architecture(read_file(folder / "config.json"), GetParam());
  WorkerPool pool(2);
  engine::Trainer trainer(architecture, read_weights(folder, architecture, pool), pool);
  const AdamWOptions options = options_of(golden.at("manifest").at("options"));
  AdamW optimizer(options, trainer.weights(), trainer.gradients());
  const Json& steps = golden.at("steps");
  for (size_t i = 0; i < steps.size(); ++i) {
    const Batch batch = batch_of(steps[i]);
    const double share = 1.0 / static_cast<double>(batch.num_labels);
    const double loss = share * total_of(trainer.accumulate(
                                    batch.sequences, {.weights = even_weights(batch, share)}));
    const double rate = learning_rate(options, static_cast<int64_t>(i), std::ssize(steps));
    const double length = optimizer.step(rate, pool);
    trainer.clear_gradients();
    EXPECT_NEAR(rate, steps[i].at("learning_rate").get<double>(), 1e-12);
    EXPECT_NEAR(loss, steps[i].at("loss").get<double>(), 1e-5);
    const double expected = steps[i].at("gradient_norm").get<double>();
    EXPECT_NEAR(length, expected, 1e-5 * expected);
  }
  const auto tensors = read_golden_tensors("training/" + GetParam() + ".safetensors.gz");
  std::map<std::string, double> changes;
  for (const Json& line : golden.at("tensors")) {
    changes[line.at("name").get<std::string>()] = line.at("change").get<double>();
  }
  engine::for_each_parameter(
      architecture, trainer.weights(),
      [&](const model::Parameter& parameter, std::span<const float> numbers) {
        const std::vector<float>& expected = tensors.at(parameter.name);
        ASSERT_EQ(numbers.size(), expected.size());
        double difference = 0;
        for (size_t k = 0; k < numbers.size(); ++k) {
          const double d = static_cast<double>(numbers[k]) - static_cast<double>(expected[k]);
          difference += d * d;
        }
        // Adam divides by gradients that may be tiny: float32 alone is off by up to 4e-4 of this.
        EXPECT_LE(std::sqrt(difference), 3e-3 * changes.at(parameter.name)) << parameter.name;
      });
}

INSTANTIATE_TEST_SUITE_P(Models, TrainingGoldenTest, testing::Values("llama", "gpt2", "gemma2"),
                         [](const auto& param) { return param.param; });

}  // namespace
}  // namespace palimpsest::lab
