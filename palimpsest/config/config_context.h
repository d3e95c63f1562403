// What a configuration may ask for beside its own values: environment variables, the time, facts about
// the run. The library reads no environment and no clock: whoever composes says what they are.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "palimpsest/config/value.h"
#include "palimpsest/python_text/time.h"

namespace palimpsest::config {

struct ConfigContext {
  // ${oc.env:NAME}: the variable's value, nothing if it is not set. Absent: no variable is set.
  std::function<std::optional<std::string>(const std::string&)> environment = {};
  // ${now:%Y-%m-%d}. Absent: an Error where it is asked for.
  std::optional<python_text::CivilTime> now = std::nullopt;
  // ${hydra:runtime.cwd}, ${hydra:job.name} …: a map over which the hydra node of the configuration
  // itself is merged.
  Value hydra = Value(Value::Map{});
};

}  // namespace palimpsest::config
