// Determines the configs that make up a configuration, in the order in which they are merged. They
// come from the defaults lists of the primary config and of all configs that it names, with the
// choices of the command line. Hydra's own group `hydra` (logging, launchers) is left out unless
// the folders have such a config.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/config/internal/config_source.h"
#include "palimpsest/config/override.h"

namespace palimpsest::config {

struct ConfigPart {
  std::string config;   // "eval/tofu"
  std::string package;  // where the content goes: "eval.tofu"; empty for the root
  // The key by which overrides refer to the entry, if it is one of a group.
  std::optional<std::string> override_key = std::nullopt;
  std::string location = {};  // the file and line of the entry
};

struct DefaultsList {
  std::vector<ConfigPart> parts;
  std::vector<Override> config_overrides;  // the overrides that change values, not groups
  std::map<std::string, Value> choices;  // the option of each group, for ${hydra:runtime.choices.…}
};

// Throws Error, with the file and line, for a config or an option that does not exist (the message
// lists the existing ones), for an override that matches no entry, and for lists that include each
// other.
DefaultsList make_defaults_list(ConfigSource& source, const std::string& config_name,
                                const std::vector<Override>& overrides);

}  // namespace palimpsest::config
