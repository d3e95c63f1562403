#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string>
#include <vector>

#include "palimpsest/attack/attack.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/base/internal/table.h"
#include "palimpsest/cli/commands.h"
#include "palimpsest/cli/configurations.h"
#include "palimpsest/cli/json_output.h"
#include "palimpsest/eval/dataset.h"
#include "palimpsest/eval/handler.h"
#include "palimpsest/metric/metric_table.h"
#include "palimpsest/model/internal/architecture.h"
#include "palimpsest/stat/any_stat.h"

namespace palimpsest::cli {
namespace {

// "k = 0.2: share of the least likely tokens; k=sweep for 0.1, 0.2 … 1"
std::string parameter_text(const attack::AttackParameter& parameter) {
  std::string text =
      fmt::format("{} = {}: {}", parameter.name, parameter.default_value, parameter.meaning);
  const std::vector<double>& sweep = parameter.sweep;
  if (sweep.empty()) return text;
  constexpr size_t kFew = 3;
  return text + fmt::format("; {}=sweep for {}", parameter.name,
                            sweep.size() <= kFew
                                ? fmt::format("{}", fmt::join(sweep, ", "))
                                : fmt::format("{}, {} … {}", sweep[0], sweep[1], sweep.back()));
}

std::vector<std::string> need_names(const std::vector<attack::TraceNeed>& needs) {
  std::vector<std::string> names;
  for (const attack::TraceNeed& need : needs) names.push_back(need.name);
  return names;
}

std::string names_of(const std::vector<attack::TraceNeed>& needs) {
  return fmt::format("{}", fmt::join(need_names(needs), ", "));
}

// A paragraph per attack: there is more to say about each than fits a row.
std::string list_attacks(const ProgramContext& context) {
  std::string text =
      "attack (for each, a higher score means less likely a member; parameters are set after the\n"
      "name: --attacks loss,min_k:k=0.3,surp:k=0.5:entropy=1 or min_k:k=sweep for a whole sweep)\n";
  for (const attack::Attack& attack : context.tables.attacks) {
    text += fmt::format("\n{}\n", attack.name);
    auto line = [&](std::string_view heading, std::string_view content) {
      if (!content.empty()) text += fmt::format("  {:<12}{}\n", heading, content);
    };
    line("measures", attack.measures);
    line("cost", attack.cost);
    for (const attack::AttackParameter& parameter : attack.parameters) {
      line("parameter", parameter_text(parameter));
    }
    line("use for", attack.use);
    line("not for", attack.avoid);
    line("needs", names_of(attack.needs) + " in each trace");
    if (attack.needs_reference()) {
      line("", names_of(attack.reference_needs) + " in each trace of a reference model");
    }
    line("paper", attack.paper);
  }
  return text;
}

// A row per metric, then a row each of its arguments.
std::string list_metrics(const ProgramContext& context) {
  Table table({"metric", "argument", "default", "meaning"});
  for (const metric::MetricKind& kind : context.tables.metrics) {
    table.add_row({kind.name, "", "", kind.summary});
    for (const metric::MetricArg& arg : kind.args) {
      table.add_row({"", arg.name, arg.default_value.empty() ? "required" : arg.default_value,
                     fmt::format("{} ({})", arg.meaning, arg.type)});
    }
  }
  return table.to_string();
}

// A row per handler, then a row each of the keys that it reads.
std::string list_handlers(const ProgramContext& context) {
  Table table({"handler", "key", "what it is"});
  for (const eval::Handler& handler : context.tables.handlers()) {
    table.add_row({handler.name, "", handler.measures});
    table.add_row({"", "", fmt::format("({})", handler.orientation)});
    for (const eval::HandlerKey& key : handler.keys) {
      table.add_row({"", key.name, key.meaning});
    }
  }
  return table.to_string();
}

std::string list_evaluators(const ProgramContext& context) {
  Table table({"evaluator", "files", "about"});
  for (const eval::EvaluatorKind& kind : context.tables.evaluators) {
    if (!kind.instead.empty()) continue;
    table.add_row({kind.handler,
                   kind.name.empty() ? "named by its key" : kind.name + "_EVAL.json …",
                   kind.about});
  }
  return table.to_string();
}

Json attacks_json(const ProgramContext& context) {
  Json rows = Json::array();
  for (const attack::Attack& attack : context.tables.attacks) {
    Json parameters = Json::array();
    for (const attack::AttackParameter& parameter : attack.parameters) {
      parameters.push_back({{"name", parameter.name},
                            {"default", number_to_json(parameter.default_value)},
                            {"meaning", parameter.meaning},
                            {"sweep", parameter.sweep}});
    }
    rows.push_back({{"name", attack.name},
                    {"measures", attack.measures},
                    {"cost", attack.cost},
                    {"parameters", std::move(parameters)},
                    {"use", attack.use},
                    {"avoid", attack.avoid},
                    {"needs", need_names(attack.needs)},
                    {"reference_needs", need_names(attack.reference_needs)},
                    {"paper", attack.paper}});
  }
  return rows;
}

Json metrics_json(const ProgramContext& context) {
  Json rows = Json::array();
  for (const metric::MetricKind& kind : context.tables.metrics) {
    Json arguments = Json::array();
    for (const metric::MetricArg& arg : kind.args) {
      arguments.push_back(
          {{"name", arg.name},
           {"type", arg.type},
           {"default", arg.default_value.empty() ? Json(nullptr) : Json(arg.default_value)},
           {"meaning", arg.meaning}});
    }
    rows.push_back(
        {{"name", kind.name}, {"summary", kind.summary}, {"arguments", std::move(arguments)}});
  }
  return rows;
}

// The configurations that ship: of all groups, or of one that is named.
Json configs_json(const std::string& group, const ProgramContext& context) {
  Json rows = Json::array();
  for (const ConfigLine& line : config_lines(shipped_configs(context))) {
    if (!group.empty() && line.group != group) continue;
    rows.push_back({{"group", line.group}, {"name", line.option}, {"about", line.about}});
  }
  return rows;
}

Json models_json(const ProgramContext&) {
  Json rows = Json::array();
  for (const model::ModelFamily& family : model::model_families()) {
    rows.push_back(
        {{"name", family.model_type}, {"models", family.models}, {"features", family.features}});
  }
  return rows;
}

Json statistics_json(const ProgramContext& context) {
  Json rows = Json::array();
  for (const stat::StatKind& kind : context.tables.statistics)
    rows.push_back({{"name", kind.type}, {"summary", kind.summary}});
  return rows;
}

Json handlers_json(const ProgramContext& context) {
  Json rows = Json::array();
  for (const eval::Handler& handler : context.tables.handlers()) {
    Json keys = Json::array();
    for (const eval::HandlerKey& key : handler.keys)
      keys.push_back({{"name", key.name}, {"meaning", key.meaning}});
    rows.push_back({{"name", handler.name},
                    {"measures", handler.measures},
                    {"orientation", handler.orientation},
                    {"keys", std::move(keys)}});
  }
  return rows;
}

Json datasets_json(const ProgramContext& context) {
  Json rows = Json::array();
  for (const eval::DatasetHandler& handler : context.tables.datasets)
    rows.push_back({{"name", handler.name}, {"makes", handler.makes}, {"arguments", handler.keys}});
  return rows;
}

Json evaluators_json(const ProgramContext& context) {
  Json rows = Json::array();
  for (const eval::EvaluatorKind& kind : context.tables.evaluators) {
    if (!kind.instead.empty()) continue;
    rows.push_back({{"name", kind.handler},
                    {"files", kind.name.empty() ? Json(nullptr) : Json(kind.name)},
                    {"about", kind.about}});
  }
  return rows;
}

// A column of a table that shows the rows of the JSON: a text, or a list of texts.
struct Column {
  const char* heading;
  const char* key;
};

std::string table_of(const Json& rows, const std::vector<Column>& columns) {
  std::vector<std::string> heading;
  for (const Column& column : columns) heading.emplace_back(column.heading);
  Table table(std::move(heading));
  for (const Json& row : rows) {
    std::vector<std::string> cells;
    for (const Column& column : columns) {
      const Json& value = row[column.key];
      const auto list = value.is_array() ? value.get<std::vector<std::string>>()
                                         : std::vector<std::string>{value.get<std::string>()};
      cells.push_back(fmt::format("{}", fmt::join(list, ", ")));
    }
    table.add_row(std::move(cells));
  }
  return table.to_string();
}

struct Listing {
  const char* name;
  Json (*json)(const ProgramContext&);
  std::vector<Column> columns;                           // of its table
  std::string (*text)(const ProgramContext&) = nullptr;  // where it is no such table
};

const std::vector<Listing>& listings() {
  static const std::vector<Listing> all = {
      {"attacks", attacks_json, {}, list_attacks},
      {"benchmarks",
       [](const ProgramContext& context) { return configs_json("eval", context); },
       {{"benchmark (eval=…)", "name"}, {"about", "about"}}},
      {"configs",
       [](const ProgramContext& context) { return configs_json("", context); },
       {{"group", "group"}, {"config", "name"}, {"about", "about"}}},
      {"datasets",
       datasets_json,
       {{"data set handler", "name"}, {"makes", "makes"}, {"arguments", "arguments"}}},
      {"evaluators", evaluators_json, {}, list_evaluators},
      {"experiments",
       [](const ProgramContext& context) { return configs_json("experiment", context); },
       {{"experiment (experiment=…)", "name"}, {"about", "about"}}},
      {"handlers", handlers_json, {}, list_handlers},
      {"metrics", metrics_json, {}, list_metrics},
      {"models",
       models_json,
       {{"family", "name"}, {"models", "models"}, {"what is supported", "features"}}},
      {"statistics", statistics_json, {{"statistic", "name"}, {"what it keeps", "summary"}}},
  };
  return all;
}

// The tables of that name; all of them without a name.
void list(const std::string& name, bool as_json, const ProgramContext& context) {
  Json all = Json::object();
  const char* separator = "";
  for (const Listing& listing : listings()) {
    if (!name.empty() && name != listing.name) continue;
    if (as_json) {
      all[listing.name] = listing.json(context);
      continue;
    }
    fmt::print("{}{}", separator,
               listing.text != nullptr ? listing.text(context)
                                       : table_of(listing.json(context), listing.columns));
    separator = "\n";
  }
  if (as_json) print_json(to_text(all));
}

}  // namespace

void add_list_command(Command& program, const ProgramContext& context) {
  Command command = program.subcommand("list", "Print tables of what Palimpsest supports");
  auto name = std::make_shared<std::string>();
  std::vector<std::string> names;
  for (const Listing& listing : listings()) names.emplace_back(listing.name);
  command.option("TABLE", *name, "Which table (default: all)").one_of(names);
  auto as_json = std::make_shared<bool>(false);
  command.flag("--json", *as_json, "Print the tables as JSON: an object with one array per table");
  command.action([name, as_json, &context] { list(*name, *as_json, context); });
}

}  // namespace palimpsest::cli
