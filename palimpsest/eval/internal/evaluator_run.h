// The run of one evaluator. It determines which metrics are left to compute, runs the passes that
// they need, and computes one metric after the other into the log.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "palimpsest/eval/evaluate.h"
#include "palimpsest/eval/internal/evaluator.h"
#include "palimpsest/eval/internal/passes.h"
#include "palimpsest/run/internal/lazy_model.h"
#include "palimpsest/tokenizer/tokenizer.h"

namespace palimpsest::eval {

struct EvaluatorRunContext {
  run::LazyModel& model;
  const ModelSettings& settings;
  const tokenizer::Tokenizer& tokenizer;
  std::string tokenizer_fingerprint;
  const DataStore& data;
  uint64_t seed = 0;
  const EvaluationContext& context;
  std::vector<std::string> notes = {};  // remarks about the model
};

Evaluation run_evaluator(const EvaluatorPlan& plan, const EvaluatorRunContext& context);

// Runs only the shard of the context (EvaluationContext::work), into its part.
void run_evaluator_shard(const EvaluatorPlan& plan, const EvaluatorRunContext& context);

}  // namespace palimpsest::eval
