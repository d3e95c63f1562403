// The log of a model that never saw the forget set, with which an evaluated model is compared. The
// record of its run is included if there is one; open-unlearning writes none.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "palimpsest/eval/eval_log.h"
#include "palimpsest/eval/run_record.h"

namespace palimpsest::eval {

struct RetainLog {
  std::string path;
  EvalLog metrics;
  std::optional<RunRecord> record;
};

// The record is <NAME>_RUN.json beside <NAME>_EVAL.json. Throws Error if the file is not a log.
RetainLog read_retain_log(const std::string& path);

// What identifies an attack that an evaluation ran.
struct AttackIdentity {
  std::string metric;
  std::string handler;
  AttackParameters parameters;
  std::map<std::string, std::string> data;  // fingerprints by access key
};

// Finds the log's entry for the same attack with the same parameters on the same examples, even if
// it has another name there. Returns nullptr if there is none, and `note` says why. If the log has
// no record, or an older one, the entry with the same name is returned, and `note` says what could
// not be checked.
const MetricResult* find_attack(const RetainLog& log, const AttackIdentity& attack,
                                std::string& note);

}  // namespace palimpsest::eval
