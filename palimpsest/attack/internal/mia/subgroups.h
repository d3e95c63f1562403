// Parts of the two sets that are judged separately. An attack may fail on short texts and succeed
// on long ones, which a single number would hide.
//
//   length   short, medium, long: terciles of the number of labelled tokens over both sets
//   tokens   rare, common: whether the mean unigram frequency of an example is below the median. A
//            unigram is a labelled token id, or a word of the text if some trace has no ids. Its
//            frequency is its share of all unigrams of both sets. Of an example whose content was
//            dropped (example_facts.h), the mean is that of the unigrams that were kept
//   KEY      the values of the key KEY of Trace::groups
//
// Examples without a labelled token belong to no subgroup by length or by tokens.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "palimpsest/attack/example_facts.h"
#include "palimpsest/attack/mia/example_clusters.h"
#include "palimpsest/attack/mia/findings.h"
#include "palimpsest/attack/mia/score_columns.h"

namespace palimpsest::attack {

// A key with more distinct values than this is not accepted for grouping.
inline constexpr size_t kMaxSubgroups = 100;

struct Subgroups {
  std::vector<Subgroup> groups;
  std::vector<std::string> notes;  // splits that could not be made, and groups that are too small
};

// Throws Error if no trace has a key that `keys` names, or if a key has too many distinct values.
// `dropped` are the counts of both sets together.
Subgroups find_subgroups(std::span<const ExampleFacts> forget,
                         std::span<const ExampleFacts> holdout, std::span<const std::string> keys,
                         const DroppedTotals& dropped = {});

// The AUC of one attack within the group.
SubgroupOutcome evaluate(const Subgroup& group, const ScoreColumns& scores,
                         const ExampleClusters& clusters, double confidence);

}  // namespace palimpsest::attack
