
#include <filesystem>
#include <memory>
#include <set>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/log_format.h"
#include "palimpsest/cli/commands.h"
#include "palimpsest/cli/results.h"
#include "palimpsest/stat/stat_file.h"

namespace palimpsest::cli {
namespace {

struct MergeOptions {
  std::vector<std::string> files;
  ResultOptions results;
};

// Statistics are sums: a file that is given twice counts twice, which is rarely meant.
void warn_of_repetitions(const std::vector<std::string>& files) {
  std::set<std::filesystem::path> seen;
  for (const std::string& file : files) {
    std::error_code failed;  // a pipe has no path; whoever reads it says so
    const std::filesystem::path real = std::filesystem::weakly_canonical(file, failed);
    if (!failed && !seen.insert(real).second) {
      log_warning("{} is given more than once and counts each time", file);
    }
  }
}

void merge(const MergeOptions& options, const stat::StatTable& statistics) {
  // A file may be merged into itself: so totals are kept.
  const auto lock = lock_output_file(options.results.out, "palimpsest merge", {});
  warn_of_repetitions(options.files);
  stat::NamedStats merged = stat::read_stats(options.files[0], statistics);
  for (size_t i = 1; i < options.files.size(); ++i) {
    const stat::NamedStats next = stat::read_stats(options.files[i], statistics);
    try {
      merged = stat::merge_stats(merged, next);
    } catch (const Error& error) {
      throw error.located(options.files[i]);
    }
  }
  report_results(merged, options.results);
}

}  // namespace

void add_merge_command(Command& program, const Tables& tables) {
  Command command =
      program.subcommand("merge", "Combine statistics files from several processes or machines");
  auto options = std::make_shared<MergeOptions>();
  command.option("FILE", options->files, "Statistics files, as `palimpsest metrics` writes them")
      .required();
  command.option("--out", options->results.out, "Write the merged statistics to this file");
  command.flag("--json", options->results.json, "Print the merged statistics as JSON");
  command.action([options, &tables] { merge(*options, tables.statistics); });
}

}  // namespace palimpsest::cli
