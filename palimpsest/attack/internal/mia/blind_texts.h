// The texts for the blind baseline, and how they are grouped. There are three levels:
//
//   block     the alternatives of one example (several answers to one question); all are in one set
//   cluster   the examples that the user's key or block size puts together; may be in both sets
//   unit      clusters that share a text, because a classifier recognises a text that it has seen
//
// A unit or a cluster is pure if all of its texts are in one set, and mixed if they are in both.
// Units are never split between folds. Labels are permuted level by level:
//
//   within a fold            among its pure units
//   within a mixed unit      among its pure clusters
//   within a mixed cluster   among its blocks
//
// Units are assigned to folds at random, regardless of their sizes. This is done separately for
// each kind of unit: in the forget set only, in the holdout set only, in both. So if units are
// exchangeable, every such permutation is as likely as the observed labels, and the test is exact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "palimpsest/attack/mia/example_clusters.h"
#include "palimpsest/attack/trace_scores.h"
#include "palimpsest/base/random.h"

namespace palimpsest::attack {

struct BlindText {
  bool is_forget = false;
  size_t example = 0;                 // the number of the example in its set
  const std::string* text = nullptr;  // null as long as it is not known
  ContentKey key = {};                // stands for the text; texts are compared by it
  // Arbitrary numbers that identify the block, cluster and unit of the text.
  size_t block = 0;
  size_t cluster = 0;
  size_t unit = 0;
};

// Returns one entry for every example that has a text, the forget set first. The result points into
// the texts of the two sets as far as they are kept; ExampleTexts reads the others again. If
// clusters were given, they may share many texts. If joining them would leave fewer than half as
// many units as there are clusters, the shared texts are taken to be stock phrases ("Yes."), and
// every cluster is a unit of its own.
std::vector<BlindText> blind_texts(const TraceScores& forget, const TraceScores& holdout,
                                   const ExampleClusters& clusters);

// A sample of about `most` texts, drawn as whole units, about half from each set if both sets are
// large enough. Before that, a unit with more than a twentieth of `most` texts is reduced to that
// number, so that many units remain. If there are no more than `most` texts, all are returned
// unchanged.
std::vector<BlindText> sample_blind_texts(std::vector<BlindText> texts, int64_t most,
                                          const Random& random);

// The number of units that have texts of each set. A unit with texts of both sets counts for both.
struct BlindUnitCounts {
  int64_t forget = 0;
  int64_t holdout = 0;
};
BlindUnitCounts count_units(const std::vector<BlindText>& texts);

// The fold of each text, from 0 to folds - 1: the units of each kind (in the forget set only, in
// the holdout set only, in both) are put in random order and assigned to the folds in turn.
std::vector<size_t> assign_folds(const std::vector<BlindText>& texts, size_t folds,
                                 const Random& random);

// Draws random permutations of the labels. A group lists bundles of texts. All texts of a bundle
// have the same label, and the labels of the bundles are permuted within their group.
class BlindPermutation {
 public:
  BlindPermutation(const std::vector<BlindText>& texts, const std::vector<size_t>& fold_of);

  // One random draw: for each text, whether it is labelled as a forget text.
  std::vector<bool> draw(Random random) const;

 private:
  using Texts = std::vector<size_t>;
  std::vector<bool> is_forget_;
  std::vector<std::vector<Texts>> groups_;
};

}  // namespace palimpsest::attack
