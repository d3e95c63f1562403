#include "palimpsest/metric/metric.h"

#include "palimpsest/stat/mean_stat.h"
#include "tests/metric/fixtures.h"

namespace palimpsest::metric {
namespace {

// The mean of the feature x: the least that a metric has to define.
class MeanOfX : public Metric {
 public:
  stat::AnyStat zero() const override { return stat::MeanStat(); }
  stat::AnyStat evaluate_example(const Features& example, const Prediction&) const override {
    const double x = std::get<std::span<const double>>(example.at("x").values())[0];
    if (x < 0) throw Error("x is negative");
    return stat::MeanStat::make(x, 1);
  }
  MetricInputs inputs() const override { return {.example_keys = {"x"}, .prediction_keys = {}}; }
};

const Array kX = Array::vector({1, 2, 4, 8});

TEST(MetricTest, ABatchMergesItsExamples) {
  const stat::AnyStat stat = evaluate_batch(MeanOfX(), {{"x", kX}}, {});
  EXPECT_EQ(accum_of(stat), Array(15));
  EXPECT_EQ(weight_of(stat), Array(4));
}

TEST(MetricTest, AMaskLeavesExamplesOut) {
  const std::vector<uint8_t> mask = {1, 0, 0, 1};
  const stat::AnyStat stat = evaluate_batch(MeanOfX(), {{"x", kX}}, {}, mask);
  EXPECT_EQ(accum_of(stat), Array(9));
  EXPECT_EQ(weight_of(stat), Array(2));
}

TEST(MetricTest, AMaskedExampleIsNotLookedAt) {
  const Array x = Array::vector({1, -5});
  const std::vector<uint8_t> mask = {1, 0};
  EXPECT_EQ(accum_of(evaluate_batch(MeanOfX(), {{"x", x}}, {}, mask)), Array(1));
  EXPECT_EQ(error_of([&] {
              evaluate_batch(MeanOfX(), {{"x", x}}, {});
            }),
            "example 1: x is negative");
}

TEST(MetricTest, ABatchOfNothingIsZero) {
  const std::vector<uint8_t> none = {0, 0, 0, 0};
  EXPECT_EQ(weight_of(evaluate_batch(MeanOfX(), {{"x", kX}}, {}, none)), Array(0));
  const Array empty = Array::vector({});
  EXPECT_EQ(weight_of(evaluate_batch(MeanOfX(), {{"x", empty}}, {})), Array(0));
}

TEST(MetricTest, LengthsThatDifferAreRefused) {
  const Array three = Array::vector({1, 2, 3});
  EXPECT_EQ(error_of([&] {
              evaluate_batch(MeanOfX(), {{"x", kX}, {"z", three}}, {});
            }),
            "the arrays of the batch do not hold the same number of examples (expected 4, found 3 "
            "in the feature 'z')");
  EXPECT_EQ(error_of([&] {
              evaluate_batch(MeanOfX(), {{"x", kX}}, TensorView(three));
            }),
            "the arrays of the batch do not hold the same number of examples (expected 4, found 3 "
            "in the prediction)");
  const std::vector<uint8_t> mask = {1, 1};
  EXPECT_EQ(error_of([&] {
              evaluate_batch(MeanOfX(), {{"x", kX}}, {}, mask);
            }),
            "the mask does not have one entry per example (expected 4, found 2)");
  EXPECT_NE(error_of([&] { evaluate_batch(MeanOfX(), {{"x", kX}}, {}, Mask()); }), "");
}

TEST(MetricTest, ABatchNeedsALeadingAxis) {
  const Array scalar = 1;
  EXPECT_EQ(error_of([&] {
              evaluate_batch(MeanOfX(), {{"x", scalar}}, {});
            }),
            "the feature 'x' is a single number, not a batch (expected a leading axis that counts "
            "the examples)");
  EXPECT_NE(error_of([&] { evaluate_batch(MeanOfX(), {}, {}); }), "");
}

TEST(MetricTest, ErrorsNameExampleAndPosition) {
  const Features examples = {{"x", kX}};
  const Prediction none;
  const Batch batch(examples, none);
  EXPECT_STREQ(batch.located(Error("no"), 3).what(), "example 3: no");
  EXPECT_STREQ(batch.located(Error("no"), 3, 5).what(), "example 3, position 5: no");
  EXPECT_STREQ(batch.unnumbered().located(Error("no"), 0, 5).what(), "position 5: no");
  EXPECT_STREQ(batch.unnumbered().located(Error("no"), 0).what(), "no");
}

}  // namespace
}  // namespace palimpsest::metric
