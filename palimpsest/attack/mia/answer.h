// The one answer of an audit: does the model still remember the forget set? The answer is derived
// from four things: the intervals of a family of attacks, a permutation test of all their AUCs
// together, a test of the tail of their scores, which can find a few plainly remembered records
// (these three are in internal/mia/family.h), and reasons that make an audit void
// (internal/mia/soundness.h). The first line below that applies is the answer. A word in
// parentheses is the code of the reason (AnswerReason):
//
//   void                      the audit cannot answer; the reasons say why and what to do
//   not_decided (no_attack)   no attack is left that could answer
//   not_decided (too_few)     a set has fewer than 5 clusters or 10 examples
//   not_decided (dependence_suspected)   examples seem to belong together, but the user did not say
//                             which
//   detectable_within_margin  a 97% simultaneous interval excludes ½, all 90% intervals lie inside
//                             ½ ± margin, and the tail test finds nothing
//   remembered                a simultaneous interval lies above ½ and the permutation test has
//                             p <= 0.03, or the tail test has p <= 0.02
//   over_forgotten            a simultaneous interval lies below ½ and the permutation test has
//                             p <= 0.03
//   equivalent                all 90% intervals lie inside ½ ± margin; the tail test finds nothing
//   not_decided               none of the above; the answer says how many clusters are needed
//
// If there is a baseline model, the same rules apply to differences of AUCs, with 0 in place of ½.
// The permutation test is then left out of the rules, because there is none.
// None of these answers is an all-clear: none says that nothing needs to be done.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/stat/clusters.h"
#include "palimpsest/stat/interval.h"

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
// For readers: "not decided" for kNotDecided.
std::string verdict_words(AnswerVerdict verdict);

// A reason for the answer, and what to do about it.
struct AnswerReason {
  // Reasons of a void audit:
  //   texts_differ          the texts alone tell the sets apart (BlindBaseline)
  //   overlap               too many texts are in both sets
  //   collapsed             the model has collapsed: every text is equally strange to it
  //   constant_scores       each attack of the family gives all examples the same score
  // Reasons why nothing can be decided; the top of this file explains them:
  //   no_attack, too_few, dependence_suspected
  // Findings:
  //   auc                   an attack tells the sets apart
  //   tail                  the tail test finds plainly remembered records
  //   both_directions       another attack shows the opposite: the forget set looks over-forgotten
  //   within_margin         an attack sees a difference, but within the margin
  // Limits of the audit, which may accompany any answer that was judged from the scores:
  //   constant_attack       one attack gives all examples the same score
  //   tail_not_tested       the holdout set is too small for the tail test
  //   uneven_clusters       clusters differ greatly in size, so the power may be lower than stated
  // Later versions may add codes.
  std::string code;
  std::string text;  // one or two sentences for people

  friend bool operator==(const AnswerReason&, const AnswerReason&) = default;
};

struct AnswerClusters {
  std::string key;     // empty: examples count as independent
  int64_t forget = 0;  // number of clusters
  int64_t holdout = 0;
  // The intraclass correlation of the scores, and how much more the AUC varies than it would for
  // independent examples (stat/clustered_auc.h).
  std::optional<double> icc;
  std::optional<double> design_effect;
};

// How many records an observer can pick out beyond chance. The observer chooses the attack and the
// threshold on one part of the clusters. The shares are measured on the remaining records
// (internal/mia/picked_out.h).
struct PickedOut {
  std::string attack;  // the one that the observer chose
  // Whether the observer picks the least familiar records, which betrays over-forgetting.
  bool reversed = false;
  // A record is picked if its score is at most this (at least this, if reversed).
  double threshold = 0;
  double tpr = 0;  // share of the remaining forget records that are picked
  double fpr = 0;  // share of the remaining holdout records that are picked
  std::optional<double> baseline_excess = {};  // TPR - FPR under the baseline model
  double excess = 0;                           // tpr - fpr, minus baseline_excess if there is one
  // Of the excess; nullopt if a file that was read lacks it.
  std::optional<stat::Interval> interval = {};
  double confidence = 0.95;  // of the interval
  int64_t forget = 0;        // number of remaining forget records
  int64_t holdout = 0;

  friend bool operator==(const PickedOut&, const PickedOut&) = default;
};

struct Answer {
  AnswerVerdict verdict = AnswerVerdict::kNotDecided;
  std::string sentence;  // the whole answer in one or two sentences
  std::string attack;    // the attack that the sentence names, as in tables; may be empty
  // The name of that attack in the results: ScoredAttack::name in an audit ("min_k:k=0.3"), the
  // metric in an evaluation ("mia_min_k").
  std::string attack_name = {};
  double margin = 0.05;
  // The smallest margin at which the answer would be "equivalent".
  std::optional<double> smallest_margin;
  double level = 0.05;  // error level of the whole answer: 3% for the AUCs, 2% for the tail
  std::optional<double> p_value;  // of the family's permutation test
  std::optional<double> tail_p_value;
  AnswerClusters clusters;
  // The smallest AUC that the audit would have detected with probability (power) 0.8. If
  // differences from a baseline model were judged, the smallest difference of AUCs.
  std::optional<double> would_detect;
  std::optional<stat::ClusterPlan> needed;  // how many clusters would decide
  bool against_baseline = false;            // whether differences from a baseline model were judged
  // What an observer could pick out, in the direction of the verdict: the least familiar records
  // for over_forgotten, the most familiar ones otherwise. Undefined for a void audit, and if there
  // is too little to judge by.
  std::optional<PickedOut> picked_out;
  std::vector<AnswerReason> reasons;
};

// A set with fewer clusters or fewer examples than this is too small for an answer.
inline constexpr int64_t kFewestClusters = 5;
inline constexpr int64_t kFewestExamples = 10;

// Converts an answer to the JSON object "answer" and back. This object is in mia.json, in
// NAME_RUN.json (which `palimpsest eval` writes) and in the report's JSON. Reading throws Error if
// the text is not such an object; `where` names the file.
std::string answer_to_json(const Answer& answer);
Answer answer_from_json(const std::string& json, const std::string& where);

}  // namespace palimpsest::attack
