// Paths of keys, such as "a.b", "a[0].b" and "[a].b".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace palimpsest::config {

// Splits a path into its keys, as OmegaConf does. A leading dot gives an empty key. Throws Error
// for more than 200 keys.
std::vector<std::string> split_key(std::string_view path);

}  // namespace palimpsest::config
