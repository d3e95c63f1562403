#include "palimpsest/report/internal/summary_bootstrap.h"

#include <algorithm>
#include <limits>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/parallel.h"
#include "palimpsest/base/random.h"
#include "palimpsest/stat/binomial.h"
#include "palimpsest/stat/effective_epsilon.h"
#include "palimpsest/stat/internal/bootstrap_replicates.h"

namespace palimpsest::report {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

std::optional<stat::Interval> interval_of(const std::optional<stat::BootstrapEstimate>& estimate) {
  return estimate ? std::optional(estimate->interval) : std::nullopt;
}

// The counts of a resample.
stat::Confusion redrawn(const stat::Confusion& counts, Random& random) {
  const int64_t tp = stat::redraw_successes(counts.true_positives, counts.positives(), random);
  const int64_t fp = stat::redraw_successes(counts.false_positives, counts.negatives(), random);
  return {tp, counts.positives() - tp, fp, counts.negatives() - fp};
}

// A sum of weighted shares of two classes, a·TP/m + b·FP/n + c: accuracy and advantage.
struct RateSum {
  double of_positives = 0;
  double of_negatives = 0;
  double constant = 0;

  double at(const stat::Confusion& counts) const {
    const auto share = [](int64_t part, int64_t whole) {
      return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
    };
    return constant + of_positives * share(counts.true_positives, counts.positives()) +
           of_negatives * share(counts.false_positives, counts.negatives());
  }
};

// The influence of the items of one class: weight · (called positive - rate).
std::vector<double> rate_influence(int64_t called, int64_t all, double weight) {
  const double rate = static_cast<double>(called) / static_cast<double>(std::max<int64_t>(all, 1));
  std::vector<double> influence(static_cast<size_t>(all), weight * (0 - rate));
  std::fill_n(influence.begin(), called, weight * (1 - rate));
  return influence;
}

bool varies(int64_t successes, int64_t trials) {
  return successes > 0 && successes < trials;
}

// Of a sum whose two rates are 0 or 1: exact intervals of both at half the error each.
stat::Interval exact_interval(const RateSum& sum, const stat::Confusion& counts,
                              double confidence) {
  const bool both = counts.positives() > 0 && counts.negatives() > 0;
  const double level = both ? 1 - (1 - confidence) / 2 : confidence;
  stat::Interval result{sum.constant, sum.constant};
  auto add = [&](double weight, int64_t successes, int64_t trials) {
    if (trials == 0) return;
    const stat::Interval rate = stat::clopper_pearson(successes, trials, level);
    result.low += weight * (weight > 0 ? rate.low : rate.high);
    result.high += weight * (weight > 0 ? rate.high : rate.low);
  };
  add(sum.of_positives, counts.true_positives, counts.positives());
  add(sum.of_negatives, counts.false_positives, counts.negatives());
  return result;
}

std::optional<stat::Interval> interval_of_sum(const RateSum& sum, const stat::Confusion& counts,
                                              const stat::BootstrapOptions& options) {
  if (counts.positives() + counts.negatives() < 2) return std::nullopt;
  if (!varies(counts.true_positives, counts.positives()) &&
      !varies(counts.false_positives, counts.negatives())) {
    return exact_interval(sum, counts, options.confidence);
  }
  auto draw = [&counts, &sum](Random& random) { return sum.at(redrawn(counts, random)); };
  const stat::Influence influence = {
      rate_influence(counts.true_positives, counts.positives(), sum.of_positives),
      rate_influence(counts.false_positives, counts.negatives(), sum.of_negatives)};
  return interval_of(stat::bootstrap_interval(
      sum.at(counts), stat::bootstrap_replicates(options, [&] { return draw; }), influence,
      options));
}

// Accuracy is (m·TPR + n·(1 - FPR)) / (m + n).
std::optional<stat::Interval> accuracy_interval(const AttackSummary& summary,
                                                const stat::BootstrapOptions& options) {
  const stat::Confusion& counts = summary.counts;
  const auto m = static_cast<double>(counts.positives());
  const auto n = static_cast<double>(counts.negatives());
  const RateSum sum{m / (m + n), -n / (m + n), n / (m + n)};
  return interval_of_sum(sum, counts, options);
}

std::optional<stat::Interval> advantage_interval(const AttackSummary& summary,
                                                 const stat::BootstrapOptions& options) {
  return interval_of_sum({1, -1, 0}, summary.counts, options);
}

std::optional<stat::Interval> gain_interval(const AttackSummary& summary,
                                            const stat::BootstrapOptions& options) {
  const auto advantage = advantage_interval(summary, options);
  if (!advantage) return std::nullopt;
  return stat::Interval{1 - advantage->high, 1 - advantage->low};
}

// The number of the group that each score belongs to.
std::vector<uint32_t> groups_of(const std::vector<double>& scores,
                                const std::vector<stat::ScoreGroup>& groups) {
  std::vector<uint32_t> numbers;
  numbers.reserve(scores.size());
  for (double score : scores) {
    const auto found = std::lower_bound(
        groups.begin(), groups.end(), score,
        [](const stat::ScoreGroup& group, double value) { return group.score < value; });
    numbers.push_back(static_cast<uint32_t>(found - groups.begin()));
  }
  return numbers;
}

// Sorts once; a resample is then a reweighting of the groups.
std::optional<stat::Interval> epsilon_of_scores(const AttackSummary& summary,
                                                const stat::BootstrapOptions& options) {
  const std::vector<stat::ScoreGroup> groups = stat::group_scores(summary.scores);
  const std::vector<uint32_t> positives = groups_of(summary.scores.positives, groups);
  const std::vector<uint32_t> negatives = groups_of(summary.scores.negatives, groups);
  auto make_worker = [&] {
    return [&, drawn = groups](Random& random) mutable {
      for (stat::ScoreGroup& group : drawn) group.positives = group.negatives = 0;
      for (size_t i = 0; i < positives.size(); ++i)
        ++drawn[positives[random.below(positives.size())]].positives;
      for (size_t i = 0; i < negatives.size(); ++i)
        ++drawn[negatives[random.below(negatives.size())]].negatives;
      return stat::effective_epsilon(drawn).value_or(kUndefined);
    };
  };
  return interval_of(stat::bootstrap_interval(*stat::effective_epsilon(groups),
                                              stat::bootstrap_replicates(options, make_worker), {},
                                              options));
}

std::optional<stat::Interval> epsilon_interval(const AttackSummary& summary,
                                               const stat::BootstrapOptions& options) {
  stat::BootstrapOptions percentile = options;
  percentile.method = stat::BootstrapMethod::kPercentile;
  if (summary.has_scores) return epsilon_of_scores(summary, percentile);
  const stat::Confusion& counts = summary.counts;
  auto draw = [&counts](Random& random) {
    return stat::effective_epsilon(redrawn(counts, random)).value_or(kUndefined);
  };
  return interval_of(stat::bootstrap_interval(
      *stat::effective_epsilon(counts),
      stat::bootstrap_replicates(percentile, [&] { return draw; }), {}, percentile));
}

struct IntervalEntry {
  std::string_view metric;
  std::optional<stat::Interval> (*compute)(const AttackSummary&, const stat::BootstrapOptions&);
};

const IntervalEntry kIntervals[] = {
    {"accuracy", accuracy_interval},
    {"true_positive_rate",
     [](const AttackSummary& s, const stat::BootstrapOptions& options) {
       return interval_of(
           stat::bootstrap_rate(s.counts.true_positives, s.counts.positives(), options));
     }},
    {"false_positive_rate",
     [](const AttackSummary& s, const stat::BootstrapOptions& options) {
       return interval_of(
           stat::bootstrap_rate(s.counts.false_positives, s.counts.negatives(), options));
     }},
    {"mia_advantage", advantage_interval},
    {"privacy_gain", gain_interval},
    {"auc",
     [](const AttackSummary& s, const stat::BootstrapOptions& options) {
       return interval_of(stat::bootstrap_auc(s.scores, options));
     }},
    {"effective_epsilon", epsilon_interval},
};

}  // namespace

void add_bootstrap_intervals(AttackSummary& summary, std::span<const size_t> selected,
                             const stat::BootstrapOptions& options) {
  stat::require_valid(options);
  PALIMPSEST_CHECK(summary.metrics.size() == selected.size());
  for (size_t i = 0; i < selected.size(); ++i) {
    if (!summary.metrics[i].value) continue;
    const std::string_view name = summary_metrics()[selected[i]].name;
    const auto entry =
        std::find_if(std::begin(kIntervals), std::end(kIntervals),
                     [&](const IntervalEntry& candidate) { return candidate.metric == name; });
    PALIMPSEST_CHECK(entry != std::end(kIntervals));
    summary.metrics[i].interval = entry->compute(summary, options);
  }
}

void add_bootstrap_intervals(std::span<AttackSummary> summaries, std::span<const size_t> selected,
                             const stat::BootstrapOptions& options) {
  stat::BootstrapOptions alone = options;
  if (summaries.size() > 1) alone.threads = 1;
  parallel_for(static_cast<int64_t>(summaries.size()), options.threads,
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   add_bootstrap_intervals(summaries[static_cast<size_t>(i)], selected, alone);
                 }
               });
}

}  // namespace palimpsest::report
