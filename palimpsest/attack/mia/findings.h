// What an audit finds besides AUCs and the answer. These are plain values, the parts of a MiaReport
// (attack/mia.h). The private headers of the same names, such as internal/mia/decision.h, say how
// each of them is computed and what it may be used for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/attack/mia/score_columns.h"
#include "palimpsest/stat/confusion.h"
#include "palimpsest/stat/interval.h"

namespace palimpsest::attack {

// Two AUCs on the same examples: of two attacks on one model, or of one attack on two models.
struct PairedAuc {
  double auc_a = 0;
  double auc_b = 0;
  stat::Interval difference;  // the interval of auc_a - auc_b
  double p_value = 1;         // two-sided, for the hypothesis that the AUCs are equal
  double difference_value() const { return auc_a - auc_b; }
};

struct AttackComparison {
  size_t a = 0;  // positions of the two attacks in MiaReport::outcomes, a < b
  size_t b = 0;
  // Computed on the examples that both attacks can score; nullopt if it is undefined.
  std::optional<PairedAuc> test;
  std::optional<double> holm_p_value;  // corrected for all pairs
};

// The score threshold at which an example is called a member. It was chosen on a validation part of
// the clusters, and its error rates were measured on the remaining ones.
struct Decision {
  double validation_auc = 0;
  double validation_cost = 0;
  // An example is called a member if its score is at most this; -∞ means never.
  double score_at_most = 0;
  stat::Confusion counts;  // on the remaining examples
  double tpr = 0;
  double fpr = 0;
  // Over clusters; the Clopper-Pearson interval if examples count as independent.
  stat::Interval tpr_interval;
  stat::Interval fpr_interval;
  double cost = 0;  // on the remaining examples
};

// Tests of single forget records against the holdout scores.
struct RecordTests {
  // One value per forget example; undefined if its score is undefined.
  std::vector<std::optional<double>> p_values;
  // The p-values, corrected for all records by Benjamini and Hochberg (stat/multiple_testing.h).
  // Undefined where the p-value is.
  std::vector<std::optional<double>> q_values;
  // The positions of the examples whose q-value is at most MiaOptions::false_discovery_rate, in
  // ascending order.
  std::vector<size_t> recognised;
};

// A cluster of the forget set, such as an author, with its AUC against the whole holdout set. It
// serves to rank clusters and gives no verdict on any of them.
struct RankedCluster {
  std::string name;
  int64_t examples = 0;  // number of forget examples with a score
  double auc = 0;
};

// A part of both sets that is judged separately.
struct Subgroup {
  std::string by;               // "length", "tokens" or a key of Trace::groups
  std::string name;             // "short", "rare" … or the value of the key
  std::string meaning;          // "1 to 14 labelled tokens"; may be empty
  std::vector<size_t> forget;   // positions of the examples in their set, ascending
  std::vector<size_t> holdout;  // the same for the holdout set
};

// If a set has fewer examples than this in a subgroup, no AUC is reported.
inline constexpr int64_t kMinSubgroup = 10;

struct SubgroupOutcome {
  std::optional<double> auc;  // undefined if a set has fewer than kMinSubgroup examples
  // By the jackknife over the clusters of the group; undefined if there is only one cluster.
  std::optional<stat::Interval> auc_ci;
};

// Texts that are in both sets.
struct Overlap {
  int64_t shared_holdout = 0;  // holdout examples that are also in the forget set
  int64_t shared_forget = 0;   // forget examples that are also in the holdout set
  // The larger of two shares: shared_holdout divided by the number of holdout examples, and
  // shared_forget divided by the number of forget examples. The share of an empty set is 0.
  double share = 0;
};

// A feature by which texts of the two sets can be told apart.
struct InformativeFeature {
  std::string name;     // "author", "was born"; for the length: "more than 120 bytes"
  bool is_word = true;  // false: the feature is the length
  std::string side;     // "forget" or "holdout": the set that it points to
  int64_t forget = 0;   // number of forget texts, among those used, that have the feature
  int64_t holdout = 0;
};

// The level of the blind baseline's test.
inline constexpr double kBlindLevel = 0.05;

// A classifier that never sees the model. If it can distinguish the sets, an attack may also do so
// because the texts differ, and not because of what the model remembers.
struct BlindBaseline {
  // Oriented like an attack's scores: higher means less likely to be in the forget set. Undefined
  // for examples that were not sampled.
  ScoreColumn forget;
  ScoreColumn holdout;
  double auc = 0;
  double p_value = 1;         // one-sided; valid if clusters are exchangeable
  stat::Interval null_range;  // the central 95% of the permuted AUCs
  int64_t forget_texts = 0;   // number of texts used
  int64_t holdout_texts = 0;
  int64_t forget_clusters = 0;  // clusters of these texts; clusters that share a text count as one
  int64_t holdout_clusters = 0;
  // The features that distinguish the sets, the strongest first. Empty if p_value is above the
  // level.
  std::vector<InformativeFeature> informative;

  // Whether the texts alone tell the sets apart by at least the margin. Such an audit is void.
  bool separates(double margin = 0.05) const {
    return p_value <= kBlindLevel && auc >= 0.5 + margin;
  }
  // Whether they do so by less than the margin. This only calls for a note.
  bool notable(double margin = 0.05) const { return p_value <= kBlindLevel && auc < 0.5 + margin; }
  ScoreColumns columns() const { return {forget, holdout}; }
};

}  // namespace palimpsest::attack
