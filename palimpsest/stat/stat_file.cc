#include "palimpsest/stat/stat_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/json.h"

namespace palimpsest::stat {
namespace {

constexpr int kVersion = 1;

std::string names_of(const NamedStats& stats) {
  std::vector<std::string> names;
  for (const auto& [name, stat] : stats) names.push_back(name);
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

void require_stat_file(const Json& file, const std::string& where) {
  if (!file.is_object() || !file.contains("palimpsest_stat")) {
    throw Error({.what = "this is not a statistics file",
                 .where = where,
                 .expected = "the key 'palimpsest_stat'",
                 .hint = "statistics files are written by `palimpsest metrics --out`"});
  }
  require_version(file["palimpsest_stat"], kVersion, "statistics file", where);
}

}  // namespace

std::string stats_to_json(const NamedStats& stats) {
  Json file;
  file["palimpsest_stat"] = kVersion;
  file["stats"] = Json::object();
  file["results"] = Json::object();
  for (const auto& [name, stat] : stats) {
    Json& entry = file["stats"][name];
    entry["type"] = stat.type();
    for (const auto& [key, array] : stat.save()) entry[key] = array_to_json(array);
    file["results"][name] = array_to_json(stat.result());
  }
  return to_text(file);
}

NamedStats stats_from_json(const std::string& text, const std::string& where,
                           const StatTable& table) {
  const Json file = parse_json(text, where);
  require_stat_file(file, where);
  const Json& entries = require(file, "stats", where);
  if (!entries.is_object()) throw Error({.what = "'stats' is not an object", .where = where});
  NamedStats stats;
  for (const auto& item : entries.items()) {
    const std::string location = fmt::format("{}: {}", where, item.key());
    const Json& type = require(item.value(), "type", location);
    if (!type.is_string()) throw Error({.what = "'type' is not a string", .where = location});
    Fields fields;
    for (const auto& member : item.value().items()) {
      if (member.key() == "type") continue;
      fields.emplace_back(member.key(),
                          array_from_json(member.value(), location + "." + member.key()));
    }
    try {
      stats.emplace_back(item.key(), load_stat(table, type.get<std::string>(), fields));
    } catch (const Error& error) {
      throw error.located(location);
    }
  }
  return stats;
}

NamedStats read_stats(const std::filesystem::path& path, const StatTable& table) {
  return stats_from_json(read_file(path), path.string(), table);
}

NamedStats merge_stats(const NamedStats& a, const NamedStats& b) {
  const Error different({.what = "the files do not hold the same metrics",
                         .expected = names_of(a),
                         .found = names_of(b),
                         .hint = "merge files that were made with the same --metric options"});
  if (a.size() != b.size()) throw different;
  NamedStats merged;
  for (const auto& [name, stat] : a) {
    const auto other =
        std::find_if(b.begin(), b.end(), [&key = name](const auto& s) { return s.first == key; });
    if (other == b.end()) throw different;
    try {
      merged.emplace_back(name, stat.merge(other->second));
    } catch (const Error& error) {
      throw error.located(name);
    }
  }
  return merged;
}

}  // namespace palimpsest::stat
