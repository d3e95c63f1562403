#include "palimpsest/attack/mia/model_name.h"

#include <filesystem>
#include <string_view>

namespace palimpsest::attack {

std::string short_model_name(const std::string& model) {
  constexpr std::string_view kCached = "models--";
  std::string last;
  for (const std::filesystem::path& part : std::filesystem::path(model)) {
    const std::string text = part.string();
    if (text.starts_with(kCached)) {
      const size_t name = text.rfind("--");
      return name + 2 < text.size() ? text.substr(name + 2) : text;
    }
    if (!text.empty() && text != "." && text != ".." && text != "/") last = text;
  }
  return last.empty() ? model : last;
}

}  // namespace palimpsest::attack
