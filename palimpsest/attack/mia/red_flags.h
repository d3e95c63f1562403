// Red flags: findings that make a good-looking number of an unlearning audit worthless, or a bad
// one misleading. They are a pure function of a few results, so pages, terminal output and files
// all raise the same flags.
//
//   AUC > 0.8, forget accuracy low              possible collapse: the model cannot answer, yet
//                                               attacks still distinguish the forget set
//   |AUC - ½| ≤ 0.05, retain accuracy low       over-unlearning: the other knowledge is gone too
//   |AUC - ½| ≤ 0.05, forget accuracy high      superficial: nothing was forgotten, or the attack
//                                               is too weak to detect it
//
// If there is an answer, it must agree as well. The first flag then also requires "remembered". The
// other two also require "equivalent", "detectable_within_margin" or "not_decided".
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
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/attack/mia/answer.h"
#include "palimpsest/attack/mia/findings.h"
#include "palimpsest/stat/interval.h"

namespace palimpsest::attack {

inline constexpr double kLowAccuracy = 0.3;
inline constexpr double kHighAccuracy = 0.7;
inline constexpr double kHighAuc = 0.8;
inline constexpr double kNearHalf = 0.05;  // largest distance of an AUC from ½

// The result of a classifier that saw only the texts and could distinguish the forget set from the
// holdout set.
struct SeparatingTexts {
  double auc = 0;
  std::optional<double> p_value = {};
  std::optional<stat::Interval> null_range = {};  // the AUC's range for sets that do not differ
  std::vector<std::string> informative = {};      // the words by which it distinguished the sets
};

// Returns nullopt if the texts do not distinguish the sets, or if this was not tested.
std::optional<SeparatingTexts> separating_texts(const std::optional<BlindBaseline>& blind,
                                                double margin);

struct RedFlagFacts {
  std::optional<AnswerVerdict> verdict = {};   // if there is an answer
  std::optional<double> auc = {};              // of the leading attack, in [0, 1]
  std::optional<double> forget_accuracy = {};  // in [0, 1]
  std::optional<double> retain_accuracy = {};  // in [0, 1]
  std::optional<SeparatingTexts> separating_texts = {};
  int64_t holdout = 0;  // number of examples on which false positive rates are counted
  std::vector<double> unresolved_fprs = {};  // requested rates in (0, 1] that cannot be resolved
};

// Returns nullptr for a metric that is not known, and a pointer to nullopt for one without a value.
using FindMetric = std::function<const std::optional<double>*(const std::string& metric)>;
// Sets each accuracy from the first metric of the list above that `find` knows: that of TOFU, else
// that of MUSE.
void set_accuracies(const FindMetric& find, RedFlagFacts& facts);

struct RedFlag {
  // "collapse", "over_unlearning", "superficial_unlearning", "texts_differ" or "small_sample".
  std::string code;
  bool is_caution = false;  // a limit of the data, not results that contradict each other
  std::string title;
  std::string text;

  friend bool operator==(const RedFlag&, const RedFlag&) = default;
};

// Returns the flags in the order of the tables above; empty if there are none.
std::vector<RedFlag> red_flags(const RedFlagFacts& facts);

// Converts flags to the JSON array "flags" of mia.json, of NAME_RUN.json and of the report's JSON,
// and back. Reading skips entries that are not flags; throws Error if the text is not JSON.
std::string flags_to_json(const std::vector<RedFlag>& flags);
std::vector<RedFlag> flags_from_json(const std::string& json, const std::string& where);

// Text for a terminal, wrapped at `width` characters; empty without flags. Cautions are left out:
// the notes of an audit say the same.
std::string flags_to_text(const std::vector<RedFlag>& flags, size_t width);

}  // namespace palimpsest::attack
