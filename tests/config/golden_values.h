// Values as the golden files of this folder hold them: whole numbers are numbers, real ones
// {"real": "0.1"}, maps {"map": [[key, value], …]}, so that order and kind count.
#pragma once

#include <cstdlib>
#include <string>

#include "palimpsest/base/internal/json.h"
#include "palimpsest/config/compose.h"
#include "palimpsest/config/value.h"
#include "palimpsest/python_text/internal/repr.h"

namespace palimpsest::config {

inline Json to_golden(const Value& value) {
  if (value.is_null()) return nullptr;
  if (value.is_bool()) return value.as_bool();
  if (value.is_int()) return value.as_int();
  if (value.is_real()) return {{"real", python_text::real_to_text(value.as_real())}};
  if (const std::string* text = value.text_if()) return *text;
  if (value.is_unreadable()) return "unreadable";
  Json items = Json::array();
  if (value.is_list()) {
    for (const Value& item : value.as_list()) items.push_back(to_golden(item));
    return items;
  }
  for (const auto& [key, item] : value.as_map()) {
    items.push_back(Json::array({key, to_golden(item)}));
  }
  return {{"map", items}};
}

// The context as tools/golden/config.py sets it up.
inline ConfigContext golden_context() {
  ConfigContext context;
  context.environment = [](const std::string& name) -> std::optional<std::string> {
    if (name == "PALIMPSEST_GOLDEN") return "from the environment";
    return std::nullopt;
  };
  context.now = {.year = 2024, .month = 3, .day = 9, .hour = 8, .minute = 7, .second = 6};
  context.hydra =
      Value(Value::Map{{"runtime", Value(Value::Map{{"cwd", "/where"}, {"output_dir", "/out"}})},
                       {"job", Value(Value::Map{{"name", "job"}})}});
  return context;
}

}  // namespace palimpsest::config
