// The tail of low false positive rates against scipy's distributions and enumeration:
// tools/golden/inference_tail.py.
#include <gtest/gtest.h>

#include <cmath>

#include "palimpsest/stat/internal/family_permutation.h"
#include "palimpsest/stat/internal/hypergeometric.h"
#include "palimpsest/stat/tpr_interval.h"
#include "tests/stat/golden_cases.h"

namespace palimpsest::stat {
namespace {

TEST(HypergeometricGoldenTest, EqualsScipy) {
  const HypergeometricCdf cdf(200'000);
  for (const Json& item : golden_cases("inference_tail", "hypergeometric")) {
    SCOPED_TRACE(item.dump());
    const double expected = number(item["cdf"]);
    // Differences of logarithms of factorials up to 2e6 cost six digits.
    EXPECT_NEAR(
        cdf(item["count"],
            {.population = item["population"], .marked = item["marked"], .drawn = item["drawn"]}),
        expected, 1e-9 * expected);
  }
}

TEST(TailPValueGoldenTest, EqualsExactIntegers) {
  for (const Json& item : golden_cases("inference_tail", "tails")) {
    const LabelledScores scores{numbers(item["positives"]), numbers(item["negatives"])};
    const auto p = tail_p_value(scores, item["fpr"]);
    ASSERT_TRUE(p);
    const double expected = number(item["p_value"]);
    EXPECT_NEAR(*p, expected, 1e-10 * expected);
  }
}

TEST(TprIntervalGoldenTest, EqualsScipy) {
  for (const Json& item : golden_cases("inference_tail", "tpr_intervals")) {
    const LabelledScores scores{numbers(item["positives"]), numbers(item["negatives"])};
    const ScoreClusters clusters{item["positive_clusters"].get<std::vector<int64_t>>(),
                                 item["negative_clusters"].get<std::vector<int64_t>>()};
    SCOPED_TRACE(item["effective"].dump() + " at " + item["fpr"].dump());
    const auto interval = tpr_interval(scores, clusters, item["fpr"], item["confidence"]);
    ASSERT_TRUE(interval);
    // Both search for the end by bisection.
    EXPECT_NEAR(interval->low, number(item["low"]), 1e-11);
    EXPECT_NEAR(interval->high, number(item["high"]), 1e-11);
  }
}

ClusteredScores attack_of(const Json& item, const Json& column) {
  ClusteredScores attack;
  for (size_t i = 0; i < column.size(); ++i) {
    const bool positive = item["labels"][i] == 1;
    (positive ? attack.scores.positives : attack.scores.negatives).push_back(column[i]);
    (positive ? attack.clusters.positives : attack.clusters.negatives)
        .push_back(item["clusters"][i]);
  }
  return attack;
}

TEST(FamilyPermutationGoldenTest, EstimatesTheEnumeratedShare) {
  constexpr int64_t kPermutations = 19'999;
  for (const Json& item : golden_cases("inference_tail", "permutations")) {
    SCOPED_TRACE(item["name"].dump());
    std::vector<ClusteredScores> attacks;
    for (const Json& column : item["scores"]) attacks.push_back(attack_of(item, column));
    const FamilyPermutation found = permute_family(attacks, {.permutations = kPermutations,
                                                             .tail_fpr = item["fpr"],
                                                             .tail_permutations = kPermutations,
                                                             .seed = 3});
    auto expect_near = [&](const std::optional<double>& p, double expected) {
      ASSERT_TRUE(p);
      // Four standard deviations; and two labellings that are nearly as extreme as ours in another
      // attack may change sides, since the standard deviations of the attacks are estimated.
      EXPECT_NEAR(*p, expected,
                  4 * std::sqrt(expected * (1 - expected) / kPermutations) +
                      2 / item["labellings"].get<double>());
    };
    expect_near(found.p_value, number(item["p_value"]));
    expect_near(found.tail_p_value, number(item["tail_p_value"]));
  }
}

}  // namespace
}  // namespace palimpsest::stat
