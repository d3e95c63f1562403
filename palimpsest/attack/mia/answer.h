// The one answer of an audit: does the model still remember the forget set? The answer is derived
// from the intervals of a family of attacks (family.h) and from the reasons that make an audit void
// (soundness.h). The first line that applies is the answer:
//
//   void                      the audit cannot answer: the reasons say why and what to do
//   not_decided (too_few)     fewer than 5 clusters or 10 examples in a set
//   not_decided (dependence_suspected)   examples seem to belong together and nobody said how
//   detectable_within_margin  a 97% simultaneous interval excludes ½, all 90% intervals lie inside
//                             ½ ± margin, the tail is silent
//   remembered                a simultaneous interval above ½ and permutation p <= 0.03, or tail
//                             p <= 0.02; it wins over the other direction
//   over_forgotten            a simultaneous interval below ½ and permutation p <= 0.03
//   equivalent                all 90% intervals lie inside ½ ± margin and the tail is silent
//   not_decided               else, with how many clusters would decide
//
// With a baseline the same rules apply to the differences of AUCs, around 0 instead of ½. No answer
// ever says that there is nothing to do.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/attack/mia/family.h"

namespace palimpsest::attack {

enum class AnswerVerdict {
  kRemembered,
  kOverForgotten,
  kDetectableWithinMargin,
  kEquivalent,
  kNotDecided,
  kVoid
};

// The name used in files: "remembered" for kRemembered.
std::string_view name_of(AnswerVerdict verdict);
std::optional<AnswerVerdict> verdict_named(std::string_view name);

// Why the answer is what it is, and what to do about it.
struct AnswerReason {
  // "texts_differ", "overlap", "collapsed", "constant_scores", "too_few", "dependence_suspected",
  // "auc", "tail", "both_directions", "within_margin" …
  std::string code;
  std::string text;  // one or two sentences for people

  friend bool operator==(const AnswerReason&, const AnswerReason&) = default;
};

struct AnswerClusters {
  std::string key;     // empty: examples count as independent
  int64_t forget = 0;  // clusters
  int64_t holdout = 0;
  std::optional<double> icc;
  std::optional<double> design_effect;
};

struct Answer {
  AnswerVerdict verdict = AnswerVerdict::kNotDecided;
  std::string sentence;  // the whole answer in one or two sentences
  std::string attack;    // the attack that the sentence names; may be empty
  double margin = 0.05;
  std::optional<double> smallest_margin;
  double level = 0.05;            // of the whole answer: 3% for the AUCs, 2% for the tail
  std::optional<double> p_value;  // of the family's permutation test
  std::optional<double> tail_p_value;
  AnswerClusters clusters;
  std::optional<double> would_detect;
  std::optional<stat::ClusterPlan> needed;
  bool against_baseline = false;
  std::vector<AnswerReason> reasons;
};

struct AnswerInput {
  const FamilyInference& family;
  int64_t forget_examples = 0;
  int64_t holdout_examples = 0;
  // The reasons that make the audit void, if there are any.
  std::vector<AnswerReason> voids = {};
  // Set if examples seem to belong together and the user has not said which do, nor that none do.
  std::optional<AnswerReason> suspected_dependence = {};
};

inline constexpr int64_t kFewestClusters = 5;
inline constexpr int64_t kFewestExamples = 10;

Answer answer_of(const AnswerInput& input);

// Converts an answer to the JSON object "answer" of mia.json, of NAME_RUN.json and of the report's
// JSON, and back. Reading throws Error if the text is not such an object; `where` names the file.
std::string answer_to_json(const Answer& answer);
Answer answer_from_json(const std::string& json, const std::string& where);

// Text for a terminal: the verdict in capitals, the sentence and the reasons, wrapped at `width`
// characters.
std::string answer_to_text(const Answer& answer, size_t width);

}  // namespace palimpsest::attack
