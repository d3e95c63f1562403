// TAPAS' own numbers, and where ours differ on purpose.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "palimpsest/stat/confusion.h"
#include "palimpsest/stat/effective_epsilon.h"
#include "palimpsest/stat/two_step_epsilon.h"
#include "tests/stat/golden_cases.h"

namespace palimpsest::stat {
namespace {

// nullopt where TAPAS raised an error or gave NaN.
std::optional<double> defined(const Json& value) {
  if (value.is_null() || value.dump().starts_with("\"error")) return std::nullopt;
  const double result = number(value);
  return std::isnan(result) ? std::nullopt : std::optional(result);
}

void expect_near(const std::optional<double>& found, const std::optional<double>& expected) {
  ASSERT_EQ(found.has_value(), expected.has_value());
  if (!found || *found == *expected) return;  // infinities have no difference
  EXPECT_NEAR(*found, *expected, 1e-14);
}

// A significant threshold at which everything is called positive: there 0/0 hides one side of the
// maximum from TAPAS, and where no other threshold is left its answer is 0.
bool reaches_the_lowest_score(const Json& item) {
  auto scores = item["scores"].get<std::vector<double>>();
  const size_t margin = std::max<size_t>(1, std::min<size_t>(10, scores.size() / 10));
  std::sort(scores.begin(), scores.end());
  return scores.size() > 2 * margin && scores[margin] == scores[0];
}

TEST(EffectiveEpsilonGoldenTest, OfScoresEqualsTapas) {
  int64_t compared = 0;
  for (const Json& item : golden_cases("tapas", "summaries")) {
    SCOPED_TRACE(item["name"].dump());
    const auto epsilon = effective_epsilon(labelled(item["labels"], item["scores"]));
    expect_near(epsilon, defined(item["effective_epsilon_defined"]));
    if (reaches_the_lowest_score(item)) continue;
    expect_near(epsilon, defined(item["effective_epsilon"]));
    ++compared;
  }
  EXPECT_GE(compared, 40);
}

TEST(EffectiveEpsilonGoldenTest, OfPredictionsEqualsTapas) {
  for (const Json& item : golden_cases("tapas", "summaries")) {
    SCOPED_TRACE(item["name"].dump());
    const Confusion counts = confusion_at(labelled(item["labels"], item["predictions"]), 1);
    const auto tp = counts.true_positive_rate();
    const auto fp = counts.false_positive_rate();
    expect_near(tp, defined(item["tp"]));
    expect_near(fp, defined(item["fp"]));
    // An attack that always gives the same answer shows nothing; TAPAS calls it infinite. And with
    // one class missing TAPAS may still answer.
    const bool constant = tp == fp && (tp == 0.0 || tp == 1.0);
    if (constant || !tp || !fp) continue;
    expect_near(effective_epsilon(counts), defined(item["effective_epsilon_of_predictions"]));
  }
}

void expect_bounds(const TwoStepEpsilon& found, const Json& expected) {
  ASSERT_EQ(found.bounds.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    const Interval& epsilon = found.bounds[i].epsilon;
    EXPECT_EQ(found.bounds[i].confidence, number(expected[i]["confidence"]));
    // TAPAS takes the logarithm of rates that SciPy knows to 2e-12 only.
    for (const auto& [key, tolerance] : {std::pair("bounds_exact", 1e-11), {"bounds", 1e-7}}) {
      EXPECT_NEAR(epsilon.low, number(expected[i][key][0]), tolerance);
      const double high = number(expected[i][key][1]);
      if (std::isinf(high)) {
        EXPECT_EQ(epsilon.high, high);
      } else {
        EXPECT_NEAR(epsilon.high, high, tolerance);
      }
    }
  }
}

void expect_outcome(const Json& item, EpsilonHeuristic heuristic, const Json& expected) {
  std::vector<AttackScores> attacks;
  for (const Json& attack : item["attacks"]) {
    attacks.push_back({.labels = attack["labels"].get<std::vector<int>>(),
                       .scores = attack["scores"].get<std::vector<double>>()});
  }
  const auto found =
      two_step_epsilon(attacks, {.validation_split = number(item["validation_split"]),
                                 .heuristic = heuristic,
                                 .split = ValidationSplit::kPrefix});
  const Json& selection = expected["selection"];
  // Where nothing can be chosen, or the rest has one class only, TAPAS fails and ours is undefined.
  const bool possible = selection.is_object() && expected["bounds"][0]["bounds"].is_array();
  ASSERT_EQ(found.has_value(), possible);
  if (!found) return;
  EXPECT_EQ(found->attack, selection["attack"].get<int64_t>());
  EXPECT_EQ(found->threshold, number(selection["threshold"]));
  EXPECT_EQ(found->side == EpsilonSide::kNegatives, selection["inverse"].get<bool>());
  expect_bounds(*found, expected["bounds"]);
}

TEST(TwoStepEpsilonGoldenTest, ClopperPearsonChoiceEqualsTapas) {
  for (const Json& item : golden_cases("tapas", "reports")) {
    SCOPED_TRACE(item["name"].dump() + item["validation_split"].dump());
    expect_outcome(item, EpsilonHeuristic::kClopperPearson, item["cp"]);
  }
}

// TAPAS' own choice is the same wherever no candidate is without a miss, which it can never choose.
TEST(TwoStepEpsilonGoldenTest, RatioChoiceEqualsTapasWithCounts) {
  int64_t same_as_tapas = 0;
  for (const Json& item : golden_cases("tapas", "reports")) {
    SCOPED_TRACE(item["name"].dump() + item["validation_split"].dump());
    expect_outcome(item, EpsilonHeuristic::kRatio, item["ratio_counts"]);
    same_as_tapas += item["ratio"] == item["ratio_counts"] ? 1 : 0;
  }
  EXPECT_GE(same_as_tapas, 10);
}

}  // namespace
}  // namespace palimpsest::stat
