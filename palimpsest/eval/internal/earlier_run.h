// What an evaluator's files hold from before, as far as it can be believed: a metric's result
// counts where the record knows it, of the same model and tokenizer, with the fingerprint that it
// has today and with the hash of what the log holds. Everything else in the log is kept under
// another name before this run may write.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "palimpsest/eval/internal/evaluator.h"
#include "palimpsest/eval/run_record.h"

namespace palimpsest::eval {

struct EarlierRun {
  EvalLog log;  // of the metrics of `record`
  // `now` with the metrics, passes, device, dtype and parameters from before. If the model was
  // another one, nothing is added.
  RunRecord record;
  std::map<std::string, std::string> planned;  // by a run that was cut: metric and fingerprint
};

// `now` says which model and tokenizer are evaluated; `fingerprints` has one per node of the plan.
// A metric that the plan does not know stays as it is. If the log holds anything besides, it is
// kept as NAME_EVAL.json.old (see keep_file.h), with a warning. Throws SystemError if it cannot be
// kept. With kRead nothing is kept, since nothing will be overwritten: a shard leaves the files to
// the run that has the results.
enum class EarlierFiles { kKeep, kRead };
EarlierRun load_earlier(const EvaluatorPlan& plan, const RunRecord& now,
                        const std::vector<std::string>& fingerprints,
                        EarlierFiles files = EarlierFiles::kKeep);

}  // namespace palimpsest::eval
