#include "palimpsest/config/internal/key_path.h"

#include <fmt/format.h>

#include <algorithm>

#include "palimpsest/base/error.h"

namespace palimpsest::config {

std::vector<std::string> split_key(std::string_view path) {
  constexpr size_t kMaxKeys = 200;
  std::vector<std::string> keys;
  std::string_view rest = path;
  bool expects_key = !rest.starts_with('[');
  while (expects_key || !rest.empty()) {
    if (keys.size() >= kMaxKeys) {
      throw Error(fmt::format("a path of keys is longer than {}", kMaxKeys));
    }
    if (!expects_key && rest[0] == '[') {
      const size_t end = std::min(rest.find(']'), rest.size());
      keys.emplace_back(rest.substr(1, end - 1));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      continue;
    }
    if (!expects_key && rest[0] == '.') rest.remove_prefix(1);
    const size_t end = std::min(rest.find_first_of(".["), rest.size());
    const bool bracket_next = end == 0 && rest.starts_with('[');
    if (!bracket_next) keys.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end);
    expects_key = false;
  }
  return keys;
}

}  // namespace palimpsest::config
