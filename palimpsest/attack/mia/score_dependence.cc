#include "palimpsest/attack/internal/mia/score_dependence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "palimpsest/attack/mia/score_columns.h"
#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/parallel.h"
#include "palimpsest/base/random.h"

namespace palimpsest::attack {
namespace {

constexpr std::array<int64_t, 3> kOrderWindows = {2, 5, 15};

// Midranks of the values, mean 0 and variance 1; all 0 if they are equal. Undefined values get 0.
std::vector<double> standard_midranks(std::span<const std::optional<double>> values) {
  std::vector<size_t> order;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i]) order.push_back(i);
  }
  std::ranges::sort(order, {}, [&](size_t i) { return *values[i]; });
  std::vector<double> ranks(values.size());
  const double middle = (static_cast<double>(order.size()) - 1) / 2;
  double squares = 0;
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin;
    while (end < order.size() && *values[order[end]] == *values[order[begin]]) ++end;
    const double rank = static_cast<double>(begin + end - 1) / 2 - middle;
    for (size_t i = begin; i < end; ++i) ranks[order[i]] = rank;
    squares += rank * rank * static_cast<double>(end - begin);
    begin = end;
  }
  if (squares == 0) return ranks;
  const double scale = std::sqrt(static_cast<double>(order.size()) / squares);
  for (double& rank : ranks) rank *= scale;
  return ranks;
}

// The rows in another order, drawn by Fisher and Yates.
void permute_rows(const RankedUnits& from, Random& random, std::vector<int64_t>& order,
                  RankedUnits& to) {
  order.resize(static_cast<size_t>(from.units));
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  for (int64_t unit = 0; unit < from.units; ++unit) {
    const auto source = from.ranks.begin() + order[static_cast<size_t>(unit)] * from.attacks;
    std::copy_n(source, from.attacks, to.ranks.begin() + unit * from.attacks);
  }
}

// Adds the statistics of set number `s` to `sums`.
using SetStatistic = std::function<void(const RankedUnits& set, size_t s, std::span<double> sums)>;

// One row of statistics per permutation, the data first; standardised in place by column.
class StatisticTable {
 public:
  StatisticTable(int64_t rows, int64_t width)
      : rows_(rows), width_(width), values_(static_cast<size_t>(rows * width)) {}

  std::span<double> row(int64_t r) {
    return std::span(values_).subspan(static_cast<size_t>(r * width_), static_cast<size_t>(width_));
  }

  // False if no column varies.
  bool standardise() {
    bool varies = false;
    for (int64_t c = 0; c < width_; ++c) {
      double mean = 0;
      for (int64_t r = 0; r < rows_; ++r) mean += at(r, c) / static_cast<double>(rows_);
      double squares = 0;
      for (int64_t r = 0; r < rows_; ++r) squares += (at(r, c) - mean) * (at(r, c) - mean);
      const double sd = std::sqrt(squares / static_cast<double>(rows_));
      // What is left of rounding where the statistic is the same for every order.
      const bool constant = sd <= 1e-9 * std::abs(mean);
      for (int64_t r = 0; r < rows_; ++r) at(r, c) = constant ? 0 : (at(r, c) - mean) / sd;
      varies = varies || !constant;
    }
    return varies;
  }

 private:
  double& at(int64_t r, int64_t c) { return values_[static_cast<size_t>(r * width_ + c)]; }

  int64_t rows_;
  int64_t width_;
  std::vector<double> values_;
};

std::optional<ScoreDependence> permutation_test(std::span<const RankedUnits> sets, int64_t width,
                                                const SetStatistic& statistic,
                                                const PermutationSettings& settings) {
  const bool any = std::ranges::any_of(sets, [](auto& s) { return s.units >= kFewestUnits; });
  if (!any || width == 0) return std::nullopt;
  StatisticTable table(settings.permutations + 1, width);
  parallel_for(settings.permutations + 1, settings.threads, [&](int64_t begin, int64_t end) {
    std::vector<RankedUnits> permuted(sets.begin(), sets.end());
    std::vector<int64_t> order;
    for (int64_t r = begin; r < end; ++r) {
      if (settings.stop.stop_requested()) throw Stopped();
      Random random = Random(settings.seed).split(static_cast<uint64_t>(r));
      for (size_t s = 0; s < sets.size(); ++s) {
        if (sets[s].units < kFewestUnits) continue;
        if (r > 0) permute_rows(sets[s], random, order, permuted[s]);
        statistic(r > 0 ? permuted[s] : sets[s], s, table.row(r));
      }
    }
  });
  if (!table.standardise()) return std::nullopt;
  const std::span<double> observed = table.row(0);
  const auto largest = std::ranges::max_element(observed);
  int64_t as_large = 1;
  for (int64_t r = 1; r <= settings.permutations; ++r) {
    // Orders that mean the same add up to almost the same.
    if (std::ranges::max(table.row(r)) >= *largest - 1e-9) ++as_large;
  }
  return ScoreDependence{
      .p_value = static_cast<double>(as_large) / static_cast<double>(settings.permutations + 1),
      .strength = *largest,
      .attack = (largest - observed.begin()) % sets.front().attacks};
}

// Σ_i (z_i + … + z_{i+window-1})² per attack, indices modulo the number of units.
void add_window_squares(const RankedUnits& set, int64_t window, std::span<double> sums) {
  std::vector<double> inside(static_cast<size_t>(set.attacks));
  for (int64_t i = 0; i < window; ++i) {
    for (int64_t k = 0; k < set.attacks; ++k) inside[static_cast<size_t>(k)] += set.at(i, k);
  }
  for (int64_t i = 0; i < set.units; ++i) {
    const int64_t entering = i + window < set.units ? i + window : i + window - set.units;
    for (int64_t k = 0; k < set.attacks; ++k) {
      double& sum = inside[static_cast<size_t>(k)];
      sums[static_cast<size_t>(k)] += sum * sum;
      sum += set.at(entering, k) - set.at(i, k);
    }
  }
}

int64_t group_count(const std::vector<int64_t>& groups) {
  return groups.empty() ? 0 : *std::ranges::max_element(groups) + 1;
}

}  // namespace

RankedUnits rank_units(std::span<const std::span<const std::optional<double>>> columns,
                       std::span<const int64_t> unit_of) {
  RankedUnits set{.units = unit_of.empty() ? 0 : unit_of.back() + 1,
                  .attacks = static_cast<int64_t>(columns.size())};
  set.ranks.resize(static_cast<size_t>(set.units * set.attacks));
  for (size_t k = 0; k < columns.size(); ++k) {
    const std::vector<double> ranks = standard_midranks(columns[k]);
    std::vector<double> sum(static_cast<size_t>(set.units));
    std::vector<int64_t> count(sum.size());
    for (size_t i = 0; i < ranks.size(); ++i) {
      if (!columns[k][i]) continue;
      sum[static_cast<size_t>(unit_of[i])] += ranks[i];
      ++count[static_cast<size_t>(unit_of[i])];
    }
    ScoreColumn means(sum.size());
    for (size_t u = 0; u < sum.size(); ++u) {
      if (count[u] > 0) means[u] = sum[u] / static_cast<double>(count[u]);
    }
    const std::vector<double> of_units = standard_midranks(means);
    for (size_t u = 0; u < sum.size(); ++u) set.ranks[u * columns.size() + k] = of_units[u];
  }
  return set;
}

std::optional<ScoreDependence> test_order(std::span<const RankedUnits> sets,
                                          const PermutationSettings& settings) {
  if (sets.empty()) return std::nullopt;
  const int64_t attacks = sets.front().attacks;
  const auto width = static_cast<int64_t>(kOrderWindows.size()) * attacks;
  auto statistic = [attacks](const RankedUnits& set, size_t, std::span<double> sums) {
    for (size_t w = 0; w < kOrderWindows.size(); ++w) {
      if (2 * kOrderWindows[w] > set.units) continue;
      add_window_squares(
          set, kOrderWindows[w],
          sums.subspan(w * static_cast<size_t>(attacks), static_cast<size_t>(attacks)));
    }
  };
  return permutation_test(sets, width, statistic, settings);
}

std::optional<ScoreDependence> test_groups(std::span<const RankedUnits> sets,
                                           std::span<const std::vector<int64_t>> groups,
                                           const PermutationSettings& settings) {
  if (sets.empty()) return std::nullopt;
  auto statistic = [&](const RankedUnits& set, size_t s, std::span<double> sums) {
    std::vector<double> totals(static_cast<size_t>(group_count(groups[s]) * set.attacks));
    for (int64_t u = 0; u < set.units; ++u) {
      const int64_t offset = groups[s][static_cast<size_t>(u)] * set.attacks;
      for (int64_t k = 0; k < set.attacks; ++k)
        totals[static_cast<size_t>(offset + k)] += set.at(u, k);
    }
    for (size_t i = 0; i < totals.size(); ++i)
      sums[i % static_cast<size_t>(set.attacks)] += totals[i] * totals[i];
  };
  return permutation_test(sets, sets.front().attacks, statistic, settings);
}

double neighbour_correlation(std::span<const RankedUnits> sets, int64_t attack) {
  double products = 0;
  int64_t pairs = 0;
  for (const RankedUnits& set : sets) {
    for (int64_t i = 1; i < set.units; ++i) products += set.at(i - 1, attack) * set.at(i, attack);
    pairs += std::max<int64_t>(set.units - 1, 0);
  }
  return pairs == 0 ? 0 : products / static_cast<double>(pairs);
}

std::optional<double> rank_icc(std::span<const RankedUnits> sets,
                               std::span<const std::vector<int64_t>> groups, int64_t attack) {
  double total = 0;
  double between = 0;
  double size_squares = 0;  // Σ_sets (Σ m_g² / n)
  int64_t count = 0;
  int64_t units = 0;
  int64_t used_sets = 0;
  for (size_t s = 0; s < sets.size(); ++s) {
    std::vector<double> sum(static_cast<size_t>(group_count(groups[s])));
    std::vector<double> size(sum.size());
    for (int64_t u = 0; u < sets[s].units; ++u) {
      const double z = sets[s].at(u, attack);
      const auto g = static_cast<size_t>(groups[s][static_cast<size_t>(u)]);
      total += z * z;
      sum[g] += z;
      size[g] += 1;
    }
    for (size_t g = 0; g < sum.size(); ++g) {
      if (size[g] == 0) continue;
      ++count;
      between += sum[g] * sum[g] / size[g];
      size_squares += size[g] * size[g] / static_cast<double>(sets[s].units);
    }
    units += sets[s].units;
    used_sets += sets[s].units > 0 ? 1 : 0;
  }
  const auto between_df = static_cast<double>(count - used_sets);
  const auto within_df = static_cast<double>(units - count);
  if (between_df <= 0 || within_df <= 0 || total == 0) return std::nullopt;
  const double mean_size = (static_cast<double>(units) - size_squares) / between_df;
  const double between_mean = between / between_df;
  const double within_mean = (total - between) / within_df;
  return (between_mean - within_mean) / (between_mean + (mean_size - 1) * within_mean);
}

double block_strength(std::span<const RankedUnits> sets, int64_t size) {
  double pairs = 0;
  double variance = 0;
  for (const RankedUnits& set : sets) {
    for (int64_t begin = 0; begin < set.units; begin += size) {
      const int64_t end = std::min(begin + size, set.units);
      for (int64_t k = 0; k < set.attacks; ++k) {
        double sum = 0;
        for (int64_t u = begin; u < end; ++u) {
          sum += set.at(u, k);
          pairs -= set.at(u, k) * set.at(u, k);
        }
        pairs += sum * sum;
      }
      variance += 2 * static_cast<double>((end - begin) * (end - begin - 1));
    }
  }
  return variance == 0 ? 0 : pairs / std::sqrt(variance);
}

}  // namespace palimpsest::attack
