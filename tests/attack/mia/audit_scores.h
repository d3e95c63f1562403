// Scores of an audit with a known truth: authors with several questions each, attacks that see the
// same thing through different noise.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "palimpsest/attack/internal/mia/family.h"
#include "palimpsest/attack/mia/example_clusters.h"
#include "palimpsest/base/random.h"

namespace palimpsest::attack {

struct AuditTruth {
  int64_t forget_authors = 20;
  int64_t holdout_authors = 20;
  int64_t questions = 20;  // per author
  double icc = 0.1;        // share of the variance that is the author's
  double shift = 0;        // of the holdout scores, in standard deviations: AUC = Φ(shift/√2)
  int64_t attacks = 3;
  double correlation = 0.8;  // of the attacks, within a question
  double remembered = 0;     // share of the forget questions that are plainly remembered
  enum class Sizes { kEqual, kUnequal, kOneLarge } sizes = Sizes::kEqual;  // of the authors
  bool tied = false;  // scores cut down to a dozen values
  // Beside it a baseline model at an AUC of ½ whose scores correlate so much with the model's,
  // since both find the same authors and questions hard; 0: none.
  double baseline_correlation = 0;
};

// How many questions an author has.
inline int64_t questions_of(const AuditTruth& truth, int64_t author, Random& random) {
  switch (truth.sizes) {
    case AuditTruth::Sizes::kEqual:
      return truth.questions;
    case AuditTruth::Sizes::kUnequal:
      return std::max<int64_t>(
          1, std::llround(static_cast<double>(truth.questions) * std::exp(0.8 * random.normal())));
    case AuditTruth::Sizes::kOneLarge:  // the first holds a third of all
      return author == 0 ? truth.questions * (truth.forget_authors - 1) / 2 : truth.questions;
  }
  return truth.questions;
}

// Owns the columns that the members of a family only view.
struct AuditScores {
  std::vector<ScoreColumn> forget;  // per attack
  std::vector<ScoreColumn> holdout;
  std::vector<ScoreColumn> baseline_forget;  // empty without a baseline
  std::vector<ScoreColumn> baseline_holdout;
  ExampleClusters clusters;

  std::vector<FamilyMember> members() const {
    std::vector<FamilyMember> result;
    for (size_t a = 0; a < forget.size(); ++a) {
      result.push_back({.attack = "attack" + std::to_string(a), .scores = {forget[a], holdout[a]}});
      if (!baseline_forget.empty())
        result.back().baseline = ScoreColumns{baseline_forget[a], baseline_holdout[a]};
    }
    return result;
  }
};

// Adds the baseline model's scores of the same examples.
inline void add_baseline(AuditScores& audit, const AuditTruth& truth, Random random) {
  auto add_set = [&](const std::vector<ScoreColumn>& columns, double mean,
                     const std::vector<int64_t>& clusters, std::vector<ScoreColumn>& baseline) {
    baseline.resize(columns.size());
    for (size_t a = 0; a < columns.size(); ++a) {
      double author = 0;
      for (size_t i = 0; i < columns[a].size(); ++i) {
        if (i == 0 || clusters[i] != clusters[i - 1])
          author = std::sqrt(truth.icc) * random.normal();
        const double own = author + std::sqrt(1 - truth.icc) * random.normal();
        const double rho = truth.baseline_correlation;
        baseline[a].push_back(rho * (*columns[a][i] - mean) + std::sqrt(1 - rho * rho) * own);
      }
    }
  };
  add_set(audit.forget, 0, audit.clusters.forget, audit.baseline_forget);
  add_set(audit.holdout, truth.shift, audit.clusters.holdout, audit.baseline_holdout);
}

inline AuditScores draw_audit(const AuditTruth& truth, Random random) {
  AuditScores audit;
  const auto attacks = static_cast<size_t>(truth.attacks);
  audit.forget.resize(attacks);
  audit.holdout.resize(attacks);
  audit.clusters.name = "author";
  int64_t number = 0;
  auto add_set = [&](int64_t authors, double mean, double remembered,
                     std::vector<ScoreColumn>& columns, std::vector<int64_t>& clusters) {
    for (int64_t g = 0; g < authors; ++g, ++number) {
      audit.clusters.names.push_back("author " + std::to_string(number));
      // An author is easy or hard for all attacks, more or less.
      std::vector<double> author(attacks);
      const double common = random.normal();
      for (double& effect : author)
        effect = std::sqrt(truth.icc) * (std::sqrt(truth.correlation) * common +
                                         std::sqrt(1 - truth.correlation) * random.normal());
      const int64_t questions = questions_of(truth, g, random);
      for (int64_t q = 0; q < questions; ++q) {
        const double shared = random.normal();
        const bool known = random.uniform() < remembered;
        for (size_t a = 0; a < attacks; ++a) {
          const double own = std::sqrt(truth.correlation) * shared +
                             std::sqrt(1 - truth.correlation) * random.normal();
          const double score = mean + author[a] + std::sqrt(1 - truth.icc) * own - (known ? 6 : 0);
          columns[a].push_back(truth.tied ? std::round(2 * score) / 2 : score);
        }
        clusters.push_back(number);
      }
    }
  };
  add_set(truth.forget_authors, 0, truth.remembered, audit.forget, audit.clusters.forget);
  add_set(truth.holdout_authors, truth.shift, 0, audit.holdout, audit.clusters.holdout);
  if (truth.baseline_correlation > 0) add_baseline(audit, truth, random.split(1));
  return audit;
}

}  // namespace palimpsest::attack
