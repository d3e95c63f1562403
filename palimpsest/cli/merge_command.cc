#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/base/file.h"
#include "palimpsest/cli/commands.h"
#include "palimpsest/stat/stat_file.h"

namespace palimpsest::cli {
namespace {

struct MergeOptions {
  std::vector<std::string> files;
  std::string out;
};

void merge(const MergeOptions& options) {
  NamedStats merged = read_stats(options.files[0]);
  for (size_t i = 1; i < options.files.size(); ++i) {
    try {
      merged = merge_stats(merged, read_stats(options.files[i]));
    } catch (const Error& error) {
      throw error.located(options.files[i]);
    }
  }
  fmt::print("{}", stats_to_json(merged));
}

}  // namespace

void add_merge_command(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "merge", "Combine statistics files from several processes or machines");
  auto options = std::make_shared<MergeOptions>();
  command->add_option("FILE", options->files, "Statistics files")->required();
  command->add_option("--out", options->out, "Write the merged statistics to this file");
  command->callback([options] { merge(*options); });
}

}  // namespace palimpsest::cli
