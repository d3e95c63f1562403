#include <fmt/format.h>

#include "palimpsest/base/error.h"
#include "palimpsest/eval/evaluation_spec.h"
#include "palimpsest/eval/internal/read_settings.h"

namespace palimpsest::eval {
namespace {

void require_valid_at(const config::Value& said, const InferenceSettings& settings) {
  try {
    require_valid(settings);
  } catch (const Error& error) {
    throw error.located(said.where());
  }
}

}  // namespace

void require_valid(const InferenceSettings& settings) {
  try {
    attack::require_valid(settings.clusters);
  } catch (const Error&) {
    throw Error({.what = "examples can be grouped in one way only",
                 .expected = "one of cluster_size, cluster_key and independent",
                 .hint = "set the others to null (independent to false)"});
  }
  if (settings.margin > 0 && settings.margin < 0.5) return;
  throw Error({.what = "the margin is out of range",
               .expected = "a number between 0 and 0.5",
               .found = fmt::format("{}", settings.margin)});
}

int64_t read_cluster_size(const config::Value& owner) {
  const config::Value* size = owner.find_set("cluster_size");
  if (size == nullptr) return 0;
  if (size->as_int() >= 1) return size->as_int();
  throw Error({.what = "the size of a cluster must be at least 1",
               .where = size->where(),
               .found = std::to_string(size->as_int()),
               .hint = "null: no clusters"});
}

std::vector<std::string> read_log_paths(const config::Value* paths) {
  if (paths == nullptr || paths->is_null()) return {};
  if (!paths->is_list()) return {paths->as_text()};
  std::vector<std::string> all;
  for (const config::Value& path : paths->as_list()) all.push_back(path.as_text());
  return all;
}

InferenceSettings read_inference_settings(const config::Value& evaluator) {
  InferenceSettings settings;
  settings.clusters.size = read_cluster_size(evaluator);
  if (const config::Value* key = evaluator.find_set("cluster_key")) {
    settings.clusters.key = key->as_text();
  }
  if (const config::Value* independent = evaluator.find_set("independent")) {
    settings.clusters.independent = independent->as_bool();
  }
  require_valid_at(evaluator, settings);
  if (const config::Value* margin = evaluator.find_set("margin")) {
    settings.margin = margin->as_real();
    require_valid_at(*margin, settings);
  }
  if (const config::Value* primary = evaluator.find_set("primary")) {
    settings.primary = primary->as_text();
  }
  settings.retain_logs = read_log_paths(evaluator.find_set("retain_logs_path"));
  return settings;
}

}  // namespace palimpsest::eval
