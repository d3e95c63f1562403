// The log of a model that never saw the forget set, with the record of its run where there is one
// (open-unlearning writes none): what an evaluated model is compared with.
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

// The record is <NAME>_RUN.json beside <NAME>_EVAL.json. Throws Error for what is no log.
RetainLog read_retain_log(const std::string& path);

// An attack as an evaluation ran it.
struct AttackIdentity {
  std::string metric;
  std::string handler;
  AttackParameters parameters;
  std::map<std::string, std::string> data;  // fingerprints by access key
};

// The entry of the log that is the same attack with the same parameters on the same examples, whatever
// it is called there; nullptr where there is none, and `note` says why. Without a record (or with an
// older one) the entry of the same name is taken, and `note` says what could not be checked.
const MetricResult* find_attack(const RetainLog& log, const AttackIdentity& attack,
                                std::string& note);

}  // namespace palimpsest::eval
