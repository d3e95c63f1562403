// Composes one configuration from a folder of YAML files, the name of the main file and a list of
// overrides, as Hydra 1.3 does.
//
//   const Composition job = compose({.folders = {"configs"}, .config_name = "eval.yaml"},
//                                   parse_overrides({"model=Phi-1_5", "seed=1"}), context);
//   const Value config = resolve(job, context, OnFailure::kKeep);
//
// The part of the configuration that controls Hydra itself (the node `hydra`) is read and kept
// separately. It has no effect here, but ${hydra:…} can read it. Structured configs and Hydra
// plugins are not supported.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/config/override.h"
#include "palimpsest/config/value.h"
#include "palimpsest/python_text/time.h"

namespace palimpsest::config {

// What to do if an interpolation cannot be resolved.
enum class OnFailure {
  kThrow,  // throw an Error that names the key
  kKeep,   // keep a value that throws when it is read (Value::unreadable)
};

// Values from outside that a configuration may refer to: environment variables, the time, and facts
// about the run. The library reads neither the environment nor a clock; the caller supplies these
// values.
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

struct ConfigSet {
  std::vector<std::filesystem::path> folders;  // searched in this order
  std::string config_name = "config";          // with or without .yaml
};

struct Composition {
  Value config;  // a map without the node hydra; interpolations are unresolved
  Value hydra;   // the node hydra: a map, with runtime.choices, job.config_name … added
};

// Parses one override per line. Throws Error for the first wrong one.
std::vector<Override> parse_overrides(const std::vector<std::string>& lines);

// Throws Error if the configuration cannot be composed; the message has the file, the line and the
// key. An override with a sweep (several values) is also an Error. `palimpsest eval --multirun`
// turns sweeps into several jobs before it composes; the library has no public function for this.
Composition compose(const ConfigSet& configs, const std::vector<Override>& overrides,
                    const ConfigContext& context);

// Returns the configuration with all interpolations resolved.
Value resolve(const Composition& composition, const ConfigContext& context, OnFailure on_failure);

}  // namespace palimpsest::config
