// Derives the one answer (attack/mia/answer.h) from the scores of an evaluator's attacks.
//
// The family consists of the attacks that were requested by name; if there are none, of those that
// the metrics pre_compute. All use the same forget and holdout set. If there is a `primary` attack,
// it alone decides. An attack with a reference model is left out if its score would reverse the
// verdict or say nothing. That is so if the reference model itself distinguishes the forget set
// from the holdout set, is the evaluated model, or is already the baseline.
//
// The baseline is the first retain log, if it is of another model and has the scores of every
// attack of the family for the same examples with the same parameters. Then the answer is about
// differences.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "palimpsest/attack/internal/mia/family.h"
#include "palimpsest/eval/internal/evaluator.h"
#include "palimpsest/eval/internal/passes.h"
#include "palimpsest/eval/run_record.h"

namespace palimpsest::eval {

struct AttackFamilyInput {
  const EvaluatorPlan& plan;
  const DataStore& data;
  const EvalLog& log;
  const std::map<std::string, MetricRecord>& records;  // records of the metrics in the log
  std::string model_fingerprint;
  uint64_t seed = 0;
  int threads = 0;  // 0: one per core; the result does not depend on it
  // Returns the traces of an attack's data set: in memory if this run computed them, otherwise in
  // the file of an earlier run, if it still exists.
  std::function<trace::TraceInput(const MetricNode&, const DatasetPlan&)> traces = {};
  std::stop_token stop = {};  // once it requests a stop, the analysis throws Stopped
};

// An attack of the list. The scores come from the log, in the order of the data.
struct FamilyAttack {
  const MetricNode* node = nullptr;
  AttackIdentity identity;
  attack::ScoredAttack scored;
  std::optional<attack::ScoredAttack> baseline = {};
  bool in_family = true;
};

struct AttackFamily {
  std::vector<FamilyAttack> attacks;
  const DatasetPlan* forget_spec = nullptr;
  const DatasetPlan* holdout_spec = nullptr;
  const PreparedData* forget = nullptr;
  const PreparedData* holdout = nullptr;
  attack::ExampleClusters clusters;
  attack::ClusterChoice choice;
  std::vector<std::string> notes;  // what was left out, with the reasons

  // The members for family.h. They refer to `attacks`.
  std::vector<attack::FamilyMember> members() const;
};

// The keys of the examples that an attack compares, in the order of the data.
trace::BothSets<attack::ExampleKeys> example_keys(const MetricNode& attack, const DataStore& data);

// The scores of these examples in this order, and no others. Throws Error, which names the metric
// handler, if an example has no entry in the attack's result. An entry may be undefined.
attack::ScoredAttack require_scores(const MetricNode& attack, const MetricResult& result,
                                    const trace::BothSets<attack::ExampleKeys>& keys);

// Returns nullopt if the list has no attack. Throws Error if `primary` is not one of the attacks.
std::optional<AttackFamily> gather_attacks(const AttackFamilyInput& input);

// Throws Error unless `primary` names an attack of the list. It can be called before anything has
// run.
void require_primary(const MetricGraph& graph, const InferenceSettings& settings);

// The clusters for the record of the run; nullopt if examples count as independent.
std::optional<RunClusters> clusters_to_record(const AttackFamily& family);

}  // namespace palimpsest::eval
