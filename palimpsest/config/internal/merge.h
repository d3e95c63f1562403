// Merges configurations as OmegaConf does. Maps are merged key by key. A list or a scalar replaces
// the old value, ??? replaces nothing, and null replaces anything. A list and a map cannot be
// merged. If the old value is an interpolation that refers to a list or a map, it is first replaced
// by a copy of that list or map.
#pragma once

#include <string>

#include "palimpsest/config/compose.h"
#include "palimpsest/config/value.h"

namespace palimpsest::config {

enum class NewKeys {
  kAdd,
  kRefuse,  // throw Error: only existing keys may change
};

// Merges `source` into `root`; both must be maps. Throws an Error that names both places.
void merge(Value& root, const Value& source, const ConfigContext& context);

// The arguments of update(), which works like OmegaConf.update(): it sets the value at a path of
// keys, or merges it if both values are lists or both are maps. With kAdd, missing parts of the
// path are created, and scalars on the path are replaced.
struct Update {
  std::string path;
  Value value;
  NewKeys new_keys = NewKeys::kRefuse;
};
void update(Value& root, const Update& update, const ConfigContext& context);

// Returns a map that has the value at this path, or the value itself if the path is empty. The maps
// on the way have no position: they belong to whichever file has content there.
Value embed(Value value, const std::string& path);

}  // namespace palimpsest::config
