// Attacks with chosen scores, as runs have them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "palimpsest/report/run_results.h"

namespace palimpsest::report {

inline attack::SetScores set_of(const ValueByExample& scores) {
  std::vector<std::string> keys;
  attack::ScoreColumn column;
  for (const auto& [key, score] : scores) {
    keys.push_back(key);
    column.emplace_back(score);
  }
  return attack::set_scores(std::move(keys), std::move(column));
}

inline attack::ScoredAttack scored_attack(const ValueByExample& forget,
                                          const ValueByExample& holdout) {
  return {.forget = set_of(forget), .holdout = set_of(holdout)};
}

}  // namespace palimpsest::report
