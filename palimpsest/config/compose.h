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
#include <string>
#include <vector>

#include "palimpsest/config/config_context.h"
#include "palimpsest/config/override.h"
#include "palimpsest/config/resolver.h"
#include "palimpsest/config/value.h"

namespace palimpsest::config {

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
// key. An override with a sweep (several values) is also an Error; see internal/sweep.h.
Composition compose(const ConfigSet& configs, const std::vector<Override>& overrides,
                    const ConfigContext& context);

// Returns the configuration with all interpolations resolved.
Value resolve(const Composition& composition, const ConfigContext& context, OnFailure on_failure);

}  // namespace palimpsest::config
