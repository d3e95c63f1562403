#include "palimpsest/eval/internal/eval_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/hash.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/eval/internal/read_results.h"
#include "palimpsest/eval/internal/result_hash.h"
#include "palimpsest/stat/internal/optional_json.h"

namespace palimpsest::eval {
namespace {

// A number, defined or not.
bool is_number(const Json& value) {
  return value.is_number() || value.is_null() || number_from_json(value);
}

// Fields that hold texts. A model may well generate the word "Infinity".
constexpr std::array<std::string_view, 3> kTexts = {"input", "ground_truth", "generation"};

std::optional<Field> field_from(std::string_view name, const Json& value) {
  const bool holds_texts = std::ranges::find(kTexts, name) != kTexts.end();
  const auto is_text = [&](const Json& v) {
    return v.is_string() && (holds_texts || !is_number(v));
  };
  if (is_text(value)) return value.get<std::string>();
  if (is_number(value)) return number_from_json(value);
  if (value.is_boolean()) return Number(value.get<bool>() ? 1 : 0);
  if (!value.is_array()) return std::nullopt;
  if (std::ranges::any_of(value, is_text)) {
    if (!std::ranges::all_of(value, [](const Json& v) { return v.is_string(); })) {
      return std::nullopt;
    }
    return value.get<std::vector<std::string>>();
  }
  std::vector<Number> numbers;
  for (const Json& element : value) {
    if (!is_number(element)) return std::nullopt;
    numbers.push_back(number_from_json(element));
  }
  return numbers;
}

std::vector<IndexedValue> values_from(const Json& json, const std::string& where) {
  if (!json.is_object()) {
    throw Error({.what = "'value_by_index' is not an object",
                 .where = where,
                 .found = palimpsest::describe(json)});
  }
  std::vector<IndexedValue> values;
  for (const auto& [index, fields] : json.items()) {
    IndexedValue value{.index = index};
    if (fields.is_object()) {
      for (const auto& [name, content] : fields.items()) {
        if (auto field = field_from(name, content))
          value.fields.emplace_back(name, std::move(*field));
      }
    }
    values.push_back(std::move(value));
  }
  return values;
}

Json to_json(const Field& field) {
  if (const auto* number = std::get_if<Number>(&field)) return stat::optional_to_json(*number);
  if (const auto* text = std::get_if<std::string>(&field)) return *text;
  if (const auto* texts = std::get_if<std::vector<std::string>>(&field)) return *texts;
  Json list = Json::array();
  for (const Number& number : std::get<std::vector<Number>>(field))
    list.push_back(stat::optional_to_json(number));
  return list;
}

Json to_json(const MetricResult& result) {
  Json json = {{"agg_value", stat::optional_to_json(result.agg_value)}};
  for (const auto& [name, number] : result.numbers) json[name] = stat::optional_to_json(number);
  if (result.scored) {
    json["forget"] = to_json(to_logged_set(result.scored->forget));
    json["holdout"] = to_json(to_logged_set(result.scored->holdout));
  }
  if (result.value_by_index.empty()) return json;
  // Straight into the object: looking for a key that is not there would take as long as there are
  // examples.
  Json::object_t by_index;
  for (const IndexedValue& value : result.value_by_index) {
    Json::object_t fields;
    for (const auto& [name, field] : value.fields) fields.push_back({name, to_json(field)});
    by_index.push_back({value.index, Json(std::move(fields))});
  }
  json["value_by_index"] = std::move(by_index);
  return json;
}

}  // namespace

std::string result_hash(const MetricResult& result) {
  return Fingerprint().add(to_line(to_json(result))).hex();
}

MetricResult result_from_json(const Json& json, const std::string& where) {
  if (!json.is_object()) {
    throw Error({.what = "the metric's entry is not an object",
                 .where = where,
                 .expected = "{\"agg_value\": …}",
                 .found = palimpsest::describe(json)});
  }
  MetricResult result;
  std::map<std::string, MetricResult> sets;  // of an attack
  for (const auto& [name, content] : json.items()) {
    if (name == "agg_value") {
      result.agg_value = number_from_json(content);
    } else if (name == "value_by_index") {
      if (!content.is_null()) result.value_by_index = values_from(content, where);
    } else if (is_number(content)) {
      result.numbers.emplace_back(name, number_from_json(content));
    } else if (content.is_object() && (name == "forget" || name == "holdout")) {
      sets[name] = result_from_json(content, fmt::format("{}.{}", where, name));
    }
  }
  const auto has_scores = [](const auto& set) {
    const std::vector<IndexedValue>& values = set.second.value_by_index;
    return values.empty() || std::ranges::any_of(values, [](const IndexedValue& value) {
             return value.find("score") != nullptr;
           });
  };
  if (sets.size() == 2 && std::ranges::all_of(sets, has_scores)) {
    result.scored = {.forget = from_logged_set(sets["forget"]),
                     .holdout = from_logged_set(sets["holdout"]),
                     .auc = result.agg_value};
  }
  return result;
}

EvalLog read_eval_log(const std::filesystem::path& path) {
  const Json json = parse_json(read_file(path), path.string());
  if (!json.is_object()) {
    throw Error({.what = "this is not an evaluation log",
                 .where = path.string(),
                 .expected = "{\"metric\": {\"agg_value\": …}}",
                 .found = palimpsest::describe(json)});
  }
  EvalLog log;
  for (const auto& [name, content] : json.items()) {
    log[name] = result_from_json(content, fmt::format("{}: {}", path.string(), name));
  }
  return log;
}

void write_eval_log(const std::filesystem::path& path, const EvalLog& log) {
  Json json = Json::object();
  for (const auto& [name, result] : log) json[name] = to_json(result);
  write_file(path, to_text(json));
}

void write_summary(const std::filesystem::path& path, const EvalLog& log,
                   const std::vector<std::string>& requested) {
  Json json = Json::object();
  for (const auto& [name, result] : log) {
    if (!result.agg_value || std::ranges::find(requested, name) == requested.end()) continue;
    json[name] = stat::optional_to_json(result.agg_value);
  }
  write_file(path, to_text(json));
}

}  // namespace palimpsest::eval
