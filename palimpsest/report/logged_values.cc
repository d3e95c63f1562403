#include "palimpsest/report/internal/logged_values.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "palimpsest/stat/truth_ratio.h"

namespace palimpsest::report {
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

bool is_whole_number(const std::string& text) {
  constexpr size_t kMaxDigits = 15;
  return !text.empty() && text.size() <= kMaxDigits &&
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
  return in_number_order(std::move(keys));
}

std::vector<std::string> in_number_order(std::vector<std::string> keys) {
  auto number_part = [](const std::string& key) { return key.substr(0, key.find('/')); };
  const bool numbered = std::ranges::all_of(
      keys, [&](const std::string& key) { return is_whole_number(number_part(key)); });
  if (numbered) {
    std::ranges::stable_sort(keys, {},
                             [&](const std::string& key) { return std::stoll(number_part(key)); });
  }
  return keys;
}

ValueByExample logged_field(const Json& by_index, const std::string& field,
                            const std::string& form) {
  ValueByExample values;
  for (const auto& [index, entry] : by_index.items()) {
    if (!entry.is_object() || !entry.contains(field)) continue;
    const auto value = logged_number(entry[field]);
    if (value && std::isfinite(*value)) values[index] = stat::truth_ratio_form(*value, form);
  }
  return values;
}

}  // namespace palimpsest::report
