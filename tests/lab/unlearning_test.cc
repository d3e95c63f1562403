#include "palimpsest/lab/unlearning.h"

#include <gtest/gtest.h>

#include <cmath>

#include "palimpsest/base/file.h"
#include "palimpsest/lab/lab_examples.h"
#include "palimpsest/lab/unlearn_loss.h"
#include "tests/lab/tiny.h"
#include "tests/support/expect_error.h"

namespace palimpsest::lab {
namespace {

// One trained model for all tests.
struct Trained {
  TinyWorld world;
  std::filesystem::path model = world.path() / "trained";

  Trained() {
    TrainOptions options = world.training("trained");
    options.epochs = 60;
    options.optimizer.learning_rate = 1e-2;
    train_model(options);
  }

  UnlearnOptions options(UnlearnMethod method, const std::string& out) const {
    return {.model = model,
            .forget = {world.file("forget25")},
            .retain = {world.file("retain75")},
            .out = world.path() / out,
            .method = method,
            .optimizer = {.learning_rate = 2e-3},
            .epochs = 6,
            .batch_size = 4};
  }
};

const Trained& trained() {
  static const Trained made;
  return made;
}

TEST(UnlearningTest, EveryMethodForgetsAndThoseThatRetainRetain) {
  UnlearnOptions before = trained().options(UnlearnMethod::kGradDiff, "before");
  before.optimizer.learning_rate = 0;
  before.epochs = 1;
  const UnlearnResult old = unlearn_model(before);
  ASSERT_LT(old.forget_loss, 0.5);
  for (const UnlearnMethodInfo& info : unlearn_methods()) {
    const UnlearnResult result =
        unlearn_model(trained().options(info.method, std::string(info.name)));
    EXPECT_GT(result.forget_loss, old.forget_loss + 0.5) << info.name;
    if (info.retains) {
      EXPECT_LT(result.retain_loss, result.forget_loss / 2) << info.name;
    }
    EXPECT_EQ(result.steps, 12) << info.name;
  }
}

TEST(UnlearningTest, ThreadsDoNotChangeAByteAndFinishedWorkIsFound) {
  UnlearnOptions one = trained().options(UnlearnMethod::kNpo, "one");
  one.threads = 1;
  UnlearnOptions three = trained().options(UnlearnMethod::kNpo, "three");
  three.threads = 3;
  unlearn_model(one);
  unlearn_model(three);
  EXPECT_EQ(read_file(one.out / "model.safetensors"), read_file(three.out / "model.safetensors"));
  EXPECT_TRUE(unlearn_model(three).reused);
  three.beta = 0.2;
  EXPECT_FALSE(unlearn_model(three).reused);
}

TEST(UnlearningTest, RefusesBadInput) {
  const auto failure = [&](auto change) {
    UnlearnOptions options = trained().options(UnlearnMethod::kNpo, "refused");
    change(options);
    const std::string message = error_of([&] { unlearn_model(options); });
    EXPECT_FALSE(std::filesystem::exists(options.out));
    return message;
  };
  expect_contains(failure([](UnlearnOptions& o) { o.model = "absent"; }), "absent");
  expect_contains(failure([](UnlearnOptions& o) { o.forget.clear(); }), "nothing to forget");
  expect_contains(failure([](UnlearnOptions& o) { o.retain.clear(); }), "examples to retain");
  expect_contains(failure([](UnlearnOptions& o) { o.beta = 0; }), "beta");
  expect_contains(failure([](UnlearnOptions& o) { o.gamma = std::nan(""); }), "gamma");
  expect_contains(failure([](UnlearnOptions& o) { o.batch_size = 0; }), "examples a step");
  UnlearnOptions itself = trained().options(UnlearnMethod::kNpo, "refused");
  itself.out = itself.model / ".";
  expect_contains(error_of([&] { unlearn_model(itself); }), "would replace the model itself");
  EXPECT_TRUE(std::filesystem::exists(itself.model / "config.json"));
  expect_contains(error_of([] { unlearn_method("magic"); }), "simnpo");
  EXPECT_EQ(unlearn_method("kl").method, UnlearnMethod::kKl);
}

// The value of a method's loss on one batch, next to what its formula gives.
class UnlearnLossTest : public testing::Test {
 protected:
  UnlearnLossTest()
      : layout_(read_architecture(read_file(trained().model / "config.json"), "config"), "config"),
        tokenizer_(Tokenizer::load(trained().model)),
        examples_(read_examples(std::vector{trained().world.file("forget25")}, trained().model,
                                tokenizer_, 96)),
        session_(layout_, layout_.read(Checkpoint::open(trained().model), "model"),
                 longest_of(examples_), 1),
        batch_(make_batch(examples_, {0, 1, 2, 3, 4, 5})) {}

  // Sum over the shards, under the parameters moved by `shift`.
  template <class Part>
  double total(float shift, Part part) {
    std::vector<float> values = session_.values();
    for (float& value : values) value += shift;
    double sum = 0;
    session_.evaluate(1, [&](const NetworkTensors&, int64_t) {
      const NetworkTensors weights(layout_, values.data(), false);
      for (size_t s = 0; s < batch_.shards.size(); ++s) {
        sum += *part(weights, s).template data_ptr<float>();
      }
    });
    return sum;
  }

  // log π(y|x) and |y| of each example under moved parameters.
  std::vector<std::pair<double, double>> sequences(float shift) {
    std::vector<std::pair<double, double>> sums(examples_.size());
    total(shift, [&](const NetworkTensors& weights, size_t s) {
      const Shard& shard = batch_.shards[s];
      const at::Tensor tokens = log_probabilities(session_.network().logits(weights, shard), shard);
      for (size_t m = 0; m < shard.targets.size(); ++m) {
        auto& [sum, length] =
            sums[static_cast<size_t>(shard.members[static_cast<size_t>(shard.owners[m])])];
        sum += tokens.data_ptr<float>()[m];
        length += 1;
      }
      return tokens.sum();
    });
    return sums;
  }

  double forget_loss(const UnlearnTerms& terms, float shift) {
    const UnlearnLoss loss(terms, session_, examples_);
    LossSums sums;
    return total(shift, [&](const NetworkTensors& weights, size_t s) {
      return loss.forget(weights, batch_, s, sums);
    });
  }

  ParameterLayout layout_;
  Tokenizer tokenizer_;
  std::vector<Example> examples_;
  Session session_;
  Batch batch_;
};

double log_sigmoid(double x) {
  return -std::log1p(std::exp(-x));
}

constexpr float kShift = 0.01F;

TEST_F(UnlearnLossTest, AscentIsMinusTheMeanLoss) {
  double sum = 0;
  double labels = 0;
  for (const auto& [logprob, length] : sequences(kShift)) {
    sum += logprob;
    labels += length;
  }
  EXPECT_NEAR(forget_loss({.method = UnlearnMethod::kGradAscent, .gamma = 2}, kShift),
              2 * sum / labels, 1e-4);
}

TEST_F(UnlearnLossTest, NpoComparesWithTheOldModel) {
  const auto old = sequences(0);
  const auto now = sequences(kShift);
  double mean = 0;
  for (size_t i = 0; i < now.size(); ++i) {
    mean += log_sigmoid(-0.5 * (now[i].first - old[i].first)) / static_cast<double>(now.size());
  }
  EXPECT_NEAR(forget_loss({.method = UnlearnMethod::kNpo, .beta = 0.5}, kShift), -2 / 0.5 * mean,
              1e-3);
  // Nothing has moved: every term is log ½.
  EXPECT_NEAR(forget_loss({.method = UnlearnMethod::kNpo, .beta = 0.5}, 0), 4 * std::log(2), 1e-4);
}

TEST_F(UnlearnLossTest, SimNpoDividesByTheLength) {
  const auto now = sequences(kShift);
  double mean = 0;
  for (const auto& [sum, length] : now) {
    mean += log_sigmoid(-2.5 * sum / length - 0.3) / static_cast<double>(now.size());
  }
  EXPECT_NEAR(forget_loss({.method = UnlearnMethod::kSimNpo, .beta = 2.5, .delta = 0.3}, kShift),
              -2 / 2.5 * mean, 1e-4);
}

TEST_F(UnlearnLossTest, TheDivergenceIsZeroUntilSomethingMoves) {
  const UnlearnLoss loss({.method = UnlearnMethod::kKl, .alpha = 3}, session_, examples_);
  LossSums sums;
  const auto part = [&](const NetworkTensors& weights, size_t s) {
    return loss.retain(weights, batch_, s, sums);
  };
  EXPECT_NEAR(total(0, part), 0, 1e-5);
  EXPECT_GT(total(kShift, part), 1e-3);
}

}  // namespace
}  // namespace palimpsest::lab
