// Differences of AUCs on the same examples, by DeLong's paired test: between two attacks on one
// model, between one attack on two models (the audited one and one that never saw the forget set),
// or between an attack and the blind baseline.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "palimpsest/attack/mia/score_columns.h"
#include "palimpsest/attack/trace_scores.h"
#include "palimpsest/stat/delong.h"

namespace palimpsest {

struct AttackComparison {
  size_t a = 0;  // numbers of the two attacks, a < b
  size_t b = 0;
  // On the examples that both attacks can score; nullopt with fewer than two in a set.
  std::optional<DelongTest> test;
  std::optional<double> holm_p_value;  // corrected for all pairs
};

// Every pair of attacks, in order.
std::vector<AttackComparison> compare_attacks(const std::vector<ScoreColumns>& attacks,
                                              double confidence);

// AUC of `a` minus AUC of `b`; nullopt as above.
std::optional<DelongTest> compare(const ScoreColumns& a, const ScoreColumns& b, double confidence);

// The numbers that the examples of `to` have in `from`: where index and alternative are the same.
// Throws Error if one is not there or its text is another: then the two were not traced on the same
// data. `what` names `from` in messages: "the baseline's forget traces".
std::vector<size_t> match_examples(const TraceScores& to, const TraceScores& from,
                                   const std::string& what);

}  // namespace palimpsest
