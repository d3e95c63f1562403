// Paths of keys: "a.b", "a[0].b", "[a].b".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace palimpsest::config {

// The keys of a path, as OmegaConf splits it; a leading dot gives an empty key. Throws Error beyond
// 200 keys.
std::vector<std::string> split_key(std::string_view path);

}  // namespace palimpsest::config
