#include "palimpsest/stat/internal/family_permutation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/parallel.h"
#include "palimpsest/stat/internal/hypergeometric.h"
#include "palimpsest/stat/internal/label_units.h"

namespace palimpsest::stat {
namespace {

// 0.29 * 100 is a little less than 29.
int64_t negatives_beyond(int64_t negatives, double fpr) {
  return static_cast<int64_t>(std::floor(static_cast<double>(negatives) * fpr + 1e-9));
}

// X >= x says that at most k of the x + k highest are negatives.
double tail_probability(const HypergeometricCdf& cdf, int64_t beyond, int64_t positives,
                        int64_t negatives, int64_t k) {
  return cdf(k, {.population = positives + negatives, .marked = negatives, .drawn = beyond + k});
}

// The items of one attack from the highest score down.
struct RankedItems {
  std::vector<uint32_t> units;
  std::vector<char> starts_tie;  // its score differs from the one before
  int64_t positives = 0;
  int64_t negatives = 0;

  int64_t size() const { return static_cast<int64_t>(units.size()); }
};

RankedItems rank_items(const ClusteredScores& attack, const std::vector<uint32_t>& units) {
  std::vector<std::pair<double, uint32_t>> items;
  for (double score : attack.scores.positives) items.emplace_back(score, units[items.size()]);
  for (double score : attack.scores.negatives) items.emplace_back(score, units[items.size()]);
  std::sort(items.begin(), items.end(), std::greater<>());
  RankedItems ranked{.units = {},
                     .starts_tie = {},
                     .positives = attack.scores.positive_count(),
                     .negatives = attack.scores.negative_count()};
  for (size_t i = 0; i < items.size(); ++i) {
    ranked.units.push_back(items[i].second);
    ranked.starts_tie.push_back(i == 0 || items[i].first != items[i - 1].first ? 1 : 0);
  }
  return ranked;
}

// How many positives lie above the (k+1)-th highest negative: x of the header.
int64_t positives_beyond(const RankedItems& items, const std::vector<char>& labels, int64_t k) {
  int64_t positives = 0;
  int64_t negatives = 0;
  int64_t above_tie = 0;
  for (size_t i = 0; i < items.units.size(); ++i) {
    if (items.starts_tie[i] != 0) above_tie = positives;
    const int64_t label = labels[items.units[i]] != 0 ? 1 : 0;
    positives += label;
    negatives += 1 - label;
    if (negatives > k) return above_tie;
  }
  return positives;
}

// What one permutation needs room for; each thread has its own.
struct Labelling {
  std::vector<char> labels;    // [unit]
  std::vector<double> totals;  // of UnitSums
};

// So many labellings are added up together, since reading the values of the units takes the time.
using Labellings = std::array<Labelling, LabelUnits::kTogether>;

// Sums over the positive units, for many quantities at once. Values are whole numbers, so a sum is
// exact and does not depend on its order.
class UnitSums {
 public:
  explicit UnitSums(size_t units) : units_(units) {}

  // [unit]; the number under which `totals` have it.
  size_t add(const std::vector<double>& values) {
    if (columns_ % kLanes == 0) blocks_.emplace_back(units_);
    for (size_t unit = 0; unit < units_; ++unit)
      blocks_.back()[unit][columns_ % kLanes] = values[unit];
    return columns_++;
  }

  // Sets the totals: [column], padded.
  template <size_t N>
  void sum(std::array<Labelling, N>& labellings) const {
    for (Labelling& labelling : labellings) labelling.totals.resize(blocks_.size() * kLanes);
    for (size_t block = 0; block < blocks_.size(); ++block) {
      const std::array<Lanes, N> totals = block_totals(blocks_[block], labellings);
      for (size_t n = 0; n < N; ++n)
        std::ranges::copy(totals[n],
                          labellings[n].totals.begin() + static_cast<ptrdiff_t>(block * kLanes));
    }
  }

 private:
  static constexpr size_t kLanes = 4;
  using Lanes = std::array<double, kLanes>;

  template <size_t N>
  std::array<Lanes, N> block_totals(const std::vector<Lanes>& block,
                                    const std::array<Labelling, N>& labellings) const {
    std::array<Lanes, N> totals{};
    std::array<const char*, N> labels;
    for (size_t n = 0; n < N; ++n) labels[n] = labellings[n].labels.data();
    for (size_t unit = 0; unit < units_; ++unit) {
      for (size_t n = 0; n < N; ++n) {
        const double label = labels[n][unit];  // 0 or 1
        for (size_t lane = 0; lane < kLanes; ++lane) totals[n][lane] += label * block[unit][lane];
      }
    }
    return totals;
  }

  size_t units_;
  size_t columns_ = 0;
  std::vector<std::vector<Lanes>> blocks_;
};

// Everything about a family that its permutations share.
class Family {
 public:
  explicit Family(std::span<const ClusteredScores* const> attacks)
      : units_(label_units(attacks)), sums_(units_.labels.size()) {
    int64_t largest = 0;
    for (size_t k = 0; k < attacks.size(); ++k) {
      ranked_.push_back(rank_items(*attacks[k], units_.of_items[k]));
      largest = std::max(largest, ranked_.back().size());
      add_columns(ranked_.back());
    }
    hypergeometric_ = HypergeometricCdf(largest);
  }

  size_t size() const { return ranked_.size(); }
  const RankedItems& items(size_t attack) const { return ranked_[attack]; }

  Labelling observed_labelling() const {
    std::array<Labelling, 1> labelling = {{{.labels = units_.labels, .totals = {}}}};
    sums_.sum(labelling);
    return labelling[0];
  }

  // Permutations first, first + 1 …
  void permute(const Random& root, int64_t first, Labellings& labellings) const {
    const auto item = static_cast<uint64_t>(first);
    std::array<Random, LabelUnits::kTogether> randoms = {
        root.split(item), root.split(item + 1), root.split(item + 2), root.split(item + 3)};
    units_.draw(randoms, {&labellings[0].labels, &labellings[1].labels, &labellings[2].labels,
                          &labellings[3].labels});
    sums_.sum(labellings);
  }

  // A - ½, exactly 0 and exactly symmetric where it should be; 0 where the labels leave the attack
  // one class only.
  double centred_auc(const Labelling& labelling, size_t attack) const {
    const double m = positives_under(labelling, attack);
    const double n = static_cast<double>(ranked_[attack].size()) - m;
    const double doubled_rank_sum = labelling.totals[columns_[attack].ranks];
    return m == 0 || n == 0 ? 0 : (doubled_rank_sum - m * (m + 1) - m * n) / (2 * m * n);
  }

  double tail_p_value(const Labelling& labelling, size_t attack, double fpr) const {
    const auto m = static_cast<int64_t>(positives_under(labelling, attack));
    const int64_t n = ranked_[attack].size() - m;
    const int64_t k = negatives_beyond(n, fpr);
    // An unlucky draw of large clusters may leave too few negatives: then there is no tail.
    if (k < 1) return 1;
    return tail_probability(hypergeometric_, positives_beyond(ranked_[attack], labelling.labels, k),
                            m, n, k);
  }

 private:
  struct Columns {
    size_t ranks = 0;
    std::optional<size_t> sizes;  // where the number of positives depends on the permutation
  };

  double positives_under(const Labelling& labelling, size_t attack) const {
    const std::optional<size_t>& sizes = columns_[attack].sizes;
    return sizes ? labelling.totals[*sizes] : static_cast<double>(ranked_[attack].positives);
  }

  // Doubled midranks and numbers of items, by unit.
  void add_columns(const RankedItems& items) {
    std::vector<double> ranks(units_.labels.size(), 0);
    std::vector<double> sizes(units_.labels.size(), 0);
    for (size_t begin = 0; begin < items.units.size();) {
      size_t end = begin + 1;
      while (end < items.units.size() && items.starts_tie[end] == 0) ++end;
      // Ranks count from 1 at the lowest score; `begin` items lie above these.
      const auto doubled = static_cast<double>(2 * items.units.size() - begin - end + 1);
      for (size_t i = begin; i < end; ++i) {
        ranks[items.units[i]] += doubled;
        sizes[items.units[i]] += 1;
      }
      begin = end;
    }
    Columns columns{.ranks = sums_.add(ranks), .sizes = {}};
    if (!is_constant_in_pools(sizes)) columns.sizes = size_column(sizes);
    columns_.push_back(columns);
  }

  bool is_constant_in_pools(const std::vector<double>& sizes) const {
    return std::all_of(units_.pools.begin(), units_.pools.end(), [&](const LabelPool& pool) {
      const auto first = sizes.begin() + pool.first;
      return std::all_of(first, first + pool.count, [&](double size) { return size == *first; });
    });
  }

  // Attacks with the same items share the column.
  size_t size_column(const std::vector<double>& sizes) {
    for (const auto& [known, column] : size_columns_) {
      if (known == sizes) return column;
    }
    size_columns_.emplace_back(sizes, sums_.add(sizes));
    return size_columns_.back().second;
  }

  LabelUnits units_;
  std::vector<RankedItems> ranked_;
  UnitSums sums_;
  std::vector<Columns> columns_;
  std::vector<std::pair<std::vector<double>, size_t>> size_columns_;
  HypergeometricCdf hypergeometric_{0};
};

// What every permutation gave, and last what the labels as they are give.
struct Permuted {
  std::vector<double> centred;  // [permutation + 1][attack]
  std::vector<double> tails;    // [permutation + 1], the smallest p
};

double smallest_tail(const Family& family, const Labelling& labelling,
                     std::span<const size_t> attacks, double fpr) {
  double smallest = 1;
  for (size_t k : attacks) smallest = std::min(smallest, family.tail_p_value(labelling, k, fpr));
  return smallest;
}

Permuted permute(const Family& family, std::span<const size_t> tail_attacks,
                 const FamilyPermutationOptions& options) {
  const size_t attacks = family.size();
  const int64_t tail_permutations = tail_attacks.empty() ? 0 : options.tail_permutations;
  Permuted permuted{
      .centred = std::vector<double>(static_cast<size_t>(options.permutations + 1) * attacks),
      .tails = std::vector<double>(static_cast<size_t>(tail_permutations + 1))};
  auto note_aucs = [&](const Labelling& labelling, int64_t row) {
    for (size_t k = 0; k < attacks; ++k)
      permuted.centred[static_cast<size_t>(row) * attacks + k] = family.centred_auc(labelling, k);
  };
  auto note_tail = [&](const Labelling& labelling, int64_t row) {
    permuted.tails[static_cast<size_t>(row)] =
        smallest_tail(family, labelling, tail_attacks, options.tail_fpr);
  };
  const Labelling actual = family.observed_labelling();
  note_aucs(actual, options.permutations);
  note_tail(actual, tail_permutations);
  const Random root(options.seed);
  parallel_for(std::max(options.permutations, tail_permutations), options.threads,
               [&](int64_t begin, int64_t end) {
                 Labellings labellings;
                 labellings.fill(actual);
                 for (int64_t first = begin; first < end; first += std::ssize(labellings)) {
                   if (options.stop.stop_requested()) throw Stopped();
                   family.permute(root, first, labellings);
                   for (int64_t b = first; b < std::min(end, first + std::ssize(labellings)); ++b) {
                     const Labelling& labelling = labellings[static_cast<size_t>(b - first)];
                     if (b < options.permutations) note_aucs(labelling, b);
                     if (b < tail_permutations) note_tail(labelling, b);
                   }
                 }
               });
  return permuted;
}

// Equal up to what rounding does: such permutations count as being as extreme.
constexpr double kAsExtreme = 1e-12;

// p of the last value among all of them, large ones being extreme.
double rank_p_value(const std::vector<double>& values) {
  const double actual = values.back() - kAsExtreme * std::abs(values.back());
  const auto extreme =
      std::count_if(values.begin(), values.end(), [&](double value) { return value >= actual; });
  return static_cast<double>(extreme) / static_cast<double>(values.size());
}

// max_k |A_k - ½| / sd_k of every permutation. An attack whose AUC is always ½ says nothing.
std::vector<double> largest_distances(const std::vector<double>& centred, size_t attacks) {
  const size_t rows = centred.size() / attacks;
  std::vector<double> largest(rows, 0);
  for (size_t k = 0; k < attacks; ++k) {
    double squares = 0;
    for (size_t b = 0; b < rows; ++b)
      squares += centred[b * attacks + k] * centred[b * attacks + k];
    if (squares == 0) continue;
    const double sd = std::sqrt(squares / static_cast<double>(rows));
    for (size_t b = 0; b < rows; ++b)
      largest[b] = std::max(largest[b], std::abs(centred[b * attacks + k]) / sd);
  }
  return largest;
}

void require_valid(const FamilyPermutationOptions& options) {
  constexpr int64_t kMinPermutations = 99;
  for (int64_t count : {options.permutations, options.tail_permutations}) {
    if (count >= kMinPermutations) continue;
    throw Error({.what = fmt::format("{} permutations are too few", count),
                 .expected = fmt::format("at least {}", kMinPermutations)});
  }
  if (options.tail_fpr > 0 && options.tail_fpr < 1) return;
  throw Error({.what = fmt::format("the false positive rate {} is out of range", options.tail_fpr),
               .expected = "a number in (0, 1)"});
}

}  // namespace

FamilyPermutation permute_family(std::span<const ClusteredScores> attacks,
                                 const FamilyPermutationOptions& options) {
  require_valid(options);
  std::vector<const ClusteredScores*> used;
  std::vector<size_t> used_numbers;  // among all attacks
  std::vector<size_t> tail_attacks;  // among those used
  for (size_t k = 0; k < attacks.size(); ++k) {
    require_matching(attacks[k].clusters, attacks[k].scores);
    if (!attacks[k].scores.has_both_classes()) continue;
    if (negatives_beyond(attacks[k].scores.negative_count(), options.tail_fpr) >= 1)
      tail_attacks.push_back(used.size());
    used.push_back(&attacks[k]);
    used_numbers.push_back(k);
  }
  FamilyPermutation result;
  if (used.empty()) return result;
  const Family family(used);
  Permuted permuted = permute(family, tail_attacks, options);
  result.p_value = rank_p_value(largest_distances(permuted.centred, used.size()));
  if (tail_attacks.empty()) return result;
  const Labelling actual = family.observed_labelling();
  double smallest = 2;
  for (size_t k : tail_attacks) {
    const double p = family.tail_p_value(actual, k, options.tail_fpr);
    if (p < smallest) result.tail_attack = used_numbers[k];
    smallest = std::min(smallest, p);
  }
  // Small ones are extreme here.
  for (double& p : permuted.tails) p = -p;
  result.tail_p_value = rank_p_value(permuted.tails);
  return result;
}

std::optional<double> tail_p_value(const ScoresView& scores, double fpr) {
  if (!(fpr > 0 && fpr < 1)) {
    throw Error({.what = fmt::format("the false positive rate {} is out of range", fpr),
                 .expected = "a number in (0, 1)"});
  }
  const int64_t k = negatives_beyond(scores.negative_count(), fpr);
  if (!scores.has_both_classes() || k < 1) return std::nullopt;
  std::vector<double> negatives(scores.negatives.begin(), scores.negatives.end());
  const auto threshold = negatives.begin() + k;  // the (k+1)-th highest
  std::nth_element(negatives.begin(), threshold, negatives.end(), std::greater<>());
  const int64_t beyond = std::count_if(scores.positives.begin(), scores.positives.end(),
                                       [&](double score) { return score > *threshold; });
  const HypergeometricCdf cdf(scores.positive_count() + scores.negative_count());
  return tail_probability(cdf, beyond, scores.positive_count(), scores.negative_count(), k);
}

}  // namespace palimpsest::stat
