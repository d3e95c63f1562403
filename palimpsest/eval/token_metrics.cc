#include "palimpsest/eval/token_metrics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/name_key.h"
#include "palimpsest/stat/mean_stat.h"
#include "palimpsest/stat/sum_stat.h"

namespace palimpsest::eval {
namespace {

using Ids = std::vector<int64_t>;

bool has_id(const Ids& ids, int64_t id) {
  return std::ranges::find(ids, id) != ids.end();
}

template <class T>
const T& trace_array(const std::optional<T>& array, const trace::Trace& trace, const char* name) {
  if (array) return *array;
  throw Error({.what = fmt::format("the trace of the example '{}' lacks '{}'", trace.index, name)});
}

const Ids& trace_labels(const trace::Trace& trace) {
  return trace_array(trace.label, trace, "label");
}

// The labels that count, as a mask.
std::vector<bool> counted_labels(const trace::Trace& trace, const Ids& masked) {
  std::vector<bool> counts;
  for (const int64_t id : trace_labels(trace)) counts.push_back(!has_id(masked, id));
  return counts;
}

// One value per labelled token.
using OfTokens = std::vector<double> (*)(const TokenMetric&, const trace::Trace&);
// One value of the tokens that count.
using OfSequence = double (*)(const TokenMetric&, const trace::Trace&,
                              const std::vector<bool>& counts);

std::vector<double> token_losses(const TokenMetric&, const trace::Trace& trace) {
  std::vector<double> values = trace_array(trace.logprob, trace, "logprob");
  for (double& value : values) value = -value;
  return values;
}

std::vector<double> token_hits(const TokenMetric&, const trace::Trace& trace) {
  const Ids& argmax = trace_array(trace.argmax, trace, "argmax");
  const Ids& labels = trace_labels(trace);
  std::vector<double> values;
  for (size_t i = 0; i < labels.size(); ++i) values.push_back(argmax[i] == labels[i] ? 1 : 0);
  return values;
}

std::vector<double> tokens_outside(const TokenMetric& metric, const trace::Trace& trace) {
  std::vector<double> values;
  for (const int64_t id : trace_labels(trace)) values.push_back(has_id(metric.values, id) ? 1 : 0);
  return values;
}

std::vector<double> one_per_token(const TokenMetric&, const trace::Trace& trace) {
  return std::vector<double>(trace_labels(trace).size(), 1.0);
}

double summed_loss(const TokenMetric& metric, const trace::Trace& trace,
                   const std::vector<bool>& counts) {
  const std::vector<double> values = token_losses(metric, trace);
  double sum = 0;
  for (size_t i = 0; i < values.size(); ++i) sum += counts[i] ? values[i] : 0;
  return sum;
}

double one_per_sequence(const TokenMetric&, const trace::Trace&, const std::vector<bool>&) {
  return 1;
}

double counted_length(const TokenMetric&, const trace::Trace&, const std::vector<bool>& counts) {
  return static_cast<double>(std::ranges::count(counts, true));
}

double is_cut(const TokenMetric& metric, const trace::Trace& trace, const std::vector<bool>&) {
  const bool ends = std::ranges::any_of(trace_labels(trace),
                                        [&](int64_t id) { return has_id(metric.values, id); });
  return ends ? 0 : 1;
}

struct TokenRow {
  const char* name;
  OfTokens of_tokens;      // null: of_sequence
  OfSequence of_sequence;  // null: of_tokens
  bool is_sum = false;
  bool needs_values = false;
};

constexpr TokenRow kTokenRows[] = {
    {"sequence_token_cross_entropy_loss", token_losses, nullptr},
    {"sequence_cross_entropy_loss", nullptr, summed_loss},
    {"sequence_token_accuracy", token_hits, nullptr},
    {"sequence_token_top_k_accuracy", token_hits, nullptr},
    {"sequence_token_count", one_per_token, nullptr, true},
    {"sequence_count", nullptr, one_per_sequence, true},
    {"sequence_truncation_rate", nullptr, is_cut, false, true},
    {"sequence_token_oov_rate", tokens_outside, nullptr, false, true},
    {"sequence_length", nullptr, counted_length},
};

const TokenRow& token_row(const TokenMetric& metric) {
  const std::string key = name_key(metric.name);
  for (const TokenRow& row : kTokenRows) {
    if (name_key(row.name) == key) return row;
  }
  throw Error({.what = fmt::format("the metric '{}' is not computed from a model", metric.name),
               .expected = fmt::format("one of {}", fmt::join(token_metric_names(), ", "))});
}

void require_valid_metric(const TokenMetric& metric, const TokenRow& row) {
  const auto refuse = [&](const std::string& what) {
    throw Error({.what = what, .where = fmt::format("metric '{}'", row.name)});
  };
  if (metric.per_position && (row.of_tokens == nullptr || row.is_sum)) {
    refuse("it has no values by position");
  }
  if (metric.k < 1) refuse("k must be at least 1");
  if (row.needs_values && metric.values.empty()) refuse("the ids that it looks for are missing");
}

int64_t trace_domain(const trace::Trace& trace, const TokenDomains& domains) {
  const auto found = trace.groups.find(domains.key);
  const std::string text = found == trace.groups.end() ? "" : found->second;
  int64_t number = -1;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem == std::errc() && end == text.data() + text.size() && number >= 0 &&
      number < domains.count) {
    return number;
  }
  throw Error(
      {.what = fmt::format("'{}' of the example '{}' is not a domain", domains.key, trace.index),
       .expected = fmt::format("a whole number from 0 to {}", domains.count - 1),
       .found = text.empty() ? "nothing" : text});
}

int64_t longest_trace(const std::vector<trace::Trace>& traces) {
  size_t longest = 0;
  for (const trace::Trace& trace : traces) longest = std::max(longest, trace_labels(trace).size());
  return static_cast<int64_t>(longest);
}

}  // namespace

std::vector<std::string> token_metric_names() {
  std::vector<std::string> names;
  for (const TokenRow& row : kTokenRows) names.emplace_back(row.name);
  return names;
}

stat::AnyStat token_statistic(const TokenMetric& metric, const std::vector<trace::Trace>& traces,
                              const std::optional<TokenDomains>& domains, const TokenRanks& ranks) {
  const TokenRow& row = token_row(metric);
  require_valid_metric(metric, row);
  if (metric.k > 1 && ranks.size() != traces.size()) {
    throw Error({.what = "a trace holds only the most likely token, so k must be 1",
                 .where = fmt::format("metric '{}'", row.name)});
  }
  const int64_t positions = metric.per_position ? longest_trace(traces) : 1;
  Shape shape;
  if (domains) shape.push_back(domains->count);
  if (metric.per_position) shape.push_back(positions);
  Array accum = Array::zeros(shape);
  Array weight = Array::zeros(shape);
  for (size_t number = 0; number < traces.size(); ++number) {
    const trace::Trace& trace = traces[number];
    const std::vector<bool> counts = counted_labels(trace, metric.masked);
    if (std::ranges::count(counts, true) == 0) continue;
    const auto first =
        static_cast<size_t>((domains ? trace_domain(trace, *domains) : 0) * positions);
    const auto add = [&](size_t element, double value) {
      accum.values()[element] += value;
      weight.values()[element] += 1;
    };
    if (row.of_sequence != nullptr) {
      add(first, row.of_sequence(metric, trace, counts));
      continue;
    }
    std::vector<double> values = row.of_tokens(metric, trace);
    if (metric.k > 1) {
      for (size_t i = 0; i < values.size(); ++i) values[i] = ranks[number][i] < metric.k ? 1 : 0;
    }
    for (size_t i = 0; i < values.size(); ++i) {
      if (counts[i]) add(first + (metric.per_position ? i : 0), values[i]);
    }
  }
  if (row.is_sum) return stat::SumStat::make(std::move(accum));
  return stat::MeanStat::make(std::move(accum), std::move(weight));
}

}  // namespace palimpsest::eval
