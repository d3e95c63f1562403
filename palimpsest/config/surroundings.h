// What a configuration may ask of the world around it. The library reads no environment and no
// clock: whoever composes says what they are.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "palimpsest/config/value.h"
#include "palimpsest/text/template/time.h"

namespace palimpsest::config {

struct Surroundings {
  // ${oc.env:NAME}: the variable's value, nothing if it is not set. Absent: no variable is set.
  std::function<std::optional<std::string>(const std::string&)> environment = {};
  // ${now:%Y-%m-%d}. Absent: an Error where it is asked for.
  std::optional<jinja::CivilTime> now = std::nullopt;
  // ${hydra:runtime.cwd}, ${hydra:job.name} …: a map over which the hydra node of the configuration
  // itself is merged.
  Value hydra = Value(Value::Map{});
};

}  // namespace palimpsest::config
