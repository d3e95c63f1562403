// From the scores of an evaluator's attacks to the one answer (attack/mia/answer.h).
//
// The family: the attacks that the list asks for by name, else those that its metrics pre_compute; all
// over the same forget and holdout set. A `primary` one answers alone. An attack with a reference model
// stays out where its score would turn the verdict round or say nothing: the reference model itself
// tells the forget set from the holdout set, is the evaluated model, or is the baseline already.
//
// The baseline: the first retain log, where it has scores of every attack of the family for the same
// examples, with the same parameters, and is of another model. Then the answer is about differences.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/attack/mia/answer.h"
#include "palimpsest/attack/mia/family.h"
#include "palimpsest/eval/evaluator.h"
#include "palimpsest/eval/passes.h"
#include "palimpsest/eval/run_record.h"

namespace palimpsest::eval {

struct AttackFamilyInput {
  const EvaluatorPlan& plan;
  const DataStore& data;
  const EvalLog& log;
  const std::map<std::string, MetricRecord>& records;  // of the metrics in the log
  std::string model_fingerprint;
  uint64_t seed = 0;
  int threads = 0;  // 0: one for each core; nothing depends on it
  // The traces of an attack's data set; empty: there are none.
  std::function<DataTraces(const MetricNode&, const DatasetPlan&)> traces = {};
};

// An attack of the list, and what the log has of it.
struct AttackScores {
  const MetricNode* node = nullptr;
  AttackIdentity identity;
  std::vector<Number> forget;  // one score per example, in the order of the data
  std::vector<Number> holdout;
  std::optional<std::vector<Number>> baseline_forget = {};
  std::optional<std::vector<Number>> baseline_holdout = {};
  bool in_family = true;
};

struct AttackFamily {
  std::vector<AttackScores> attacks;
  const DatasetPlan* forget_spec = nullptr;
  const DatasetPlan* holdout_spec = nullptr;
  const PreparedData* forget = nullptr;
  const PreparedData* holdout = nullptr;
  attack::ExampleClusters clusters;
  attack::ClusterChoice choice;
  std::vector<std::string> notes;  // what was left out, and why

  // With spans into `attacks`.
  std::vector<attack::FamilyMember> members() const;
};

// nullopt where the list has no attack. Throws Error for a `primary` that is none of them.
std::optional<AttackFamily> gather_attacks(const AttackFamilyInput& input);

// Throws Error unless `primary` names an attack of the list: before anything has run.
void require_primary(const MetricGraph& graph, const InferenceSettings& settings);

// For the record; nullopt where examples count as independent.
std::optional<RunClusters> clusters_to_record(const AttackFamily& family);

}  // namespace palimpsest::eval
