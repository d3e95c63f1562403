#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string>
#include <vector>

#include "palimpsest/attack/attack.h"
#include "palimpsest/base/table.h"
#include "palimpsest/cli/commands.h"
#include "palimpsest/metric/metric_table.h"
#include "palimpsest/model/architecture.h"
#include "palimpsest/stat/any_stat.h"

namespace palimpsest::cli {
namespace {

// A paragraph an attack: there is more to say about each than fits a row.
std::string list_attacks() {
  std::string text = "attack (for each, a higher score means less likely a member)\n";
  for (const Attack& attack : default_attack_table()) {
    std::vector<std::string_view> needs;
    for (const TraceNeed& need : attack.needs) needs.push_back(need.name);
    text += fmt::format("\n{}\n  measures    {}\n  cost        {}\n", attack.name, attack.measures,
                        attack.cost);
    if (!attack.parameters.empty()) text += fmt::format("  parameters  {}\n", attack.parameters);
    text += fmt::format("  use         {}\n  needs       {} in each trace\n", attack.use,
                        fmt::join(needs, ", "));
  }
  return text;
}

// A row a metric, then a row each of its arguments.
std::string list_metrics() {
  Table table({"metric", "argument", "default", "meaning"});
  for (const MetricKind& kind : default_metric_table()) {
    table.add_row({kind.name, "", "", kind.summary});
    for (const MetricArg& arg : kind.args) {
      table.add_row({"", arg.name, arg.default_value.empty() ? "required" : arg.default_value,
                     fmt::format("{} ({})", arg.meaning, arg.type)});
    }
  }
  return table.to_string();
}

std::string list_models() {
  Table table({"family", "models", "what is supported"});
  for (const ModelFamily& family : model_families()) {
    table.add_row({family.model_type, family.models, family.features});
  }
  return table.to_string();
}

std::string list_statistics() {
  Table table({"statistic", "what it keeps"});
  for (const StatKind& kind : default_stat_table()) {
    table.add_row({std::string(kind.type), std::string(kind.summary)});
  }
  return table.to_string();
}

struct Listing {
  const char* name;
  std::string (*text)();
};

constexpr Listing kListings[] = {
    {"attacks", list_attacks},
    {"metrics", list_metrics},
    {"models", list_models},
    {"statistics", list_statistics},
};

// The tables of that name; all of them without a name.
void list(const std::string& name) {
  bool first = true;
  for (const Listing& listing : kListings) {
    if (!name.empty() && name != listing.name) continue;
    fmt::print("{}{}", first ? "" : "\n", listing.text());
    first = false;
  }
}

}  // namespace

void add_list_command(CLI::App& program) {
  CLI::App* command = program.add_subcommand("list", "Print the tables of what Palimpsest knows");
  auto name = std::make_shared<std::string>();
  std::vector<std::string> names;
  for (const Listing& listing : kListings) names.emplace_back(listing.name);
  command->add_option("TABLE", *name, "Which table; without it all of them")
      ->check(CLI::IsMember(names));
  command->callback([name] { list(*name); });
}

}  // namespace palimpsest::cli
