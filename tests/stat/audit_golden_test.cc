// Bounds on epsilon against evaluations of their formulas in high precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "palimpsest/stat/audit_epsilon.h"
#include "palimpsest/stat/one_run_audit.h"
#include "tests/stat/golden_cases.h"

namespace palimpsest::stat {
namespace {

AuditOptions options_of(const Json& item) {
  return {.alpha = number(item["alpha"]), .delta = number(item["delta"])};
}

TEST(ClopperPearsonEpsilonGoldenTest, EqualsTheFormula) {
  for (const Json& item : golden_cases("clopper_pearson_epsilon")) {
    const auto fn = item["fn"].get<int64_t>();
    const auto fp = item["fp"].get<int64_t>();
    const Confusion counts{.true_positives = item["members"].get<int64_t>() - fn,
                           .false_negatives = fn,
                           .false_positives = fp,
                           .true_negatives = item["non_members"].get<int64_t>() - fp};
    const auto epsilon = clopper_pearson_epsilon(counts, options_of(item));
    ASSERT_TRUE(epsilon);
    EXPECT_NEAR(*epsilon, number(item["epsilon_lower"]), 1e-12) << item;
  }
}

TEST(OneRunAuditGoldenTest, EqualsTheFormula) {
  for (const Json& item : golden_cases("one_run")) {
    const OneRunCounts counts{.canaries = item["canaries"].get<int64_t>(),
                              .guesses = item["guesses"].get<int64_t>(),
                              .right = item["right"].get<int64_t>()};
    const AuditOptions options = options_of(item);
    const double p_value = number(item["p_value_at_1"]);
    EXPECT_NEAR(one_run_p_value(counts, 1, options.delta), p_value, 1e-12 * p_value) << item;
    EXPECT_NEAR(one_run_epsilon(counts, options), number(item["epsilon_lower"]), 1e-12) << item;
  }
}

// Scores with these errors at the thresholds 0, 1, …: a false negative scores below its threshold,
// a false positive at least it. The counts of false negatives rise, those of false positives fall.
LabelledScores scores_with(const Json& counts, int64_t members, int64_t non_members) {
  LabelledScores scores;
  auto fill = [](std::vector<double>& values, int64_t up_to, double score) {
    values.resize(std::max(values.size(), static_cast<size_t>(up_to)), score);
  };
  for (size_t t = 0; t < counts.size(); ++t) {
    const double below = static_cast<double>(t) - 0.5;
    fill(scores.positives, counts[t][0].get<int64_t>(), below);
    fill(scores.negatives, non_members - counts[t][1].get<int64_t>(), below);
  }
  fill(scores.positives, members, static_cast<double>(counts.size()));
  fill(scores.negatives, non_members, static_cast<double>(counts.size()));
  return scores;
}

TEST(GaussianAuditGoldenTest, EqualsTheFormula) {
  for (const Json& item : golden_cases("gdp")) {
    SCOPED_TRACE(item.dump());
    if (item.contains("mu")) {
      const double expected = number(item["epsilon"]);
      EXPECT_NEAR(gaussian_dp_epsilon(number(item["mu"]), number(item["delta"])), expected,
                  1e-9 * expected);
      continue;
    }
    const Json& counts = item["counts_fn_fp"];
    const LabelledScores scores =
        scores_with(counts, item["members"].get<int64_t>(), item["non_members"].get<int64_t>());
    std::vector<double> thresholds;
    for (size_t t = 0; t < counts.size(); ++t) thresholds.push_back(static_cast<double>(t));
    for (const auto& [delta, epsilon] : item["epsilon_lower"].items()) {
      const auto audit = gaussian_audit(
          scores, thresholds, {.alpha = number(item["alpha"]), .delta = std::stod(delta)});
      ASSERT_TRUE(audit);
      EXPECT_NEAR(audit->mu, std::max(0.0, number(item["mu_lower"])), 1e-12);
      EXPECT_NEAR(audit->epsilon, number(epsilon), 1e-10);
    }
  }
}

TEST(OneRunGaussianAuditGoldenTest, EqualsTheFormula) {
  for (const Json& item : golden_cases("one_run_fdp")) {
    SCOPED_TRACE(item.dump());
    const OneRunCounts counts{.canaries = item["canaries"].get<int64_t>(),
                              .guesses = item["guesses"].get<int64_t>(),
                              .right = item["right"].get<int64_t>()};
    for (const auto& [delta, epsilon] : item["epsilon_lower"].items()) {
      const GaussianAudit audit = one_run_gaussian_audit(
          counts, {.alpha = number(item["alpha"]), .delta = std::stod(delta)});
      EXPECT_NEAR(audit.mu, number(item["mu_lower"]), 1e-9);
      EXPECT_NEAR(audit.epsilon, number(epsilon), 1e-8);
    }
  }
}

TEST(BayesianEpsilonGoldenTest, EqualsTheFormula) {
  for (const Json& item : golden_cases("bayes")) {
    const Confusion counts{.true_positives = item["tp"].get<int64_t>(),
                           .false_negatives = item["fn"].get<int64_t>(),
                           .false_positives = item["fp"].get<int64_t>(),
                           .true_negatives = item["tn"].get<int64_t>()};
    const auto epsilon = bayesian_epsilon(counts, options_of(item));
    ASSERT_TRUE(epsilon);
    EXPECT_NEAR(epsilon->low, number(item["epsilon_lower"]), 1e-8) << item;
    EXPECT_NEAR(epsilon->high, number(item["epsilon_upper"]), 1e-8) << item;
  }
}

}  // namespace
}  // namespace palimpsest::stat
