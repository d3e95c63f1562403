// A scored attack is what one attack makes of the two sets of an audit: the score of every example
// of the forget set and of the holdout set, and the AUC between them. Audits and evaluations
// compute it, evaluation logs (NAME_EVAL.json) hold it, and reports read it. It draws no
// conclusion: internal/mia/family.h analyses several scored attacks together, and mia/answer.h has
// the verdict.
//
// A higher score means less familiar (attack.h), so the AUC is the probability that a holdout
// example has a higher score than a forget example, with ties counted half:
//
//   forget {1, 2}, holdout {2, 3, undefined}   // (1 + 1 + ½ + 1) / 4 = 0.875
#pragma once

#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "palimpsest/attack/attack.h"
#include "palimpsest/attack/mia/score_columns.h"
#include "palimpsest/stat/interval.h"

namespace palimpsest::attack {

// What the name of an attack begins with where it is a metric: "mia_min_k".
inline constexpr std::string_view kAttackPrefix = "mia_";

// The keys of a set's examples in files: the index, or "index/alternative". They never change.
// Copies share one list, because all attacks of an audit have the same examples.
class ExampleKeys {
 public:
  ExampleKeys(std::vector<std::string> keys = {})
      : list_(std::make_shared<const std::vector<std::string>>(std::move(keys))) {}

  // Empty if the keys were moved away.
  const std::vector<std::string>& list() const;
  size_t size() const { return list().size(); }
  const std::string& operator[](size_t i) const { return list()[i]; }

 private:
  std::shared_ptr<const std::vector<std::string>> list_;
};

struct SetScores {
  ExampleKeys keys;
  ScoreColumn scores;  // one per key
  // The number of undefined scores. They are left out of all results.
  int64_t undefined = 0;
  std::optional<double> mean;  // of the defined scores; nullopt if there are none

  // Whether there is one score per key, as everything that reads a set expects.
  bool has_keys() const { return keys.size() == scores.size(); }
  int64_t defined() const { return std::ssize(scores) - undefined; }
};

// Counts the undefined scores and computes the mean of the others. Throws Error unless there is one
// score per key.
SetScores set_scores(ExampleKeys keys, ScoreColumn scores);

// The scores of the examples with these keys, in the order of `keys`. Other examples are left out.
// Returns nullopt if the set lacks one of the keys, or does not have one score per key.
std::optional<SetScores> in_order(const SetScores& set, const ExampleKeys& keys);

struct ScoredAttack {
  // The name under which the attack stands in results: "min_k", or "min_k:k=0.3" if it was selected
  // with parameters (Attack::name). Like `attack`, it is empty if the scores come from a log, which
  // does not name the attack.
  std::string name;
  // The name of the row in the attack table: "min_k" (Attack::row_name()).
  std::string attack;
  // In the order in which the attack declares them; empty if the scores come from a log, which does
  // not state them.
  ParameterValues parameters;
  SetScores forget;
  SetScores holdout;
  std::optional<double> auc;
  std::optional<stat::Interval> auc_ci;  // jackknife over clusters, logit scale
  // 97%, simultaneous over the family of attacks.
  std::optional<stat::Interval> auc_ci_simultaneous;

  // Whether the name states parameters: "min_k:k=0.3".
  bool name_has_parameters() const { return !name.empty() && name != attack; }
  ScoreColumns columns() const { return {forget.scores, holdout.scores}; }
};

// The name with these parameters, for tables: "min_k (k=0.4)".
std::string with_parameters(const std::string& name, const ParameterValues& parameters);

// The AUC of the defined scores, whatever `auc` says. Returns nullopt if a set has none.
std::optional<double> auc_of(const ScoredAttack& scored);

}  // namespace palimpsest::attack
