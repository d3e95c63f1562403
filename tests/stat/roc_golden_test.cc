// AUC, ROC curve and DeLong's variance against scikit-learn and the O(m n) definition.
#include <gtest/gtest.h>

#include <cmath>

#include "palimpsest/stat/auc.h"
#include "palimpsest/stat/delong.h"
#include "palimpsest/stat/roc.h"
#include "tests/stat/golden_cases.h"

namespace palimpsest::stat {
namespace {

TEST(AucGoldenTest, EqualsScikitLearn) {
  for (const Json& item : golden_cases("auc")) {
    SCOPED_TRACE(item["name"].dump());
    const auto area = auc(labelled(item["labels"], item["scores"]));
    const double expected = number(item["auc"]);
    ASSERT_EQ(area.has_value(), !std::isnan(expected));
    // Ours is counted in integers; scikit-learn adds up trapezoids.
    if (area) {
      EXPECT_NEAR(*area, expected, 1e-14);
    }
  }
}

TEST(RocCurveGoldenTest, EqualsScikitLearn) {
  for (const Json& item : golden_cases("roc")) {
    const LabelledScores scores = labelled(item["labels"], item["scores"]);
    for (bool drop : {false, true}) {
      SCOPED_TRACE(item["name"].dump() + (drop ? " dropped" : " all"));
      const Json& expected = item[drop ? "dropped" : "all"];
      const auto curve = roc_curve(scores, {.drop_intermediate = drop});
      ASSERT_EQ(curve.has_value(), scores.has_both_classes());
      if (!curve) continue;
      EXPECT_EQ(curve->thresholds, numbers(expected["thresholds"]));
      EXPECT_EQ(curve->fpr, numbers(expected["fpr"]));
      EXPECT_EQ(curve->tpr, numbers(expected["tpr"]));
    }
  }
}

TEST(DelongGoldenTest, EqualsTheDefinition) {
  for (const Json& item : golden_cases("delong")) {
    for (size_t s : {0, 1}) {
      SCOPED_TRACE(item["name"].dump() + " score " + std::to_string(s));
      const LabelledScores scores = labelled(item["labels"], item["scores"][s]);
      const auto estimate = delong(scores);
      const double variance = number(item["variance"][s]);
      ASSERT_EQ(estimate.has_value(), !std::isnan(variance));
      if (!estimate) continue;
      EXPECT_NEAR(estimate->auc, number(item["auc"][s]), 1e-14);
      EXPECT_NEAR(estimate->variance, variance, 1e-13 * variance + 1e-18);
      if (estimate->auc == 0 || estimate->auc == 1) continue;  // ours falls back to an exact bound
      const auto interval = delong_interval(scores, 0.95);
      ASSERT_EQ(interval.has_value(), variance > 0);  // equal scores: undefined, not ½ to ½
      if (!interval) continue;
      EXPECT_NEAR(interval->low, number(item["logit_interval_95"][s][0]), 1e-12);
      EXPECT_NEAR(interval->high, number(item["logit_interval_95"][s][1]), 1e-12);
    }
  }
}

TEST(DelongPairedGoldenTest, EqualsTheDefinition) {
  for (const Json& item : golden_cases("delong")) {
    SCOPED_TRACE(item["name"].dump());
    const auto test = delong_test(labelled(item["labels"], item["scores"][0]),
                                  labelled(item["labels"], item["scores"][1]));
    const double z = number(item["z"]);
    if (std::isnan(number(item["covariance"]))) {
      EXPECT_FALSE(test);
      continue;
    }
    ASSERT_TRUE(test);
    if (test->auc_a == test->auc_b) {
      EXPECT_EQ(test->p_value, 1);
    } else if (std::isinf(z)) {
      EXPECT_EQ(test->p_value, std::nullopt);
    } else {
      ASSERT_TRUE(test->p_value);
      EXPECT_NEAR(*test->p_value, number(item["p_value"]), 1e-11 * number(item["p_value"]));
    }
  }
}

}  // namespace
}  // namespace palimpsest::stat
