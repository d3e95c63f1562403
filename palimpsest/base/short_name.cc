#include "palimpsest/base/internal/short_name.h"

#include <algorithm>
#include <string_view>
#include <system_error>

namespace palimpsest {
namespace {

// The organisation, if there is one, and the name of the model whose folder in the hub's cache is
// called `part`; empty if it is no such folder.
std::vector<std::string> cached_model(const std::string& part) {
  constexpr std::string_view kCached = "models--";
  if (!part.starts_with(kCached) || part.ends_with("--")) return {};
  const std::string model = part.substr(kCached.size());
  const size_t separator = model.rfind("--");
  if (separator == std::string::npos) return {model};
  return {model.substr(0, separator), model.substr(separator + 2)};
}

// The parts of the path; the text itself if it is no path.
std::vector<std::string> name_parts(const std::string& given, PathParts parts_of) {
  std::error_code failed;
  if (given.empty() || !std::filesystem::exists(given, failed)) return {given};
  std::vector<std::string> parts = parts_of(given);
  return parts.empty() ? std::vector<std::string>{given} : parts;
}

}  // namespace

std::string short_name(const std::string& path) {
  std::string last;
  for (const std::filesystem::path& part : std::filesystem::path(path)) {
    const std::string text = part.string();
    if (const std::vector<std::string> model = cached_model(text); !model.empty())
      return model.back();
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

std::vector<std::string> model_path_parts(const std::filesystem::path& path) {
  std::vector<std::string> parts = path_parts(path);
  for (auto part = parts.begin(); part != parts.end(); ++part) {
    const std::vector<std::string> model = cached_model(*part);
    if (model.empty()) continue;
    parts.erase(part);
    parts.insert(parts.end(), model.begin(), model.end());
    return parts;
  }
  return parts;
}

std::string last_parts(const std::vector<std::string>& parts, size_t count) {
  std::string text;
  for (size_t i = parts.size() - std::min(count, parts.size()); i < parts.size(); ++i)
    text += (text.empty() ? "" : "/") + parts[i];
  return text;
}

std::vector<std::string> display_names(const std::vector<std::string>& given, PathParts parts_of) {
  std::vector<std::vector<std::string>> parts;
  for (const std::string& one : given) parts.push_back(name_parts(one, parts_of));
  std::vector<std::string> names;
  for (const auto& own : parts) {
    size_t count = 1;
    const auto is_shared = [&] {
      return std::ranges::any_of(parts, [&](const auto& other) {
        return other != own && last_parts(other, count) == last_parts(own, count);
      });
    };
    while (count < own.size() && is_shared()) ++count;
    names.push_back(last_parts(own, count));
  }
  return names;
}

std::string shown_name(const std::string& name) {
  return name.starts_with('/') || name.starts_with('.') || name.starts_with('~') ? short_name(name)
                                                                                 : name;
}

}  // namespace palimpsest
