#include "palimpsest/attack/internal/mia/blind_baseline.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <utility>

#include "palimpsest/attack/internal/mia/blind_texts.h"
#include "palimpsest/attack/internal/mia/informative_features.h"
#include "palimpsest/attack/internal/mia/text_features.h"
#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/parallel.h"
#include "palimpsest/base/random.h"
#include "palimpsest/stat/auc.h"
#include "palimpsest/stat/internal/ridge.h"

namespace palimpsest::attack {
namespace {

constexpr double kPenalty = 1;  // the ranking hardly depends on it
constexpr size_t kMaxInformativeFeatures = 8;

int64_t different_texts(const std::vector<BlindText>& texts, bool is_forget) {
  std::unordered_set<ContentKey, ContentKeyHash> different;
  for (const BlindText& text : texts) {
    if (text.is_forget == is_forget) different.insert(text.key);
  }
  return static_cast<int64_t>(different.size());
}

ExampleTexts texts_of(const TraceScores& set, const std::vector<BlindText>& texts, bool is_forget) {
  std::vector<size_t> examples;
  for (const BlindText& text : texts) {
    if (text.is_forget == is_forget) examples.push_back(text.example);
  }
  return {set, examples};
}

// Ranks of the values, ties in the middle, scaled into (0, 1).
std::vector<double> scaled_ranks(const std::vector<double>& values) {
  std::vector<double> ranks;
  for (int64_t doubled : stat::doubled_placements(values, values)) {
    ranks.push_back(static_cast<double>(doubled + 1) /
                    (2.0 * static_cast<double>(values.size()) + 2));
  }
  return ranks;
}

// One cross-validation, ready to be run with any labels.
class BlindFolds {
 public:
  BlindFolds(const stat::DenseMatrix& gram, const std::vector<size_t>& fold_of, size_t folds,
             int threads)
      : folds_(folds) {
    for (size_t i = 0; i < fold_of.size(); ++i) {
      for (size_t f = 0; f < folds; ++f)
        (fold_of[i] == f ? folds_[f].scored : folds_[f].fitted).push_back(i);
    }
    parallel_for(static_cast<int64_t>(folds), threads, [&](int64_t begin, int64_t end) {
      for (auto f = static_cast<size_t>(begin); f < static_cast<size_t>(end); ++f) {
        folds_[f].smoother =
            stat::ridge_smoother(gram, folds_[f].fitted, folds_[f].scored, kPenalty);
      }
    });
  }

  // One score per text, from the model that was fitted without the text's fold; higher means
  // holdout.
  std::vector<double> scores(const std::vector<bool>& is_forget) const {
    std::vector<double> scores(is_forget.size());
    for (const Fold& fold : folds_) {
      std::vector<double> values(fold.scored.size(), 0.0);
      for (size_t i = 0; i < fold.fitted.size(); ++i) {
        const double target = is_forget[fold.fitted[i]] ? -1 : 1;
        const double* row = fold.smoother.row(i);
        for (size_t j = 0; j < values.size(); ++j) values[j] += target * row[j];
      }
      const std::vector<double> ranks = scaled_ranks(values);
      for (size_t j = 0; j < ranks.size(); ++j) scores[fold.scored[j]] = ranks[j];
    }
    return scores;
  }

 private:
  struct Fold {
    std::vector<size_t> fitted;
    std::vector<size_t> scored;
    stat::DenseMatrix smoother;  // [fitted, scored]
  };
  std::vector<Fold> folds_;
};

double auc_of(const std::vector<double>& scores, const std::vector<bool>& is_forget) {
  stat::LabelledScores labelled;  // as of an attack: holdout texts have the higher scores
  for (size_t i = 0; i < scores.size(); ++i) {
    (is_forget[i] ? labelled.positives : labelled.negatives).push_back(flip_orientation(scores[i]));
  }
  return stat::auc(labelled).value_or(0.5);
}

std::vector<double> permuted_aucs(const BlindFolds& folds, const BlindPermutation& permutation,
                                  const Random& random, const BlindOptions& options) {
  std::vector<double> aucs(static_cast<size_t>(options.permutations));
  parallel_for(options.permutations, options.threads, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      if (options.stop.stop_requested()) throw Stopped();
      const std::vector<bool> labels = permutation.draw(random.split(static_cast<uint64_t>(i)));
      aucs[static_cast<size_t>(i)] = auc_of(folds.scores(labels), labels);
    }
  });
  std::sort(aucs.begin(), aucs.end());
  return aucs;
}

// Of sorted values: as many below the lower end as above the upper one, 2.5% at most.
stat::Interval central_range(const std::vector<double>& sorted) {
  const auto count = static_cast<double>(sorted.size() + 1);
  const auto beyond = static_cast<size_t>(std::max(1.0, std::floor(0.025 * count)));
  return {sorted[beyond - 1], sorted[sorted.size() - beyond]};
}

// Fits all texts, as they are labelled, and says what the fit leans on.
std::vector<InformativeFeature> most_informative(const std::vector<BlindText>& texts,
                                                 const stat::SparseRows& rows,
                                                 const stat::DenseMatrix& gram, size_t max_bytes) {
  std::vector<double> targets;
  std::vector<double> lengths;
  for (size_t i = 0; i < texts.size(); ++i) {
    targets.push_back(texts[i].is_forget ? -1 : 1);
    for (const stat::SparseEntry& entry : rows.row(i)) {
      if (entry.column == kLengthColumn) lengths.push_back(static_cast<double>(entry.value));
    }
  }
  return informative_features(texts, stat::ridge_coefficients(gram, targets, kPenalty), lengths,
                              max_bytes, kMaxInformativeFeatures);
}

}  // namespace

std::optional<BlindBaseline> blind_baseline(const TraceScores& forget, const TraceScores& holdout,
                                            const ExampleClusters& clusters,
                                            const BlindOptions& options) {
  PALIMPSEST_CHECK(options.folds >= 2 && options.permutations >= 19 &&
                   options.max_texts >= 2 * kMinBlindTexts);
  const Random random(options.seed);
  std::vector<BlindText> texts = blind_texts(forget, holdout, clusters);
  if (std::min(different_texts(texts, true), different_texts(texts, false)) < kMinBlindTexts)
    return std::nullopt;
  texts = sample_blind_texts(std::move(texts), options.max_texts, random.split(0));
  const BlindUnitCounts units = count_units(texts);
  const int64_t fewest = std::min(units.forget, units.holdout);
  if (fewest < kMinBlindClusters) return std::nullopt;

  const ExampleTexts forget_texts = texts_of(forget, texts, true);
  const ExampleTexts holdout_texts = texts_of(holdout, texts, false);
  std::vector<const std::string*> pointers;
  std::vector<bool> is_forget;
  for (BlindText& text : texts) {
    text.text = (text.is_forget ? forget_texts : holdout_texts).of(text.example);
    pointers.push_back(text.text);
    is_forget.push_back(text.is_forget);
  }
  const size_t longest = static_cast<size_t>(options.max_bytes) / texts.size();
  const stat::SparseRows rows = text_features(pointers, longest, options.threads);
  const stat::DenseMatrix gram = stat::gram_matrix(rows, options.threads);
  // Two clusters of each set in a fold, where there are so few, leave more ways to permute them.
  const auto fold_count = static_cast<size_t>(std::clamp<int64_t>(fewest / 2, 2, options.folds));
  const std::vector<size_t> fold_of = assign_folds(texts, fold_count, random.split(1));
  const BlindFolds folds(gram, fold_of, fold_count, options.threads);
  const std::vector<double> scores = folds.scores(is_forget);

  BlindBaseline result{.auc = auc_of(scores, is_forget),
                       .forget_clusters = units.forget,
                       .holdout_clusters = units.holdout};
  result.forget.resize(forget.facts.size());
  result.holdout.resize(holdout.facts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    (is_forget[i] ? result.forget : result.holdout)[texts[i].example] = scores[i];
    ++(is_forget[i] ? result.forget_texts : result.holdout_texts);
  }
  const std::vector<double> permuted =
      permuted_aucs(folds, BlindPermutation(texts, fold_of), random.split(2), options);
  const auto reached = static_cast<double>(
      permuted.end() - std::lower_bound(permuted.begin(), permuted.end(), result.auc));
  result.p_value = (1 + reached) / static_cast<double>(options.permutations + 1);
  result.null_range = central_range(permuted);
  if (result.p_value <= kBlindLevel)
    result.informative = most_informative(texts, rows, gram, longest);
  return result;
}

}  // namespace palimpsest::attack
