#include "palimpsest/attack/mia/blind_baseline.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "palimpsest/attack/mia/text_features.h"
#include "palimpsest/base/error.h"
#include "palimpsest/base/parallel.h"
#include "palimpsest/base/random.h"
#include "palimpsest/stat/auc.h"
#include "palimpsest/stat/delong.h"
#include "palimpsest/stat/logistic_regression.h"

namespace palimpsest {
namespace {

// The ranking hardly depends on these two.
constexpr double kC = 1;
constexpr double kTolerance = 0.01;
constexpr double kVarianceFactor = 2;  // see the header

struct Item {
  bool is_forget = false;
  size_t example = 0;  // its number in its set
  const std::string* text = nullptr;
};

template <class T>
void shuffle(std::vector<T>& values, Random random) {
  for (size_t i = 0; i + 1 < values.size(); ++i) {
    std::swap(values[i], values[i + random.below(values.size() - i)]);
  }
}

// At most `most` items of one set, drawn at random, in the order of the examples.
std::vector<Item> items_of(const TraceScores& set, bool is_forget, int64_t most, Random random) {
  std::vector<Item> items;
  for (size_t i = 0; i < set.facts.size(); ++i) {
    if (set.facts[i].text) items.push_back({is_forget, i, &*set.facts[i].text});
  }
  if (static_cast<int64_t>(items.size()) <= most) return items;
  shuffle(items, random);
  items.resize(static_cast<size_t>(most));
  std::sort(items.begin(), items.end(),
            [](const Item& a, const Item& b) { return a.example < b.example; });
  return items;
}

// Joins items that must not be separated; a family is named by one of its items.
class Families {
 public:
  explicit Families(size_t count) : parents_(count) {
    std::iota(parents_.begin(), parents_.end(), size_t{0});
  }
  size_t of(size_t item) {
    while (parents_[item] != item) item = parents_[item] = parents_[parents_[item]];
    return item;
  }
  void join(size_t a, size_t b) { parents_[of(a)] = of(b); }

 private:
  std::vector<size_t> parents_;
};

std::vector<std::vector<size_t>> families_of(const std::vector<Item>& items,
                                             const TraceScores& forget,
                                             const TraceScores& holdout) {
  Families families(items.size());
  std::unordered_map<std::string, size_t> first_with_text;
  std::unordered_map<std::string, size_t> first_with_index[2];
  for (size_t i = 0; i < items.size(); ++i) {
    const TraceScores& set = items[i].is_forget ? forget : holdout;
    const std::string& index = set.examples[items[i].example].index;
    families.join(i, first_with_text.emplace(*items[i].text, i).first->second);
    families.join(i, first_with_index[items[i].is_forget ? 1 : 0].emplace(index, i).first->second);
  }
  std::vector<std::vector<size_t>> members(items.size());
  for (size_t i = 0; i < items.size(); ++i) members[families.of(i)].push_back(i);
  std::erase_if(members, [](const std::vector<size_t>& family) { return family.empty(); });
  return members;
}

// The fold of each item: families in random order, the large ones first, each to the fold that has
// the fewest items of the classes it brings.
std::vector<size_t> folds_of(const std::vector<Item>& items,
                             std::vector<std::vector<size_t>> families, size_t folds,
                             Random random) {
  shuffle(families, random);
  std::stable_sort(families.begin(), families.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  std::vector<size_t> fold_of(items.size());
  std::vector<int64_t> counts[2] = {std::vector<int64_t>(folds), std::vector<int64_t>(folds)};
  for (const std::vector<size_t>& family : families) {
    bool brings[2] = {false, false};
    for (size_t item : family) brings[items[item].is_forget ? 1 : 0] = true;
    auto load = [&](size_t fold) {
      return (brings[0] ? counts[0][fold] : 0) + (brings[1] ? counts[1][fold] : 0);
    };
    size_t best = 0;
    for (size_t fold = 1; fold < folds; ++fold) {
      if (load(fold) < load(best)) best = fold;
    }
    for (size_t item : family) {
      fold_of[item] = best;
      ++counts[items[item].is_forget ? 1 : 0][best];
    }
  }
  return fold_of;
}

// Ranks of the values, ties in the middle, scaled into (0, 1).
std::vector<double> scaled_ranks(const std::vector<double>& values) {
  std::vector<double> ranks;
  for (int64_t doubled : doubled_placements(values, values)) {
    ranks.push_back(static_cast<double>(doubled + 1) /
                    (2.0 * static_cast<double>(values.size()) + 2));
  }
  return ranks;
}

// One score an item, from the model that was fitted without the item's fold.
std::vector<double> out_of_fold_scores(const std::vector<Item>& items, const SparseRows& data,
                                       const std::vector<size_t>& fold_of,
                                       const BlindOptions& options) {
  std::vector<double> scores(items.size());
  parallel_for(options.folds, options.threads, [&](int64_t begin, int64_t end) {
    for (auto fold = static_cast<size_t>(begin); fold < static_cast<size_t>(end); ++fold) {
      std::vector<size_t> fitted;
      std::vector<size_t> scored;
      std::vector<bool> is_holdout;
      for (size_t i = 0; i < items.size(); ++i) {
        (fold_of[i] == fold ? scored : fitted).push_back(i);
        if (fold_of[i] != fold) is_holdout.push_back(!items[i].is_forget);
      }
      const std::vector<double> weights = fit_logistic(
          data, fitted, is_holdout, {.c = kC, .tolerance = kTolerance, .seed = options.seed});
      std::vector<double> values;
      for (size_t i : scored) values.push_back(dot(data.row(i), weights));
      const std::vector<double> ranks = scaled_ranks(values);
      for (size_t i = 0; i < scored.size(); ++i) scores[scored[i]] = ranks[i];
    }
  });
  return scores;
}

int64_t different_texts(const std::vector<Item>& items) {
  std::unordered_set<std::string_view> texts;
  for (const Item& item : items) texts.insert(*item.text);
  return static_cast<int64_t>(texts.size());
}

}  // namespace

std::optional<BlindBaseline> blind_baseline(const TraceScores& forget, const TraceScores& holdout,
                                            const BlindOptions& options) {
  PALIMPSEST_CHECK(options.folds >= 2 && options.max_texts >= kMinBlindTexts);
  require_confidence(options.confidence);
  const Random random(options.seed);
  std::vector<Item> items = items_of(forget, true, options.max_texts, random.split(0));
  const std::vector<Item> others = items_of(holdout, false, options.max_texts, random.split(1));
  if (std::min(different_texts(items), different_texts(others)) < kMinBlindTexts)
    return std::nullopt;
  BlindBaseline result;
  result.forget_texts = static_cast<int64_t>(items.size());
  result.holdout_texts = static_cast<int64_t>(others.size());
  items.insert(items.end(), others.begin(), others.end());

  std::vector<const std::string*> texts;
  for (const Item& item : items) texts.push_back(item.text);
  const auto longest = static_cast<size_t>(options.max_bytes) / items.size();
  const SparseRows data = text_features(texts, longest, options.threads);
  const std::vector<size_t> fold_of = folds_of(items, families_of(items, forget, holdout),
                                               static_cast<size_t>(options.folds), random.split(2));
  const std::vector<double> scores = out_of_fold_scores(items, data, fold_of, options);
  result.forget.resize(forget.facts.size());
  result.holdout.resize(holdout.facts.size());
  for (size_t i = 0; i < items.size(); ++i) {
    (items[i].is_forget ? result.forget : result.holdout)[items[i].example] = scores[i];
  }
  const LabelledScores labelled = to_labelled(result.columns());
  result.auc = *auc(labelled);
  result.auc_ci = *delong_interval(labelled, options.confidence, kVarianceFactor);
  return result;
}

}  // namespace palimpsest
