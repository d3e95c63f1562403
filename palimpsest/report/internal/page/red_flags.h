// Red flags: findings that make a good-looking number of an unlearning audit worthless, or a bad
// one misleading. They are a pure function of a few results, so every page and table raises the
// same flags.
//
//   AUC > 0.8, forget accuracy low              possible collapse: the model cannot answer, yet
//                                               attacks still distinguish the forget set
//   |AUC - ½| ≤ 0.05, retain accuracy low       over-unlearning: the other knowledge is gone too
//   |AUC - ½| ≤ 0.05, forget accuracy high      superficial: nothing was forgotten, or the attack
//                                               is too weak to detect it
//
// If there is an answer, it takes the place of the AUC. A collapse then requires "remembered". The
// other two require that nothing was found (equivalent, detectable within the margin, or not
// decided).
//
//   the texts alone distinguish the sets        the benchmark is flawed (p <= 0.05, AUC beyond the
//                                               margin)
//   a requested false positive rate             the sample is too small for it
//   cannot be resolved
//
// Low means below 0.3, high means above 0.7. Accuracy is the share of right answers to questions
// about the set: TOFU's forget_Q_A_ROUGE and retain_Q_A_ROUGE, MUSE's forget_knowmem_ROUGE and
// retain_knowmem_ROUGE. A result that is not known raises no flag.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "palimpsest/attack/mia/answer.h"
#include "palimpsest/report/page/page_data.h"
#include "palimpsest/report/run_results.h"

namespace palimpsest::report {

inline constexpr double kLowAccuracy = 0.3;
inline constexpr double kHighAccuracy = 0.7;
inline constexpr double kHighAuc = 0.8;
inline constexpr double kNearHalf = 0.05;  // largest distance of an AUC from ½

struct RedFlagFacts {
  std::optional<attack::AnswerVerdict> verdict = {};  // if there is an answer
  std::optional<double> auc = {};                     // the AUC that the headline shows, in [0, 1]
  std::optional<double> forget_accuracy = {};         // in [0, 1]
  std::optional<double> retain_accuracy = {};         // in [0, 1]
  std::optional<SeparatingTexts> separating_texts = {};
  int64_t holdout = 0;  // number of examples on which false positive rates are counted
  std::vector<double> unresolved_fprs = {};  // requested rates in (0, 1] that cannot be resolved
};

// Returns the flags in the order of the tables above; empty if there are none.
std::vector<PageFlag> red_flags(const RedFlagFacts& facts);

}  // namespace palimpsest::report
