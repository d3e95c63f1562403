#include "palimpsest/cli/list_configs.h"

#include <algorithm>

#include "palimpsest/base/file.h"

namespace palimpsest::cli {
namespace {

constexpr const char* kExperiment = "experiment";

// The comment at the head of a file, without "# @package …", up to its first full stop.
std::string first_sentence(const std::filesystem::path& file) {
  std::string comment;
  LineReader lines(file);
  std::string line;
  while (lines.next(line) && line.starts_with('#')) {
    if (line.starts_with("# @package")) continue;
    const size_t begin = line.find_first_not_of("# ");
    if (begin == std::string::npos) break;
    comment += (comment.empty() ? "" : " ") + line.substr(begin);
  }
  const size_t end = comment.find(". ");
  if (end != std::string::npos) comment.resize(end);
  if (comment.ends_with('.')) comment.pop_back();
  return comment;
}

}  // namespace

std::vector<ConfigLine> config_lines(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  std::vector<ConfigLine> lines;
  for (const std::filesystem::path& file : files) {
    const std::filesystem::path name = file.lexically_relative(folder);
    ConfigLine line{.group = name.parent_path().string(),
                    .option = name.stem().string(),
                    .about = first_sentence(file)};
    // Experiments lie in folders of their own but are options of one group.
    if (*name.begin() == kExperiment) {
      line.option = (name.parent_path() / name.stem()).lexically_relative(kExperiment).string();
      line.group = kExperiment;
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace palimpsest::cli
