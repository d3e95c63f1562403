#include "palimpsest/base/internal/short_name.h"

#include <algorithm>
#include <string_view>
#include <system_error>

namespace palimpsest {

std::string short_name(const std::string& path) {
  constexpr std::string_view kCached = "models--";
  std::string last;
  for (const std::filesystem::path& part : std::filesystem::path(path)) {
    const std::string text = part.string();
    if (text.starts_with(kCached)) {
      const size_t name = text.rfind("--");
      return name + 2 < text.size() ? text.substr(name + 2) : text;
    }
    if (!text.empty() && text != "." && text != ".." && text != "/") last = text;
  }
  return last.empty() ? path : last;
}

std::vector<std::string> path_parts(const std::filesystem::path& path) {
  std::error_code failed;
  std::vector<std::string> parts;
  for (const std::filesystem::path& part :
       std::filesystem::absolute(path, failed).lexically_normal()) {
    if (!part.empty() && part != "/") parts.push_back(part.string());
  }
  return parts;
}

std::string last_parts(const std::vector<std::string>& parts, size_t count) {
  std::string text;
  for (size_t i = parts.size() - std::min(count, parts.size()); i < parts.size(); ++i)
    text += (text.empty() ? "" : "/") + parts[i];
  return text;
}

std::string shown_name(const std::string& name) {
  return name.starts_with('/') || name.starts_with('.') || name.starts_with('~') ? short_name(name)
                                                                                 : name;
}

}  // namespace palimpsest
