#include "palimpsest/report/internal/logged_values.h"

#include <algorithm>
#include <cmath>

namespace palimpsest {
namespace {

// A number, or the mean of a list's numbers: one entry per alternative answer.
std::optional<double> logged_number(const Json& value) {
  if (!value.is_array()) return number_from_json(value);
  double sum = 0;
  int64_t count = 0;
  for (const Json& entry : value) {
    const std::optional<double> number = number_from_json(entry);
    if (!number) continue;
    sum += *number;
    ++count;
  }
  return count == 0 ? std::nullopt : std::optional(sum / static_cast<double>(count));
}

constexpr double kTruthRatioOffset = 1e-10;  // as published

double as_it_is(double value) {
  return value;
}
double closer_to_one(double value) {
  return std::min(value, 1 / (value + kTruthRatioOffset));
}
double truth_preferred(double value) {
  return std::max(0.0, 1 - value);
}

bool has_mean(const ValueByExample& values, double mean) {
  if (values.empty()) return false;
  double sum = 0;
  for (const auto& [index, value] : values) sum += value;
  const double found = sum / static_cast<double>(values.size());
  return std::abs(found - mean) <= 1e-6 * std::max(1.0, std::abs(mean));
}

bool is_whole_number(const std::string& text) {
  constexpr size_t kMostDigits = 15;
  return !text.empty() && text.size() <= kMostDigits &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

const Json* value_by_index(const Json& entry) {
  if (!entry.is_object()) return nullptr;
  const auto found = entry.find("value_by_index");
  return found != entry.end() && found->is_object() ? &*found : nullptr;
}

std::vector<std::string> example_keys(const Json& by_index) {
  std::vector<std::string> keys;
  for (const auto& [key, entry] : by_index.items()) keys.push_back(key);
  auto number_part = [](const std::string& key) { return key.substr(0, key.find('/')); };
  const bool numbered = std::ranges::all_of(
      keys, [&](const std::string& key) { return is_whole_number(number_part(key)); });
  if (numbered) {
    std::ranges::stable_sort(keys, {},
                             [&](const std::string& key) { return std::stoll(number_part(key)); });
  }
  return keys;
}

ValueByExample logged_field(const Json& by_index, const std::string& field) {
  ValueByExample values;
  for (const auto& [index, entry] : by_index.items()) {
    if (!entry.is_object() || !entry.contains(field)) continue;
    const auto value = logged_number(entry[field]);
    if (value && std::isfinite(*value)) values[index] = *value;
  }
  return values;
}

ValueByExample averaged_values(const Json& by_index, double mean) {
  if (by_index.empty() || !by_index.begin()->is_object()) return {};
  // Fields as they are go first: a truth ratio's form may have the same mean by chance.
  for (double (*form)(double) : {as_it_is, closer_to_one, truth_preferred}) {
    for (const auto& [field, unused] : by_index.begin()->items()) {
      if (form != as_it_is && field != "score") continue;
      ValueByExample values = logged_field(by_index, field);
      for (auto& [index, value] : values) value = form(value);
      if (has_mean(values, mean)) return values;
    }
  }
  return {};
}

}  // namespace palimpsest
