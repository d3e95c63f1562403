#include "tests/attack/mia/answer_calibration.h"

#include <cmath>

#include "palimpsest/attack/internal/mia/derive_answer.h"
#include "palimpsest/base/internal/parallel.h"
#include "palimpsest/stat/internal/normal.h"

namespace palimpsest::attack {
namespace {

// Fewer draws than an audit takes: the rates are those of thousands of audits, not of one.
FamilyOptions quick_options(double margin, uint64_t seed) {
  return {.margin = margin,
          .seed = seed,
          .threads = 1,
          .multiplier_draws = 2000,
          .permutations = 499,
          .tail_permutations = 499};
}

AnswerVerdict verdict_of(const AuditScores& audit, double margin, uint64_t seed) {
  const FamilyInference family =
      infer_family(audit.members(), audit.clusters, quick_options(margin, seed));
  return answer_of({.family = family,
                    .forget_examples = static_cast<int64_t>(audit.clusters.forget.size()),
                    .holdout_examples = static_cast<int64_t>(audit.clusters.holdout.size())})
      .verdict;
}

// The shift of the scores that gives this AUC.
double shift_of(double auc) {
  return std::sqrt(2.0) * stat::normal_quantile(auc);
}

}  // namespace

void HeadlineRates::count(AnswerVerdict verdict) {
  ++audits;
  switch (verdict) {
    case AnswerVerdict::kRemembered:
      ++remembered;
      break;
    case AnswerVerdict::kOverForgotten:
      ++over_forgotten;
      break;
    case AnswerVerdict::kDetectableWithinMargin:
      ++within_margin;
      break;
    case AnswerVerdict::kEquivalent:
      ++equivalent;
      break;
    case AnswerVerdict::kNotDecided:
    case AnswerVerdict::kVoid:
      ++not_decided;
      break;
  }
}

std::vector<HeadlineCase> innocent_cases() {
  using Sizes = AuditTruth::Sizes;
  return {
      {"20 + 20 authors of 20, ICC 0.1, 3 attacks", {}},
      {"20 + 20 authors of 20, ICC 0.3, 3 attacks", {.icc = 0.3}},
      {"20 + 20 authors of unequal size, ICC 0.1, 3 attacks", {.sizes = Sizes::kUnequal}},
      {"20 + 20 authors, one with a third of all, 3 attacks", {.sizes = Sizes::kOneLarge}},
      {"5 + 5 authors of 20, ICC 0.1, 10 attacks",
       {.forget_authors = 5, .holdout_authors = 5, .attacks = 10}},
      {"100 + 100 independent, 10 attacks",
       {.forget_authors = 100, .holdout_authors = 100, .questions = 1, .icc = 0, .attacks = 10}},
      {"100 + 100 independent, 10 attacks, tied",
       {.forget_authors = 100,
        .holdout_authors = 100,
        .questions = 1,
        .icc = 0,
        .attacks = 10,
        .tied = true}},
      {"10 + 40 authors of 10, ICC 0.1, 3 attacks",
       {.forget_authors = 10, .holdout_authors = 40, .questions = 10}},
      {"20 + 20 authors of 20, ICC 0.3, 3 attacks, against a baseline",
       {.icc = 0.3, .baseline_correlation = 0.9}},
      {"20 + 20 authors of unequal size, ICC 0.1, 3 attacks, against a baseline",
       {.sizes = Sizes::kUnequal, .baseline_correlation = 0.9}},
  };
}

std::vector<HeadlineCase> marginal_cases() {
  const double margin_shift = shift_of(0.55);
  return {
      {"50 + 50 independent, AUC 0.55",
       {.forget_authors = 50,
        .holdout_authors = 50,
        .questions = 1,
        .icc = 0,
        .shift = margin_shift,
        .attacks = 1}},
      {"400 + 400 independent, AUC 0.55, 1 attack",
       {.forget_authors = 400,
        .holdout_authors = 400,
        .questions = 1,
        .icc = 0,
        .shift = margin_shift,
        .attacks = 1}},
      {"90 + 90 authors of 20, ICC 0.1, AUC 0.55, 1 attack",
       {.forget_authors = 90, .holdout_authors = 90, .shift = margin_shift, .attacks = 1}},
      {"20 + 20 authors of 20, ICC 0.1, AUC 0.60, margin 0.1",
       {.shift = shift_of(0.6), .attacks = 1},
       0.1},
      {"20 + 20 authors of 20, ICC 0.1, AUC 0.55, against a baseline at 0.5",
       {.shift = margin_shift, .attacks = 1, .baseline_correlation = 0.9}},
  };
}

std::vector<HeadlineCase> guilty_cases() {
  return {
      {"20 + 20 authors of 20, ICC 0.1, AUC 0.65, 3 attacks",
       {.shift = shift_of(0.65)},
       0.05,
       0.95},
      {"20 + 20 authors of 20, ICC 0.1, AUC 0.58, 3 attacks, against a baseline at 0.5",
       {.shift = shift_of(0.58), .baseline_correlation = 0.9},
       0.05,
       0.9},
      {"400 + 400 independent, 3% of the records plainly remembered",
       {.forget_authors = 400,
        .holdout_authors = 400,
        .questions = 1,
        .icc = 0,
        .remembered = 0.03},
       0.05,
       0.7},
  };
}

HeadlineRates simulate_headline(const HeadlineCase& setting, int64_t audits) {
  std::vector<AnswerVerdict> verdicts(static_cast<size_t>(audits));
  parallel_for(audits, 0, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto seed = static_cast<uint64_t>(i);
      verdicts[static_cast<size_t>(i)] =
          verdict_of(draw_audit(setting.truth, Random(20261117).split(seed)), setting.margin, seed);
    }
  });
  HeadlineRates rates;
  for (const AnswerVerdict verdict : verdicts) rates.count(verdict);
  return rates;
}

int64_t tolerated(int64_t audits, double rate, int64_t cases) {
  const double z = stat::normal_quantile(1 - 0.01 / static_cast<double>(cases));
  const auto count = static_cast<double>(audits);
  return static_cast<int64_t>(count * rate + z * std::sqrt(count * rate * (1 - rate)));
}

std::vector<int> draw_split(int64_t authors, int64_t each, Random random) {
  std::vector<size_t> order(static_cast<size_t>(authors));
  for (size_t g = 0; g < order.size(); ++g) order[g] = g;
  std::vector<int> set_of(order.size(), 2);
  for (size_t g = 0; g < static_cast<size_t>(2 * each); ++g) {
    std::swap(order[g], order[g + random.below(order.size() - g)]);
    set_of[order[g]] = g < static_cast<size_t>(each) ? 0 : 1;
  }
  return set_of;
}

HeadlineRates audit_splits(const ScoredAuthors& scored, int64_t each, int64_t splits) {
  const int64_t authors = scored.texts.authors.back() + 1;
  std::vector<AnswerVerdict> verdicts(static_cast<size_t>(splits));
  parallel_for(splits, 0, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const std::vector<int> set_of =
          draw_split(authors, each, Random(7).split(static_cast<uint64_t>(i)));
      AuditScores audit;
      audit.clusters.name = "author";
      audit.forget.resize(scored.columns.size());
      audit.holdout.resize(scored.columns.size());
      for (size_t t = 0; t < scored.texts.authors.size(); ++t) {
        const int64_t author = scored.texts.authors[t];
        const int set = set_of[static_cast<size_t>(author)];
        if (set == 2) continue;
        (set == 0 ? audit.clusters.forget : audit.clusters.holdout).push_back(author);
        for (size_t a = 0; a < scored.columns.size(); ++a)
          (set == 0 ? audit.forget : audit.holdout)[a].push_back(scored.columns[a][t]);
      }
      verdicts[static_cast<size_t>(i)] = verdict_of(audit, 0.05, static_cast<uint64_t>(i));
    }
  });
  HeadlineRates rates;
  for (const AnswerVerdict verdict : verdicts) rates.count(verdict);
  return rates;
}

}  // namespace palimpsest::attack
