// What the attacks do where the truth is known: tiny models whose training data we chose, audited
// by the same code as any other model, again and again with new data and new models. Used by
// validation_slow_test.cc, which holds the library to it, and by validation_table.cc, which writes
// docs/validation.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "palimpsest/stat/interval.h"

namespace palimpsest::lab {

// One experiment: authors with one question each, so that examples are independent. A model is
// trained on some of them and audited on others, or on the same.
struct AuditSetting {
  uint64_t seed = 0;
  int64_t epochs = 2;
  bool members = false;  // whether the forget set is trained on; the holdout set never is
};

struct AttackAuc {
  std::string attack;
  double auc = 0;
  stat::Interval bca;
  stat::Interval delong;
};

// Examples in the forget set, and in the holdout set.
constexpr int64_t kAuditedExamples = 60;

// Trains the model and a reference model that never saw either set, traces both and runs every
// attack of the default table.
std::vector<AttackAuc> audit(const AuditSetting& setting);

// Of so many runs without members: how many intervals contain one half.
struct NullCoverage {
  std::string attack;
  int64_t runs = 0;
  int64_t bca = 0;
  int64_t delong = 0;
};
std::vector<NullCoverage> null_coverage(int64_t runs);

// Mean AUC over `runs` runs with members, after each number of epochs.
struct PowerCurve {
  std::string attack;
  std::vector<double> auc;  // one per number of epochs
};
const std::vector<int64_t>& power_epochs();
std::vector<PowerCurve> power_curves(int64_t runs);

// A mechanism with a known epsilon around a real model: each canary's coin says whether it should
// be trained on, and randomised response (the truth with probability e^ε/(1+e^ε)) decides whether
// it is. Whatever the model does after that, the mechanism is ε-differentially private in the
// coins.
struct PrivateRuns {
  double epsilon = 0;
  double alpha = 0.05;         // probability with which a bound may be wrong
  std::vector<double> bounds;  // of one_run_epsilon, one per run
  double share_right = 0;      // of all guesses
};
PrivateRuns randomised_response(double epsilon, int64_t runs);

}  // namespace palimpsest::lab
