// Red flags: what makes a good-looking number of an unlearning audit worthless, or a bad one
// misleading. A pure function of a few results, so that every page and table raises the same ones.
//
//   AUC > 0.8, forget accuracy low              possible collapse: the model cannot answer, yet it
//                                               still tells the forget set apart
//   |AUC - ½| ≤ 0.05, retain accuracy low       over-unlearning: the rest is gone, too
//   |AUC - ½| ≤ 0.05, forget accuracy high      superficial: nothing was forgotten, or the attack
//                                               is too weak to see it
//
// Where an answer was drawn it goes before the AUC: a collapse needs "remembered", the other two
// that nothing was found (equivalent, detectable within the margin, or not decided).
//
//   the texts alone tell the sets apart         the benchmark is flawed (p <= 0.05, AUC beyond the
//                                               margin)
//   a false positive rate that was asked for    the sample is too small for it
//   cannot be resolved
//
// Low is below 0.3, high above 0.7. Accuracies are those of answers to questions about the set:
// TOFU's forget_Q_A_ROUGE and retain_Q_A_ROUGE, MUSE's forget_knowmem_ROUGE and
// retain_knowmem_ROUGE. What is not known raises no flag.
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
inline constexpr double kNearHalf = 0.05;  // of an AUC's distance from ½

struct RedFlagFacts {
  std::optional<attack::AnswerVerdict> verdict = {};  // where an answer was drawn
  std::optional<double> auc = {};                     // in [0, 1]: that the headline shows
  std::optional<double> forget_accuracy = {};         // in [0, 1]
  std::optional<double> retain_accuracy = {};         // likewise
  std::optional<SeparatingTexts> separating_texts = {};
  int64_t holdout = 0;                       // examples that a false positive rate is counted on
  std::vector<double> unresolved_fprs = {};  // asked for, in (0, 1], and not to be had
};

// In the order of the table above; empty where all is well.
std::vector<PageFlag> red_flags(const RedFlagFacts& facts);

}  // namespace palimpsest::report
