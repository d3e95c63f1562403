#include "palimpsest/report/internal/logged_metric.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <system_error>
#include <utility>

#include "palimpsest/report/internal/guesses.h"
#include "palimpsest/report/internal/page/mia_examples.h"
#include "palimpsest/stat/internal/truth_ratio.h"

namespace palimpsest::report {
namespace {

std::optional<std::string> logged_text(const eval::IndexedValue& value, const char* key) {
  const eval::Field* field = value.find(key);
  const auto* text = field != nullptr ? std::get_if<std::string>(field) : nullptr;
  if (text == nullptr) return std::nullopt;
  return shortened(*text, kMaxLoggedText);
}

bool is_whole_number(const std::string& text) {
  constexpr size_t kMaxDigits = 15;
  return !text.empty() && text.size() <= kMaxDigits &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::vector<std::string> in_record_order(std::vector<std::string> keys) {
  auto number_part = [](const std::string& key) { return key.substr(0, key.find('/')); };
  const bool numbered = std::ranges::all_of(
      keys, [&](const std::string& key) { return is_whole_number(number_part(key)); });
  if (numbered) {
    std::ranges::stable_sort(keys, {},
                             [&](const std::string& key) { return std::stoll(number_part(key)); });
  }
  return keys;
}

ValueByExample logged_field(const eval::MetricResult& result, const std::string& field,
                            const std::string& form) {
  ValueByExample values;
  for (const eval::IndexedValue& value : result.value_by_index) {
    const eval::Field* found = value.find(field);
    const eval::Number number = found != nullptr ? eval::field_mean(*found) : std::nullopt;
    if (number && std::isfinite(*number))
      values[value.index] = stat::truth_ratio_form(*number, form);
  }
  return values;
}

std::map<std::string, GeneratedExample> logged_generations(const eval::MetricResult& result) {
  std::map<std::string, GeneratedExample> generations;
  for (const eval::IndexedValue& value : result.value_by_index) {
    if (auto generation = logged_text(value, "generation"))
      generations[value.index] = {std::move(*generation), logged_text(value, "input"),
                                  logged_text(value, "ground_truth")};
  }
  return generations;
}

MetricParameters parameter_texts(const attack::ParameterValues& parameters) {
  MetricParameters texts;
  for (const auto& [name, value] : parameters) texts[name] = fmt::format("{}", value);
  return texts;
}

void take_scores(const attack::ScoredAttack& scored, const RunRecordFile& record,
                 RunMetric& metric) {
  const ClusterLookup& clusters = record.clusters;
  metric.scored = scored;
  for (attack::SetScores* set : {&metric.scored->forget, &metric.scored->holdout}) {
    attack::ScoreColumn scores = std::move(set->scores);
    for (std::optional<double>& score : scores) {
      if (score && !std::isfinite(*score)) score.reset();
    }
    *set = attack::set_scores(set->keys, std::move(scores));
  }
  metric.forget_clusters = clusters.of("forget", in_record_order(scored.forget.keys.list()));
  metric.holdout_clusters = clusters.of("holdout", in_record_order(scored.holdout.keys.list()));
}

eval::Number defined(const eval::Number& value) {
  return value && !std::isnan(*value) ? value : std::nullopt;
}

RunMetric run_metric(const std::string& name, const eval::MetricResult& result,
                     const RunRecordFile& record) {
  RunMetric metric{.name = name, .value = defined(result.agg_value)};
  if (result.scored) take_scores(*result.scored, record, metric);
  if (metric.is_auc() || result.value_by_index.empty() || !metric.value) return metric;
  if (const eval::MetricRecord* recorded = record.find_stated(metric.name)) {
    metric.data_set = record.data_set(*recorded);
    if (const auto& averaged = recorded->source.averaged)
      metric.by_index = logged_field(result, averaged->field, averaged->form);
  } else {
    metric.by_index = guess_averaged_values(result, *metric.value);
  }
  metric.clusters = record.clusters_of(metric, in_record_order(eval::indices_of(result)));
  metric.generations = logged_generations(result);
  return metric;
}

trace::BothSets<trace::TraceInput> source_traces(
    const eval::MetricSource& source, const std::filesystem::path& folder,
    const std::map<std::string, trace::TraceInput>& in_memory) {
  const auto of_set = [&](const char* set) -> trace::TraceInput {
    const auto named = source.traces.find(set);
    if (named == source.traces.end()) return {};
    if (const auto known = in_memory.find(named->second); known != in_memory.end())
      return known->second;
    const std::filesystem::path path = folder / named->second;
    std::error_code ignored;
    return std::filesystem::exists(path, ignored) ? path : trace::TraceInput();
  };
  return {.forget = of_set("forget"), .holdout = of_set("holdout")};
}

}  // namespace palimpsest::report
