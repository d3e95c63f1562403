#include "palimpsest/cli/display_names.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace palimpsest::cli {
namespace {

namespace fs = std::filesystem;

// The parts of the path from its root on; the text itself if it is no path.
std::vector<std::string> path_parts(const std::string& given) {
  std::error_code failed;
  if (given.empty() || !fs::exists(given, failed)) return {given};
  std::vector<std::string> parts;
  for (const fs::path& part : fs::absolute(given, failed).lexically_normal()) {
    if (!part.empty() && part != "/") parts.push_back(part.string());
  }
  return parts.empty() ? std::vector<std::string>{given} : parts;
}

std::string joined_end(const std::vector<std::string>& parts, size_t count) {
  std::string text;
  for (size_t i = parts.size() - std::min(count, parts.size()); i < parts.size(); ++i)
    text += (text.empty() ? "" : "/") + parts[i];
  return text;
}

}  // namespace

std::vector<std::string> display_names(const std::vector<std::string>& given) {
  std::vector<std::vector<std::string>> parts;
  for (const std::string& one : given) parts.push_back(path_parts(one));
  std::vector<std::string> names;
  for (const auto& own : parts) {
    size_t count = 1;
    const auto is_shared = [&] {
      return std::ranges::any_of(parts, [&](const auto& other) {
        return other != own && joined_end(other, count) == joined_end(own, count);
      });
    };
    while (count < own.size() && is_shared()) ++count;
    names.push_back(joined_end(own, count));
  }
  return names;
}

}  // namespace palimpsest::cli
