// The log of a retain model: a model that never saw the forget set, with which an evaluated model
// is compared. It includes the record of its run if there is one; open-unlearning writes none.
#pragma once

#include <optional>
#include <string>

#include "palimpsest/eval/run_record.h"

namespace palimpsest::eval {

struct RetainLog {
  std::string path;
  EvalLog metrics;
  std::optional<RunRecord> record;
};

// Reads the log, and the record <NAME>_RUN.json beside <NAME>_EVAL.json. Throws Error if the file
// is not a log, or if its results are not those that the record describes.
RetainLog read_retain_log(const std::string& path);

// The facts that identify an attack that an evaluation ran.
struct AttackIdentity {
  std::string metric;
  std::string handler;
  AttackParameters parameters;
  std::map<std::string, std::string> data;  // fingerprints of the examples, keyed by access key
};

// Finds the log's result of the same attack with the same parameters on the same examples, even
// under another name. Returns nullptr if there is none; `note` then says why. If the log has no
// record, or an older one, returns the result with the same name; `note` then says what could not
// be checked.
const MetricResult* find_attack(const RetainLog& log, const AttackIdentity& attack,
                                std::string& note);

}  // namespace palimpsest::eval
