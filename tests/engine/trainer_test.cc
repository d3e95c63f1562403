#include "palimpsest/engine/internal/trainer.h"

#include <gtest/gtest.h>

#include <numeric>

#include "palimpsest/base/internal/file.h"
#include "palimpsest/engine/internal/parameter_tensors.h"
#include "tests/support/golden_models.h"

namespace palimpsest::engine {
namespace {

class TrainerTest : public testing::Test {
 protected:
  double gradient_length() const {
    double sum = 0;
    for (const WeightBlock& block : weight_blocks(trainer_.gradients())) {
      for (int64_t row = 0; row < block.matrix.rows(); ++row) {
        for (int64_t i = 0; i < block.matrix.columns(); ++i) {
          const auto value = static_cast<double>(block.matrix.row(row)[i]);
          sum += value * value;
        }
      }
    }
    return std::sqrt(sum);
  }

  // The same weight for every labelled token.
  static LossTerm even(double weight) {
    return {.weigh = [weight](size_t, std::span<const double> log_p) {
      return std::vector<double>(log_p.size(), weight);
    }};
  }

  std::filesystem::path folder_ = golden_model_folder("llama_gqa_tied");
  model::Architecture architecture_ =
      model::read_architecture(read_file(folder_ / "config.json"), "config");
  WorkerPool pool_{2};
  WeightSource source_{architecture_, model::Checkpoint::open(folder_), std::nullopt, pool_};
  Trainer trainer_{architecture_, source_.all(), pool_};
  std::vector<model::Sequence> sequences_ =
      sequences_of(golden_of("llama_gqa_tied").at("sequences"));
};

TEST_F(TrainerTest, LossesAreMinusTheLogProbabilities) {
  const TokenValues log_p = trainer_.log_probabilities(sequences_);
  const TokenValues losses = trainer_.accumulate(sequences_, even(1));
  ASSERT_EQ(losses.size(), log_p.size());
  for (size_t i = 0; i < losses.size(); ++i) {
    ASSERT_EQ(losses[i].size(), log_p[i].size());
    for (size_t k = 0; k < losses[i].size(); ++k) EXPECT_NEAR(losses[i][k], -log_p[i][k], 1e-5);
  }
}

TEST_F(TrainerTest, WeightsMayDependOnTheLogProbabilities) {
  const TokenValues log_p = trainer_.log_probabilities(sequences_);
  TokenValues seen(sequences_.size());
  trainer_.accumulate(sequences_, {.weigh = [&](size_t i, std::span<const double> values) {
                        seen[i].assign(values.begin(), values.end());
                        return std::vector<double>(values.size(), 1.0);
                      }});
  EXPECT_EQ(seen, log_p);
}

TEST_F(TrainerTest, GradientsAddUpUntilTheyAreCleared) {
  trainer_.accumulate(sequences_, even(0.5));
  const double once = gradient_length();
  EXPECT_GT(once, 0);
  trainer_.accumulate(sequences_, even(0.5));
  EXPECT_NEAR(gradient_length(), 2 * once, 1e-4 * once);
  trainer_.accumulate(sequences_, even(-1));
  EXPECT_LT(gradient_length(), 1e-4 * once);
  trainer_.clear_gradients();
  EXPECT_EQ(gradient_length(), 0);
}

TEST_F(TrainerTest, AModelDoesNotDivergeFromItself) {
  const std::unique_ptr<Ops> ops = make_cpu_ops(architecture_, pool_);
  Decoder same(architecture_, deep_copy(trainer_.weights()), *ops);
  LossTerm term = even(1);
  term.other = &same;
  for (const std::vector<double>& sequence : trainer_.accumulate(sequences_, term)) {
    for (const double divergence : sequence) EXPECT_NEAR(divergence, 0, 1e-5);
  }
  EXPECT_LT(gradient_length(), 1e-4);
}

TEST_F(TrainerTest, SequencesWithoutLabelsTakeNoPart) {
  std::vector<model::Sequence> unlabelled = {sequences_[0]};
  unlabelled[0].labels.assign(unlabelled[0].labels.size(), kIgnoredLabel);
  const TokenValues losses = trainer_.accumulate(unlabelled, even(1));
  ASSERT_EQ(losses.size(), 1U);
  EXPECT_TRUE(losses[0].empty());
  EXPECT_EQ(gradient_length(), 0);
}

}  // namespace
}  // namespace palimpsest::engine
