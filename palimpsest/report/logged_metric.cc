#include "palimpsest/report/internal/logged_metric.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "palimpsest/report/internal/guesses.h"
#include "palimpsest/report/internal/json_members.h"
#include "palimpsest/report/internal/logged_values.h"
#include "palimpsest/report/page/mia_examples.h"
#include "palimpsest/stat/truth_ratio.h"

namespace palimpsest::report {
namespace {

LoggedSet logged_set(const Json& entry, const char* set) {
  const Json* found = find_member(entry, set);
  const Json* by_index = found == nullptr ? nullptr : value_by_index(*found);
  if (by_index == nullptr) return {};
  return {.keys = example_keys(*by_index), .scores = logged_field(*by_index, "score")};
}

std::optional<std::string> logged_text(const Json& entry, const char* key) {
  const Json* found = find_member(entry, key);
  if (found == nullptr || !found->is_string()) return std::nullopt;
  return shortened(found->get<std::string>(), kMaxLoggedText);
}

std::optional<std::string> logged_text(const eval::IndexedValue& value, const char* key) {
  const eval::Field* field = value.find(key);
  const auto* text = field != nullptr ? std::get_if<std::string>(field) : nullptr;
  if (text == nullptr) return std::nullopt;
  return shortened(*text, kMaxLoggedText);
}

// What the log has of the text that the model wrote for an example.
template <class Entry>
void add_generation(const std::string& key, const Entry& entry, LoggedMetric& metric) {
  if (auto generation = logged_text(entry, "generation")) {
    metric.generations[key] = {std::move(*generation), logged_text(entry, "input"),
                               logged_text(entry, "ground_truth")};
  }
}

std::vector<std::string> keys_of(const eval::MetricResult& result) {
  std::vector<std::string> keys;
  for (const eval::IndexedValue& value : result.value_by_index) keys.push_back(value.index);
  return in_number_order(std::move(keys));
}

ValueByExample field_of(const eval::MetricResult& result, const std::string& field,
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

LoggedSet set_of(const eval::MetricResult& result, const char* set) {
  const eval::MetricResult* part = result.find_part(set);
  if (part == nullptr || part->value_by_index.empty()) return {};
  return {.keys = keys_of(*part), .scores = field_of(*part, "score", "")};
}

LoggedSet set_of(const attack::SetScores& set, const std::vector<attack::ExampleId>& examples) {
  LoggedSet logged;
  for (size_t i = 0; i < examples.size(); ++i) {
    logged.keys.push_back(examples[i].key());
    const std::optional<double>& score = set.scores[i];
    if (score && std::isfinite(*score)) logged.scores[logged.keys.back()] = *score;
  }
  logged.keys = in_number_order(std::move(logged.keys));
  return logged;
}

}  // namespace

MetricParameters parameter_texts(const attack::ParameterValues& parameters) {
  MetricParameters texts;
  for (const auto& [name, value] : parameters) texts[name] = fmt::format("{}", value);
  return texts;
}

LoggedMetric logged_metric(const attack::AttackOutcome& outcome, const attack::MiaReport& audit) {
  return {.name = std::string(kAttackPrefix) + outcome.attack,
          .value = outcome.auc,
          .parameters = parameter_texts(outcome.parameters),
          .simultaneous = outcome.auc_ci_simultaneous,
          .forget = set_of(outcome.forget, audit.forget),
          .holdout = set_of(outcome.holdout, audit.holdout)};
}

LoggedMetric logged_metric(const std::string& name, const Json& entry) {
  LoggedMetric metric{.name = name,
                      .value = member_number(entry, "agg_value"),
                      .parameters = member_parameters(entry),
                      .simultaneous = member_interval(entry, "auc_ci_simultaneous"),
                      .forget = logged_set(entry, "forget"),
                      .holdout = logged_set(entry, "holdout")};
  const Json* by_index = value_by_index(entry);
  if (by_index == nullptr) return metric;
  metric.keys = example_keys(*by_index);
  for (const auto& [key, example] : by_index->items()) add_generation(key, example, metric);
  metric.values = [by_index](const std::string& field, const std::string& form) {
    return logged_field(*by_index, field, form);
  };
  metric.values_with_mean = [by_index](double mean) {
    return guess_averaged_values(*by_index, mean);
  };
  return metric;
}

LoggedMetric logged_metric(const std::string& name, const eval::MetricResult& result) {
  LoggedMetric metric{
      .name = name, .forget = set_of(result, "forget"), .holdout = set_of(result, "holdout")};
  // A file has no NaN: undefined is null there.
  if (result.agg_value && !std::isnan(*result.agg_value)) metric.value = result.agg_value;
  if (result.value_by_index.empty()) return metric;
  metric.keys = keys_of(result);
  for (const eval::IndexedValue& value : result.value_by_index) {
    add_generation(value.index, value, metric);
  }
  metric.values = [&result](const std::string& field, const std::string& form) {
    return field_of(result, field, form);
  };
  metric.values_with_mean = [](double) { return ValueByExample(); };
  return metric;
}

}  // namespace palimpsest::report
