#include "palimpsest/eval/read_evaluation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/log_format.h"
#include "palimpsest/base/log.h"
#include "palimpsest/eval/internal/read_metrics.h"
#include "palimpsest/eval/internal/read_settings.h"

namespace palimpsest::eval {
namespace {

std::string in_capitals(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

const EvaluatorKind& find_kind(const EvaluatorTable& table, const config::Value& handler) {
  std::vector<std::string> known;
  for (const EvaluatorKind& kind : table) {
    if (kind.handler == handler.as_text()) {
      if (kind.instead.empty()) return kind;
      throw Error({.what = fmt::format("the evaluator '{}' is not offered", kind.handler),
                   .where = handler.where(),
                   .hint = kind.instead});
    }
    if (kind.instead.empty()) known.push_back(kind.handler);
  }
  throw Error({.what = fmt::format("there is no evaluator '{}'", handler.as_text()),
               .where = handler.where(),
               .expected = fmt::format("one of {}", fmt::join(known, ", "))});
}

// The evaluator that a configuration names, or that whose files are called like its key:
// TOFUEvaluator for eval.tofu.
const EvaluatorKind& kind_of(const std::string& key, const config::Value& evaluator,
                             const EvaluatorTable& table) {
  if (evaluator.find_set("handler") == nullptr) {
    for (const EvaluatorKind& kind : table) {
      if (!kind.instead.empty() || kind.name.empty() || kind.name != in_capitals(key)) continue;
      log_warning(
          "{}: no handler is given; its key is taken to mean "
          "{}",
          evaluator.where(), kind.handler);
      return kind;
    }
  }
  return find_kind(table, evaluator.at("handler"));
}

// What an evaluator reads itself, and what the published configurations refer to.
constexpr std::array<std::string_view, 16> kEvaluatorKeys = {
    "handler",       "output_dir", "metrics",      "overwrite",  "retain_logs_path", "forget_split",
    "holdout_split", "data_split", "question_key", "batch_size", "cluster_size",     "cluster_key",
    "independent",   "margin",     "primary",      "device"};

void warn_of_unknown_keys(const config::Value& evaluator) {
  for (const auto& [key, value] : evaluator.as_map()) {
    if (std::ranges::find(kEvaluatorKeys, key) != kEvaluatorKeys.end()) continue;
    log_warning(
        "{}: an evaluator does not read this key; it has an effect only where another value refers "
        "to it",
        value.where());
  }
}

EvaluatorSpec read_evaluator(const std::string& key, const config::Value& evaluator,
                             const EvaluationTables& tables) {
  const WarningCapture warnings_of_keys;
  const EvaluatorKind& kind = kind_of(key, evaluator, tables.evaluators);
  warn_of_unknown_keys(evaluator);
  EvaluatorSpec spec{.name = kind.name.empty() ? in_capitals(key) : kind.name,
                     .output_dir = evaluator.at("output_dir").as_text(),
                     .where = evaluator.where(),
                     .notes = warnings_of_keys.warnings()};
  if (spec.output_dir.empty()) {
    throw Error(
        {.what = "the output folder has no name", .where = evaluator.at("output_dir").where()});
  }
  if (const config::Value* overwrite = evaluator.find_set("overwrite")) {
    spec.overwrite = overwrite->as_bool();
  }
  spec.inference = read_inference_settings(evaluator);
  spec.metrics = read_metrics(evaluator.at("metrics"), tables.handlers);
  return spec;
}

std::filesystem::path data_dir_of(const config::Value& config) {
  const config::Value* paths = config.find_set("paths");
  const config::Value* folder =
      paths != nullptr && paths->is_map() ? paths->find_set("data_dir") : nullptr;
  if (const config::Value* own = config.find_set("data_dir")) folder = own;
  return folder != nullptr ? folder->as_text() : "";
}

}  // namespace

Parameter to_parameter(const config::Value& value) {
  value.require_readable();
  Parameter parameter;
  if (value.is_map()) {
    Parameter::Map map;
    for (const auto& [key, child] : value.as_map()) map.emplace_back(key, to_parameter(child));
    parameter = std::move(map);
  } else if (value.is_list()) {
    Parameter::List list;
    for (const config::Value& child : value.as_list()) list.push_back(to_parameter(child));
    parameter = std::move(list);
  } else if (value.is_text()) {
    parameter = value.as_text();
  } else if (value.is_bool()) {
    parameter = value.as_bool();
  } else if (value.is_int()) {
    parameter = value.as_int();
  } else if (value.is_real()) {
    parameter = value.as_real();
  }
  parameter.locate(value.where());
  return parameter;
}

EvaluationSpec read_evaluation(const config::Value& config, const EvaluationTables& tables,
                               const MachineSettings& machine) {
  EvaluationSpec spec;
  const config::Value& evals = config.at("eval");
  for (const auto& [key, evaluator] : evals.as_map()) {
    if (evaluator.is_null()) continue;
    spec.evaluators.push_back(read_evaluator(key, evaluator, tables));
  }
  if (spec.evaluators.empty()) {
    throw Error({.what = "there is no evaluator to run",
                 .where = evals.where(),
                 .hint = "choose a benchmark: eval=tofu or eval=muse"});
  }
  to_parameter(config.at("model"));  // nothing may be missing, whether it is read or not
  spec.model = read_model(config.at("model"), machine, evaluators_device(config));
  spec.data_dir = data_dir_of(config);
  if (const config::Value* seed = config.find_set("seed")) {
    if (seed->as_int() < 0) {
      throw Error({.what = "the seed is negative",
                   .where = seed->where(),
                   .expected = "a whole number, at least 0",
                   .found = std::to_string(seed->as_int())});
    }
    spec.seed = static_cast<uint64_t>(seed->as_int());
  }
  return spec;
}

}  // namespace palimpsest::eval
