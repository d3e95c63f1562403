#include "palimpsest/metric/evaluate_model.h"

#include <list>

#include "palimpsest/metric/metric_table.h"
#include "tests/metric/fixtures.h"

namespace palimpsest::metric {
namespace {

const Array kFirstTargets = Array::vector({1, 0});
const Array kFirstLogits({2, 2}, {1.2, 0.4, 2.3, 0.1});
const Array kSecondTargets = Array::vector({1, 1});
const Array kSecondLogits({2, 2}, {0.3, 3.2, 2.1, 4.3});

std::vector<Features> batches() {
  return {{{"y", kFirstTargets}, {"x", kFirstLogits}},
          {{"y", kSecondTargets}, {"x", kSecondLogits}}};
}

NamedMetrics accuracy() {
  return {{"accuracy", make_metric("accuracy")}};
}

// A model that says what it was shown.
TensorView echo(const Features& examples) {
  return examples.at("x");
}

TEST(EvaluateModelTest, WorkedExample) {
  const stat::NamedStats stats = evaluate_model(echo, batches(), accuracy());
  ASSERT_EQ(stats.size(), 1U);
  EXPECT_EQ(stats[0].first, "accuracy");
  EXPECT_EQ(stats[0].second.result(), Array(0.75));
}

TEST(EvaluateModelTest, AnyFunctionAnyRangeAnyPrediction) {
  const auto owned = [](const Features&) { return Array({2, 2}, {0, 1, 0, 1}); };
  const auto all = batches();
  const std::list<Features> list(all.begin(), all.end());
  EXPECT_EQ(evaluate_model(owned, list, accuracy())[0].second.result(), Array(0.75));
  const NamedMetrics keyed = {{"a", make_metric("accuracy:pred_key=logits")}};
  const auto named = [](const Features& examples) {
    return Features{{"logits", examples.at("x")}};
  };
  EXPECT_EQ(evaluate_model(named, list, keyed)[0].second.result(), Array(0.75));
}

TEST(EvaluateModelTest, BatchesMayCarryAMask) {
  const std::vector<uint8_t> mask = {1, 0};
  const std::vector<EvaluationBatch> masked = {{batches()[0], mask}, {batches()[1], mask}};
  const stat::NamedStats stats = evaluate_model(echo, masked, accuracy());
  EXPECT_EQ(weight_of(stats[0].second), Array(2));
  EXPECT_EQ(stats[0].second.result(), Array(0.5));
}

TEST(EvaluateModelTest, NoBatchesGiveZero) {
  const stat::NamedStats stats = evaluate_model(echo, std::vector<Features>{}, accuracy());
  EXPECT_TRUE(std::isnan(stats[0].second.result().scalar()));
}

TEST(EvaluateModelTest, ErrorsNameTheMetricAndLeaveTheStatisticsAlone) {
  const NamedMetrics metrics = {{"fine", make_metric("accuracy")},
                                {"bad", make_metric("accuracy:target_key=z")}};
  stat::NamedStats stats = zero_stats(metrics);
  EXPECT_EQ(error_of([&] { add_batch(metrics, batches()[0], TensorView(kFirstLogits), stats); }),
            "bad: the example has no feature 'z' (found the keys y, x)");
  EXPECT_EQ(weight_of(stats[0].second), Array(0));
}

}  // namespace
}  // namespace palimpsest::metric
