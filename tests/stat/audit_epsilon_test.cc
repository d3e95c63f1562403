#include "palimpsest/stat/audit_epsilon.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/stat/binomial.h"
#include "palimpsest/stat/internal/normal.h"

namespace palimpsest::stat {
namespace {

const Confusion kStrong{
    .true_positives = 90, .false_negatives = 10, .false_positives = 2, .true_negatives = 98};

TEST(ClopperPearsonEpsilonTest, IsTheLogOfTheBoundedRates) {
  const double fnr = clopper_pearson_upper(10, 100, 0.025);
  const double fpr = clopper_pearson_upper(2, 100, 0.025);
  EXPECT_DOUBLE_EQ(*clopper_pearson_epsilon(kStrong, {.alpha = 0.05}),
                   std::log(std::max((1 - fnr) / fpr, (1 - fpr) / fnr)));
  EXPECT_DOUBLE_EQ(*clopper_pearson_epsilon(kStrong, {.alpha = 0.05}),
                   *clopper_pearson_epsilon(kStrong.swapped(), {.alpha = 0.05}));
}

TEST(ClopperPearsonEpsilonTest, NothingShownIsZeroAndNothingKnownUndefined) {
  EXPECT_EQ(clopper_pearson_epsilon({50, 50, 50, 50}, {}), 0);
  EXPECT_EQ(clopper_pearson_epsilon({0, 1, 1, 0}, {}), 0);
  EXPECT_FALSE(clopper_pearson_epsilon({0, 0, 1, 1}, {}));
}

TEST(ClopperPearsonEpsilonTest, DeltaLowersTheBound) {
  EXPECT_LT(*clopper_pearson_epsilon(kStrong, {.delta = 0.1}),
            *clopper_pearson_epsilon(kStrong, {}));
}

TEST(BonferroniEpsilonTest, OneThresholdIsThePlainBoundAndMoreCost) {
  LabelledScores scores;
  for (int i = 0; i < 200; ++i) {
    scores.positives.push_back(i < 180 ? 1 : 0);
    scores.negatives.push_back(i < 20 ? 1 : 0);
  }
  const std::vector<double> one = {0.5};
  const std::vector<double> many = {-1, 0.2, 0.5, 2};
  EXPECT_DOUBLE_EQ(*bonferroni_epsilon(scores, one, {}),
                   *clopper_pearson_epsilon(confusion_at(scores, 0.5), {}));
  EXPECT_LT(*bonferroni_epsilon(scores, many, {}), *bonferroni_epsilon(scores, one, {}));
  EXPECT_THROW(bonferroni_epsilon(scores, {}, {}), Error);
  EXPECT_FALSE(bonferroni_epsilon({}, one, {}));
}

TEST(GaussianDpTest, EpsilonSolvesTheDefinition) {
  for (double mu : {0.1, 0.5, 1.0, 3.0, 20.0}) {
    const double epsilon = gaussian_dp_epsilon(mu, 1e-5);
    const double delta = normal_cdf(-epsilon / mu + mu / 2) -
                         std::exp(epsilon + std::log(normal_cdf(-epsilon / mu - mu / 2)));
    EXPECT_NEAR(delta, 1e-5, 1e-12) << mu;
  }
}

TEST(GaussianDpTest, NoSignalIsEpsilonZero) {
  EXPECT_EQ(gaussian_dp_epsilon(0, 1e-5), 0);
  EXPECT_EQ(gaussian_dp_epsilon(1e-9, 1e-5), 0);
  EXPECT_THROW(gaussian_dp_epsilon(1, 0), Error);
}

TEST(GaussianAuditTest, UsesTheBestThreshold) {
  LabelledScores scores;
  for (int i = 0; i < 100; ++i) {
    scores.positives.push_back(i < 90 ? 1 : 0);
    scores.negatives.push_back(i < 2 ? 1 : 0);
  }
  const std::vector<double> thresholds = {0.5};
  const auto audit = gaussian_audit(scores, thresholds, {.delta = 1e-5});
  ASSERT_TRUE(audit);
  const double fnr = clopper_pearson_upper(10, 100, 0.025);
  const double fpr = clopper_pearson_upper(2, 100, 0.025);
  EXPECT_NEAR(audit->mu, normal_quantile(1 - fpr) - normal_quantile(fnr), 1e-12);
  EXPECT_NEAR(audit->epsilon, gaussian_dp_epsilon(audit->mu, 1e-5), 1e-12);
  // A threshold at which everything is called positive says nothing.
  const std::vector<double> useless = {-1};
  EXPECT_EQ(gaussian_audit(scores, useless, {.delta = 1e-5})->epsilon, 0);
}

TEST(BayesianEpsilonTest, PublishedExample) {
  const Confusion counts{
      .true_positives = 487, .false_negatives = 0, .false_positives = 512, .true_negatives = 1};
  const auto interval = bayesian_epsilon(counts, {.alpha = 0.1, .delta = 1e-5});
  ASSERT_TRUE(interval);
  EXPECT_NEAR(interval->low, 0.1439, 1e-3);
  EXPECT_NEAR(interval->high, 6.4156, 1e-3);
}

TEST(BayesianEpsilonTest, IsSymmetricInTheClasses) {
  const auto a = bayesian_epsilon(kStrong, {.alpha = 0.1});
  const auto b = bayesian_epsilon(kStrong.swapped(), {.alpha = 0.1});
  ASSERT_TRUE(a && b);
  EXPECT_NEAR(a->low, b->low, 1e-6);
  EXPECT_NEAR(a->high, b->high, 1e-6);
  EXPECT_LT(a->low, a->high);
}

TEST(BayesianEpsilonTest, IsUndefinedWithoutBothClasses) {
  EXPECT_FALSE(bayesian_epsilon({1, 1, 0, 0}, {}));
}

TEST(AuditOptionsTest, OutOfRangeIsRefused) {
  for (const AuditOptions& bad :
       {AuditOptions{.alpha = 0}, AuditOptions{.alpha = 1}, AuditOptions{.delta = -1e-9},
        AuditOptions{.delta = 1}, AuditOptions{.alpha = std::nan("")}}) {
    EXPECT_THROW(clopper_pearson_epsilon(kStrong, bad), Error);
    EXPECT_THROW(bayesian_epsilon(kStrong, bad), Error);
  }
}

}  // namespace
}  // namespace palimpsest::stat
