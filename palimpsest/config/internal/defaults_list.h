// Which configs make up a configuration, in the order in which they are merged: the defaults lists
// of the primary config and of all that it names, with the choices of the command line. What the
// group hydra would configure (logging, launchers) is left out unless there is such a config.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "palimpsest/config/internal/config_source.h"
#include "palimpsest/config/override.h"

namespace palimpsest::config {

struct ConfigPart {
  std::string config;   // "eval/tofu"
  std::string package;  // where it goes: "eval.tofu", empty for the root
};

struct DefaultsList {
  std::vector<ConfigPart> parts;
  std::vector<Override> config_overrides;  // those that are about values, not groups
  std::map<std::string, Value> choices;    // option by group: ${hydra:runtime.choices.…}
};

// Throws Error, with file and line, for a config or an option that does not exist (those that do
// are listed), for an override that fits no entry, for lists that include one another.
DefaultsList make_defaults_list(ConfigSource& source, const std::string& config_name,
                                const std::vector<Override>& overrides);

}  // namespace palimpsest::config
