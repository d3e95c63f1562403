// Merging of configurations, as OmegaConf does it: maps key by key, a list or a scalar replaces
// what was there, ??? replaces nothing, a null replaces anything. A list does not merge with a map.
// A value that is an interpolation of a list or a map becomes a copy of it before something is
// merged into it.
#pragma once

#include <string>

#include "palimpsest/config/config_context.h"
#include "palimpsest/config/value.h"

namespace palimpsest::config {

enum class NewKeys {
  kAdd,
  kRefuse,  // Error: the configuration is closed, only what is there may change
};

// Merges `source` (a map) into `root` (a map). Throws Error that names both places.
void merge(Value& root, const Value& source, const ConfigContext& context);

// What OmegaConf.update does: sets the value at a path of keys, or merges it if both are lists or
// both are maps. With kAdd the path is made, through scalars too.
struct Update {
  std::string path;
  Value value;
  NewKeys new_keys = NewKeys::kRefuse;
};
void update(Value& root, const Update& update, const ConfigContext& context);

// A map in which the value stands at this path; the value itself if the path is empty.
Value embed(Value value, const std::string& path);

}  // namespace palimpsest::config
