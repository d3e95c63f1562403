// Numbers and intervals that may be absent, in JSON: null if there is none. An interval is
// [low, high].
#pragma once

#include <optional>

#include "palimpsest/base/internal/json.h"
#include "palimpsest/stat/interval.h"

namespace palimpsest::stat {

inline Json optional_to_json(const std::optional<double>& number) {
  return number ? number_to_json(*number) : Json(nullptr);
}

inline Json interval_to_json(const std::optional<Interval>& interval) {
  if (!interval) return nullptr;
  return Json::array({number_to_json(interval->low), number_to_json(interval->high)});
}

// nullopt for anything but two numbers.
inline std::optional<Interval> interval_from_json(const Json& value) {
  if (!value.is_array() || value.size() != 2) return std::nullopt;
  const std::optional<double> low = number_from_json(value[0]);
  const std::optional<double> high = number_from_json(value[1]);
  return low && high ? std::optional(Interval{*low, *high}) : std::nullopt;
}

}  // namespace palimpsest::stat
