#include "palimpsest/evidence/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "palimpsest/attack/internal/mia/form_clusters.h"
#include "palimpsest/attack/mia/example_clusters.h"
#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/data/internal/record_reader.h"
#include "palimpsest/evidence/internal/evidence_json.h"
#include "palimpsest/trace/trace_file.h"

namespace palimpsest::evidence {
namespace {

constexpr const char* kPlanKey = "palimpsest_plan";

Error lacks_cluster_key(const std::string& key, const std::string& where) {
  return Error({.what = fmt::format("there is no '{}', by which records are to be clustered", key),
                .where = where,
                .hint = "name another key with --cluster-key"});
}

attack::ClusterSource source_of_data(const std::filesystem::path& file, const std::string& key) {
  attack::ClusterSource source;
  const auto reader = data::RecordReader::open(file);
  for (data::Record record; reader->next(record);) {
    source.index.push_back(std::to_string(source.index.size()));
    if (key.empty()) continue;
    const std::optional<std::string> value = record.label(key);
    if (!value) throw lacks_cluster_key(key, record.where());
    source.value.push_back(*value);
  }
  return source;
}

attack::ClusterSource source_of_traces(const std::filesystem::path& file, const std::string& key) {
  attack::ClusterSource source;
  trace::TraceReader reader(file);
  for (trace::Trace trace; reader.next(trace);) {
    source.index.push_back(trace.index);
    if (key.empty()) continue;
    const auto value = trace.groups.find(key);
    if (value == trace.groups.end()) throw lacks_cluster_key(key, reader.where());
    source.value.push_back(value->second);
  }
  return source;
}

const Input* find_role(const std::vector<Input>& inputs, const std::string& role) {
  const auto found = std::ranges::find(inputs, role, &Input::role);
  return found == inputs.end() ? nullptr : &*found;
}

}  // namespace

std::string plan_to_text(const Plan& plan) {
  Json json = {{kPlanKey, kPlanVersion},
               {"planned", plan.planned},
               {"version", plan.version},
               {"settings", settings_to_json(plan.settings)},
               {"inputs", inputs_to_json(plan.inputs)},
               {"sample", nullptr}};
  if (plan.sample) {
    json["sample"] = {
        {"forget", plan.sample->forget},
        {"holdout", plan.sample->holdout},
        {"forget_clusters", plan.sample->forget_clusters},
        {"holdout_clusters", plan.sample->holdout_clusters},
        {"would_detect", plan.sample->would_detect ? Json(*plan.sample->would_detect) : Json()}};
  }
  return to_text(json);
}

Plan read_plan(const std::filesystem::path& file) {
  const std::string where = file.string();
  const Json json = parse_json(read_file(file), where);
  if (!json.is_object() || !json.contains(kPlanKey)) {
    throw Error(
        {.what = "the file is not a plan", .where = where, .hint = "`palimpsest plan` writes one"});
  }
  require_version(json[kPlanKey], kPlanVersion, "plan", where);
  Plan plan{.planned = text_member(json, "planned", where),
            .version = text_member(json, "version", where),
            .settings = settings_from_json(require(json, "settings", where), where + ": settings"),
            .inputs = inputs_from_json(require(json, "inputs", where), where + ": inputs")};
  const Json& sample = require(json, "sample", where);
  if (sample.is_object()) {
    const auto count = [&](const char* key) {
      const Json& value = require(sample, key, where + ": sample");
      return value.is_number_integer() ? value.get<int64_t>() : 0;
    };
    plan.sample =
        PlannedSample{.forget = count("forget"),
                      .holdout = count("holdout"),
                      .forget_clusters = count("forget_clusters"),
                      .holdout_clusters = count("holdout_clusters"),
                      .would_detect = number_from_json(require(sample, "would_detect", where))};
  }
  return plan;
}

void require_planned(const Plan& plan, const std::vector<Input>& inputs) {
  for (const Input& planned : plan.inputs) {
    const Input* input = find_role(inputs, planned.role);
    if (input == nullptr) {
      throw Error({.what = fmt::format("the plan has a {}, and this audit has none", planned.role),
                   .expected = fmt::format("'{}'", planned.path)});
    }
    if (input->sha256 == planned.sha256) continue;
    throw Error({.what = fmt::format("this does not match the {} of the plan", planned.role),
                 .where = input->path,
                 .expected = "SHA-256 " + planned.sha256,
                 .found = input->sha256,
                 .hint = "give what was planned, or make a new plan"});
  }
  const std::set<std::string> open = {"model", "tokenizer and chat template"};
  for (const Input& input : inputs) {
    if (find_role(plan.inputs, input.role) != nullptr || open.contains(input.role)) continue;
    throw Error({.what = fmt::format("the plan has no {}", input.role),
                 .where = input.path,
                 .hint = "leave it out, or make a new plan"});
  }
}

std::optional<PlannedSample> planned_sample(const audit::AuditSpec& spec) {
  const attack::ClusterChoice& choice = spec.options.clusters;
  attack::ClusterSource forget;
  attack::ClusterSource holdout;
  if (const auto* models = std::get_if<audit::AuditModels>(&spec.source)) {
    if (!models->data.forget.examples.empty()) return std::nullopt;
    forget = source_of_data(models->data.forget.path(), choice.key);
    holdout = source_of_data(models->data.holdout.path(), choice.key);
  } else if (const auto* traces = std::get_if<audit::AuditTraces>(&spec.source)) {
    if (trace::file_of(traces->audited.forget).empty()) return std::nullopt;
    forget = source_of_traces(trace::file_of(traces->audited.forget), choice.key);
    holdout = source_of_traces(trace::file_of(traces->audited.holdout), choice.key);
  } else {
    return std::nullopt;
  }
  const attack::ExampleClusters clusters = attack::clusters_of(choice, forget, holdout);
  const auto distinct = [](const std::vector<int64_t>& set) {
    return static_cast<int64_t>(std::set<int64_t>(set.begin(), set.end()).size());
  };
  return PlannedSample{.forget = static_cast<int64_t>(forget.index.size()),
                       .holdout = static_cast<int64_t>(holdout.index.size()),
                       .forget_clusters = distinct(clusters.forget),
                       .holdout_clusters = distinct(clusters.holdout),
                       .would_detect = attack::planned_detection(clusters)};
}

}  // namespace palimpsest::evidence
