// The texts that the blind baseline works on, and which of them belong together. Three levels:
//
//   block     the alternatives of one example; always of one set
//   cluster   what the user's key or size puts together; may be in both sets
//   unit      clusters that share a text: a classifier that has seen a text's twin recognises it
//
// Units are never split between folds. Permuting follows the levels: within a fold the labels of the
// units that are in one set only are permuted; inside a unit that is in both sets those of its
// clusters that are in one set only; inside a cluster that is in both sets those of its blocks. Folds
// are dealt at random, each kind of unit by itself and whatever their sizes, so that every such
// permutation was as likely as the labels that were seen if units are exchangeable: the test is exact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/attack/mia/example_clusters.h"
#include "palimpsest/attack/trace_scores.h"
#include "palimpsest/base/random.h"

namespace palimpsest {

struct BlindText {
  bool is_forget = false;
  size_t example = 0;  // its number in its set
  const std::string* text = nullptr;
  // Names of what it belongs to; any numbers.
  size_t block = 0;
  size_t cluster = 0;
  size_t unit = 0;
};

// Of every example that has a text, the forget set first. Where the clusters were given and share so
// many texts that joining them leaves fewer than half as many units, the shared texts are set phrases
// ("Yes.") and every cluster is a unit. Refers to the texts of the two sets.
std::vector<BlindText> blind_texts(const TraceScores& forget, const TraceScores& holdout,
                                   const ExampleClusters& clusters);

// About `most` texts in all, drawn as whole units, about half of each set where both have so many.
// First, a unit with more than a twentieth of `most` is thinned to that, so that many units remain.
// The texts as they are where there are no more than that.
std::vector<BlindText> sample_blind_texts(std::vector<BlindText> texts, int64_t most,
                                          const Random& random);

// How many units have texts of each set; one in both counts for both.
struct BlindUnitCounts {
  int64_t forget = 0;
  int64_t holdout = 0;
};
BlindUnitCounts count_units(const std::vector<BlindText>& texts);

// The fold of each text, from 0 to folds - 1: each kind of unit (in the forget set only, in the
// holdout set only, in both) is dealt in random order, one fold after the other.
std::vector<size_t> deal_folds(const std::vector<BlindText>& texts, size_t folds,
                               const Random& random);

// Labels that may be permuted: each group is a list of sets of texts that share a label.
class BlindPermutation {
 public:
  BlindPermutation(const std::vector<BlindText>& texts, const std::vector<size_t>& fold_of);

  // Is each text of the forget set? One draw.
  std::vector<bool> draw(Random random) const;

 private:
  using Texts = std::vector<size_t>;
  std::vector<bool> is_forget_;
  std::vector<std::vector<Texts>> groups_;
};

}  // namespace palimpsest
