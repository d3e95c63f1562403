#include <fmt/format.h>

#include "palimpsest/base/table.h"
#include "palimpsest/cli/commands.h"
#include "palimpsest/stat/any_stat.h"

namespace palimpsest::cli {
namespace {

void list_statistics() {
  Table table({"statistic", "what it keeps"});
  for (const StatKind& kind : default_stat_table()) {
    table.add_row({std::string(kind.type), std::string(kind.summary)});
  }
  fmt::print("{}", table.to_string());
}

}  // namespace

void add_list_command(CLI::App& program) {
  CLI::App* command = program.add_subcommand("list", "Print the tables of what Palimpsest knows");
  command->callback(list_statistics);
}

}  // namespace palimpsest::cli
