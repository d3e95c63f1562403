#include "palimpsest/base/internal/short_name.h"

#include <filesystem>
#include <string_view>

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

std::string shown_name(const std::string& name) {
  return name.starts_with('/') || name.starts_with('.') || name.starts_with('~') ? short_name(name)
                                                                                 : name;
}

}  // namespace palimpsest
