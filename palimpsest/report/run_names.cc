#include "palimpsest/report/internal/run_names.h"

#include <algorithm>
#include <utility>

namespace palimpsest::report {
namespace {

// The last `count` parts of a path.
std::string last_parts(const std::filesystem::path& path, size_t count) {
  const std::filesystem::path whole = std::filesystem::absolute(path).lexically_normal();
  std::vector<std::string> parts;
  for (const std::filesystem::path& part : whole) {
    if (!part.empty() && part != "/") parts.push_back(part.string());
  }
  std::string text;
  for (size_t i = parts.size() - std::min(count, parts.size()); i < parts.size(); ++i)
    text += (text.empty() ? "" : "/") + parts[i];
  return text;
}

}  // namespace

std::string name_of_folder(const std::filesystem::path& folder) {
  const bool is_part = folder.filename() == "evals" && folder.parent_path().has_filename();
  return (is_part ? folder.parent_path() : folder).filename().string();
}

std::string distinguishing_name(const RunResults& run, const std::vector<RunResults>& runs) {
  constexpr size_t kMaxParts = 64;
  std::string name;
  for (size_t count = 2; count <= kMaxParts; ++count) {
    std::string longer = last_parts(run.folder, count);
    if (longer == name) break;  // the whole path
    name = std::move(longer);
    const bool is_unique = std::ranges::none_of(runs, [&](const RunResults& other) {
      return &other != &run && last_parts(other.folder, count) == name;
    });
    if (is_unique) break;
  }
  return name;
}

}  // namespace palimpsest::report
