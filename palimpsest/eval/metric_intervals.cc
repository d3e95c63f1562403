#include "palimpsest/eval/internal/metric_intervals.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "palimpsest/attack/mia/score_columns.h"
#include "palimpsest/base/error.h"
#include "palimpsest/eval/internal/reference_value.h"
#include "palimpsest/stat/clustered_mean.h"

namespace palimpsest::eval {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

}  // namespace

std::optional<std::vector<ClusteredValue>> MetricIntervals::clustered(
    const DatasetPlan& spec, std::span<const std::string> examples,
    std::span<const Number> values) const {
  PALIMPSEST_CHECK(values.size() == examples.size());
  const uint64_t file = clusters_.file_of(spec);
  std::vector<ClusteredValue> all;
  for (size_t i = 0; i < values.size(); ++i) {
    const int64_t cluster = clusters_.of(spec, examples[i]);
    if (cluster < 0) return std::nullopt;
    if (values[i]) all.push_back({.value = *values[i], .cluster = cluster, .file = file});
  }
  return all;
}

std::optional<std::vector<ClusteredValue>> MetricIntervals::scores(const MetricNode& node,
                                                                   const MetricResult& result,
                                                                   const std::string& set) const {
  if (!result.scored) return std::nullopt;
  const attack::SetScores& scored =
      set == "forget" ? result.scored->forget : result.scored->holdout;
  return clustered(node.data_called(set), scored.keys.list(), attack::flipped(scored.scores));
}

// Of a result of this metric, whichever model it is of.
std::optional<MetricIntervals::Estimate> MetricIntervals::estimate_of(
    size_t node, const MetricResult& result) const {
  const MetricNode& metric = graph_.nodes[node];
  if (metric.handler->is_attack()) {
    const auto forget = scores(metric, result, "forget");
    const auto holdout = scores(metric, result, "holdout");
    if (!forget || !holdout) return std::nullopt;
    auto replicates = auc_replicates(*forget, *holdout);
    if (!replicates) return std::nullopt;
    return Estimate{std::move(*replicates), {0, 1}};
  }
  const DatasetPlan* spec = graph_.data_of(node);
  if (metric.handler->averaged == nullptr || spec == nullptr) return std::nullopt;
  const auto values = clustered(
      *spec, indices_of(result),
      averaged_values(result, metric.handler->averaged(metric.setting), metric.setting.name));
  if (!values || values->empty()) return std::nullopt;
  auto replicates = mean_replicates(*values);
  if (!replicates) return std::nullopt;
  const auto [least, most] = std::ranges::minmax_element(*values, {}, &ClusteredValue::value);
  return Estimate{std::move(*replicates), stat::range_of_mean(least->value, most->value)};
}

// The examples that have a value.
std::set<std::string> MetricIntervals::defined_values(size_t node,
                                                      const MetricResult& result) const {
  std::set<std::string> defined;
  const auto add = [&](const char* set, const auto& keys, const std::vector<Number>& values) {
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i]) defined.insert(set + keys[i]);
    }
  };
  const MetricNode& metric = graph_.nodes[node];
  if (result.scored) {
    add("forget ", result.scored->forget.keys.list(), result.scored->forget.scores);
    add("holdout ", result.scored->holdout.keys.list(), result.scored->holdout.scores);
  } else if (metric.handler->averaged != nullptr) {
    add("", indices_of(result),
        averaged_values(result, metric.handler->averaged(metric.setting), metric.setting.name));
  }
  return defined;
}

// The retain model's number is taken as its log has it, whatever it was computed from.
void MetricIntervals::note_missing_values(size_t node, size_t compared, const MetricResult& retain,
                                          bool is_exact) {
  const std::set<std::string> needed =
      defined_values(compared, log_.at(graph_.nodes[compared].setting.name));
  const std::set<std::string> given = defined_values(compared, retain);
  const auto missing =
      std::ranges::count_if(needed, [&](const auto& key) { return !given.contains(key); });
  if (missing == 0) return;
  notes_.push_back(fmt::format(
      "{}: the log of the retain model has no value of {} for {} of {} examples: {}",
      graph_.nodes[node].setting.name, graph_.nodes[compared].setting.name, missing, needed.size(),
      is_exact ? "the interval takes the retain model's number as exact"
               : "the interval compares the models on different examples"));
}

// A metric against the same one of a retain model.
std::optional<MetricIntervals::Estimate> MetricIntervals::comparison(size_t node) {
  const MetricNode& metric = graph_.nodes[node];
  const auto part =
      std::ranges::find(metric.pre_compute, "forget", &std::pair<std::string, size_t>::first);
  if (part == metric.pre_compute.end() || !estimate(part->second)) return std::nullopt;
  const MetricResult* retain = retained(metric.setting);
  std::optional<Estimate> reference;
  if (retain != nullptr && retain->agg_value) {
    reference = estimate_of(part->second, *retain);
    note_missing_values(node, part->second, *retain, !reference);
    if (!reference) reference = Estimate{{.value = *retain->agg_value, .without = {}}, {}};
  } else {
    const Parameter* value = metric.setting.parameters.find_set("ref_value");
    if (value == nullptr) return std::nullopt;
    reference = Estimate{{.value = value->as_real(), .without = {}}, {}};
  }
  const std::vector<Replicates> both = {estimate(part->second)->replicates,
                                        std::move(reference->replicates)};
  const auto formula = [&](std::span<const double> values) {
    return metric.handler->combine(values.first(1), values[1]);
  };
  // Per cent of a number that is not negative: it cannot fall by more than all of it.
  return Estimate{combined(both, formula), {-100, kUnbounded}};
}

std::optional<MetricIntervals::Estimate> MetricIntervals::compute_estimate(size_t node) {
  const MetricNode& metric = graph_.nodes[node];
  const auto result = log_.find(metric.setting.name);
  if (result == log_.end() || !result->second.agg_value) return std::nullopt;
  if (metric.handler->combine == nullptr) return estimate_of(node, result->second);
  if (metric.handler->compares) return comparison(node);
  std::vector<Replicates> parts;
  bool within_one = true;
  for (const auto& [access_key, other] : metric.pre_compute) {
    const std::optional<Estimate>& part = estimate(other);
    if (!part) return std::nullopt;
    parts.push_back(part->replicates);
    within_one = within_one && part->range == stat::Interval{0, 1};
  }
  const auto formula = [&](std::span<const double> values) {
    return metric.handler->combine(values, 0);
  };
  return Estimate{combined(parts, formula),
                  within_one ? stat::Interval{0, 1} : stat::Interval{-kUnbounded, kUnbounded}};
}

const std::optional<MetricIntervals::Estimate>& MetricIntervals::estimate(size_t node) {
  const auto known = known_.find(node);
  if (known != known_.end()) return known->second;
  return known_[node] = compute_estimate(node);
}

std::optional<Spread> MetricIntervals::spread(size_t node) {
  if (graph_.nodes[node].handler->combine == nullptr) return std::nullopt;
  const std::optional<Estimate>& found = estimate(node);
  const auto jackknife = found ? jackknife_of(found->replicates) : std::nullopt;
  if (!jackknife) return std::nullopt;
  return Spread{.variance = jackknife->variance,
                .degrees_of_freedom = jackknife->degrees_of_freedom,
                .range = found->range};
}

std::optional<stat::Interval> MetricIntervals::interval(size_t node) {
  const MetricNode& metric = graph_.nodes[node];
  if (metric.handler->is_attack()) {
    const auto result = log_.find(metric.setting.name);
    if (result == log_.end()) return std::nullopt;
    const auto forget = scores(metric, result->second, "forget");
    const auto holdout = scores(metric, result->second, "holdout");
    if (!forget || !holdout) return std::nullopt;
    return clustered_auc_interval(*forget, *holdout);
  }
  const std::optional<Estimate>& found = estimate(node);
  return found ? interval_of(found->replicates, found->range) : std::nullopt;
}

}  // namespace palimpsest::eval
