// Parts of the two sets that are judged on their own: an attack may fail on short texts and succeed
// on long ones, which a single number would hide.
//
//   length   short, medium, long: terciles of the number of labelled tokens over both sets
//   tokens   rare, common: below the median of the examples' mean unigram frequency, or not. A
//            unigram is a labelled token id, or a word of the text where some trace has no ids; its
//            frequency is its share of all unigrams of both sets
//   KEY      the values of a column that the traces carry in 'groups'
//
// Examples without a labelled token belong to no part of the first two.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "palimpsest/attack/example_facts.h"
#include "palimpsest/attack/mia/example_clusters.h"
#include "palimpsest/attack/mia/score_columns.h"
#include "palimpsest/stat/interval.h"

namespace palimpsest::attack {

struct Subgroup {
  std::string by;               // "length", "tokens" or the column's name
  std::string name;             // "short", "rare" … or the column's value
  std::string meaning;          // "1 to 14 labelled tokens"; may be empty
  std::vector<size_t> forget;   // positions of the examples in their set, ascending
  std::vector<size_t> holdout;  // likewise
};

struct SubgroupOutcome {
  std::optional<double> auc;  // undefined with fewer than kMinSubgroup examples of either set
  // Jackknife over the clusters of the group; undefined if there is only one cluster.
  std::optional<stat::Interval> auc_ci;
};

// With fewer examples of either set than this, no AUC is reported.
inline constexpr int64_t kMinSubgroup = 10;
// A column with more distinct values than this is not accepted for grouping.
inline constexpr size_t kMaxSubgroups = 100;

struct Subgroups {
  std::vector<Subgroup> groups;
  std::vector<std::string> notes;  // which splits could not be made, which groups are too small
};

// Throws Error if no trace has a column that `keys` names, or it has too many different values.
Subgroups find_subgroups(std::span<const ExampleFacts> forget,
                         std::span<const ExampleFacts> holdout, std::span<const std::string> keys);

SubgroupOutcome evaluate(const Subgroup& group, const ScoreColumns& scores,
                         const ExampleClusters& clusters, double confidence);

}  // namespace palimpsest::attack
