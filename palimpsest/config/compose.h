// Composition: from a folder of configs, the name of one and overrides to one configuration, as
// Hydra 1.3 does it.
//
//   const Composition job = compose({.folders = {"configs"}, .config_name = "eval.yaml"},
//                                   parse_overrides({"model=Phi-1_5", "seed=1"}), context);
//   const Value config = resolve(job, context, OnFailure::kKeep);
//
// What steers Hydra itself (the node hydra) is read and kept apart: ${hydra:…} can look at it,
// nothing acts on it. Structured configs and plugins of Hydra's are no part of this.
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
  std::vector<std::filesystem::path> folders;  // the first one that has a config wins
  std::string config_name = "config";          // with or without .yaml
};

struct Composition {
  Value config;  // a map, interpolations as they were written, without the node hydra
  Value hydra;   // that node: a map with runtime.choices, job.config_name … added
};

std::vector<Override> parse_overrides(const std::vector<std::string>& lines);

// Throws Error with file, line and key. A sweep among the overrides is one: see sweep.h.
Composition compose(const ConfigSet& configs, const std::vector<Override>& overrides,
                    const ConfigContext& context);

// The configuration without interpolations.
Value resolve(const Composition& composition, const ConfigContext& context, OnFailure on_failure);

}  // namespace palimpsest::config
