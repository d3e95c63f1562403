#include "palimpsest/eval/mia_metric.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "palimpsest/attack/trace_scores.h"
#include "palimpsest/base/error.h"
#include "palimpsest/base/log.h"
#include "palimpsest/stat/auc.h"

namespace palimpsest::eval {
namespace {

const Attack& attack_named(std::string_view name) {
  const AttackTable& table = default_attack_table();
  const auto found = std::ranges::find(table, name, &Attack::name);
  PALIMPSEST_CHECK(found != table.end());
  return *found;
}

// Scores of one data set, and the defined ones for the AUC.
MetricResult part_of(const MetricInput& input, const std::string& data, const Attack& attack,
                     const AttackOptions& options, std::vector<double>& scores) {
  const std::vector<Trace>& traces = *input.traces.at(data);
  const std::vector<Trace>* references =
      attack.needs_reference() ? input.reference_traces.at(data) : nullptr;
  MetricResult part;
  for (size_t i = 0; i < traces.size(); ++i) {
    const Number score = references != nullptr
                             ? attack.compare(traces[i], (*references)[i], options)
                             : attack.score(traces[i], options);
    if (score) scores.push_back(*score);
    const ExampleId id{traces[i].index, traces[i].alternative};
    part.value_by_index.push_back({.index = id.key(), .fields = {{"score", score}}});
  }
  part.examples = static_cast<int64_t>(scores.size());
  part.agg_value = mean_of(column(part, "score", input.setting.name));
  if (scores.size() < traces.size()) {
    log_warning("{}: {} of {} examples of '{}' have no score and are left out", input.setting.name,
                traces.size() - scores.size(), traces.size(), data);
  }
  return part;
}

// What the reference model itself makes of the examples: it tells whether that model knows them.
MetricResult reference_losses(const MetricInput& input, const std::string& data) {
  MetricResult losses;
  for (const Trace& trace : *input.reference_traces.at(data)) {
    const ExampleId id{trace.index, trace.alternative};
    losses.value_by_index.push_back({.index = id.key(), .fields = {{"score", avg_loss(trace)}}});
  }
  return losses;
}

}  // namespace

MetricNeeds mia_needs() {
  return {.data = {"forget", "holdout"}, .traces = true};
}

MetricResult mia_auc(const MetricInput& input, std::string_view attack,
                     const AttackOptions& options) {
  const Attack& chosen = attack_named(attack);
  LabelledScores scores;  // holdout examples are the positives: higher means less familiar
  MetricResult result;
  result.parts.emplace_back("forget", part_of(input, "forget", chosen, options, scores.negatives));
  result.parts.emplace_back("holdout",
                            part_of(input, "holdout", chosen, options, scores.positives));
  if (scores.has_both_classes()) result.agg_value = auc(scores);
  if (chosen.needs_reference()) {
    for (const char* data : {"forget", "holdout"}) {
      result.reference_parts.emplace_back(data, reference_losses(input, data));
    }
  }
  result.numbers = {{"auc", result.agg_value}};
  result.examples = scores.positive_count() + scores.negative_count();
  return result;
}

AttackOptions share_options(const MetricSetting& setting) {
  const config::Value& k = setting.config.at("k");
  const AttackOptions options{.k = k.as_real()};
  try {
    require_valid(options);
  } catch (const Error& error) {
    throw error.located(k.where());
  }
  return options;
}

MetricNeeds share_needs(const MetricSetting& setting) {
  share_options(setting);
  return mia_needs();
}

std::string attack_name(const Handler& handler) {
  constexpr std::string_view kPrefix = "mia_";
  PALIMPSEST_CHECK(handler.name.starts_with(kPrefix));
  return handler.name.substr(kPrefix.size());
}

AttackParameters attack_parameters(const Handler& handler, const MetricSetting& setting) {
  AttackParameters parameters;
  for (const HandlerKey& key : handler.keys) {
    const config::Value* value = setting.config.find_set(key.name);
    if (value == nullptr) continue;
    const bool infinite =
        value->is_text() && (value->as_text() == "inf" || value->as_text() == "Infinity");
    if (!infinite && !value->is_int() && !value->is_real()) continue;
    parameters.emplace_back(key.name,
                            infinite ? std::numeric_limits<double>::infinity() : value->as_real());
  }
  return parameters;
}

std::string with_parameters(const std::string& name, const AttackParameters& parameters) {
  if (parameters.empty()) return name;
  std::vector<std::string> parts;
  for (const auto& [key, value] : parameters) parts.push_back(fmt::format("{}={:g}", key, value));
  return fmt::format("{} ({})", name, fmt::join(parts, ", "));
}

}  // namespace palimpsest::eval
