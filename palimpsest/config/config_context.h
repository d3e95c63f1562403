// Values from outside that a configuration may refer to: environment variables, the time, and facts
// about the run. The library reads neither the environment nor a clock; the caller supplies these
// values.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "palimpsest/config/value.h"
#include "palimpsest/python_text/time.h"

namespace palimpsest::config {

struct ConfigContext {
  // Looks up an environment variable for ${oc.env:NAME}; returns nullopt if it is not set. If this
  // function is absent, no variable is set.
  std::function<std::optional<std::string>(const std::string&)> environment = {};
  // The time for ${now:%Y-%m-%d}. If absent, this interpolation throws Error.
  std::optional<python_text::CivilTime> now = std::nullopt;
  // Values for ${hydra:runtime.cwd}, ${hydra:job.name} and so on. The node `hydra` of the
  // configuration is merged over this map.
  Value hydra = Value(Value::Map{});
};

}  // namespace palimpsest::config
