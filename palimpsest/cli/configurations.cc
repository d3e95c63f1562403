#include "palimpsest/cli/configurations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <system_error>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/cli/chat.h"
#include "palimpsest/config/value.h"

namespace palimpsest::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExperiment = "experiment";

// The comment at the head of a file, without "# @package …", up to its first full stop.
std::string first_sentence(const fs::path& file) {
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

fs::path shipped_configs(const ProgramContext& context) {
  if (!context.configs.empty()) return context.configs;
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  for (const fs::path& folder : {program.parent_path() / PALIMPSEST_CONFIGS_FROM_PROGRAM,
                                 program.parent_path() / PALIMPSEST_CONFIGS_FROM_TORCH_PROGRAM,
                                 fs::path(PALIMPSEST_CONFIGS_OF_SOURCE)}) {
    if (fs::is_directory(folder, ignored)) return folder.lexically_normal();
  }
  throw Error({.what = "the configurations that ship with the program were not found",
               .hint = "--config-dir names a folder of configurations"});
}

std::vector<ConfigLine> config_lines(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  std::vector<ConfigLine> lines;
  for (const fs::path& file : files) {
    const fs::path name = file.lexically_relative(folder);
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

config::ConfigContext process_context() {
  std::error_code failed;
  const fs::path cwd = fs::current_path(failed);
  if (failed) {
    throw Error({.what = fmt::format("the working directory does not exist: {}", failed.message()),
                 .hint = "change to another folder and run the program there"});
  }
  config::ConfigContext config_context;
  config_context.environment = [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
  };
  config_context.now = local_time();
  using config::Value;
  config_context.hydra = Value(Value::Map{
      {"run", Value(Value::Map{{"dir", "outputs/${now:%Y-%m-%d}/${now:%H-%M-%S}"}})},
      {"runtime", Value(Value::Map{{"cwd", cwd.string()}, {"output_dir", "${hydra:run.dir}"}})},
      {"job", Value(Value::Map{{"name", "eval"}, {"num", 0}})}});
  return config_context;
}

}  // namespace palimpsest::cli
