// Nobody said which examples belong together: does it look as if some do? Intervals that take
// twenty questions about one author for twenty independent examples are far too short, so an audit
// that shows signs of such a structure must not be answered before the user has spoken.
//
// Three signs, each a permutation test within the sets (score_dependence.h, shared_words.h):
//
//   column         the groups of a column of the traces score alike. Only columns that every
//                  example has, none of whose values stands in both sets, with two examples per
//                  group on average and two groups in some set
//   shared_words   neighbours in a file share words that hardly any other text has, at least
//                  kLeastExcessSharing of them beyond chance
//   order          neighbours in a file score alike
//
// Together they raise a false suspicion with probability kDependenceLevel at most: it is divided
// evenly among the signs that can be looked for, and the column's part among the columns. Rare
// words whose sharers score alike, wherever they stand, are no sign: that fires on every shuffled
// file of TOFU.
//
// The level keeps what is asked for, at most 5% of independent or shuffled sets, by construction:
// each test is exact for examples that can be exchanged. It is 3% and not 5% by choice, made after
// a first look at simulations: an exact detector at 5% would be seen above 5% in every second
// simulation.
//
// A shuffled file hides dependence from all signs but the column; a file that is sorted by
// something that moves the scores looks dependent. So a suspicion is a question to the user and
// silence is no proof. Only the first kMostUnits examples of a set are looked at.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "palimpsest/attack/mia/family.h"
#include "palimpsest/attack/trace_scores.h"

namespace palimpsest {

inline constexpr double kDependenceLevel = 0.03;
inline constexpr double kLeastExcessSharing = 0.1;
inline constexpr int64_t kMostUnits = 4000;

struct DependenceOptions {
  int64_t permutations = 999;
  uint64_t seed = 0;
  int threads = 0;         // 0: one per core; the result does not depend on it
  bool name_words = true;  // false: the evidence quotes no word of the texts
};

struct Dependence {
  bool suspected = false;
  // The strongest hint at what to do among those found: "column", "shared_words" or "order".
  std::string kind;
  std::string evidence;  // what was found, with numbers, one sentence per sign
  // What to say then: "--cluster-key author", "--cluster-size 20" where the size of blocks could be
  // guessed, else "--cluster-size N".
  std::string option;
  int64_t cluster_size = 0;  // the guess; 0 without one
};

// The examples of both sets in file order; `attacks` with one score per example. Alternatives of
// one example count as one. Facts may be empty: then only the order of scores is looked at.
Dependence detect_dependence(const TraceScores& forget, const TraceScores& holdout,
                             std::span<const FamilyMember> attacks,
                             const DependenceOptions& options = {});

}  // namespace palimpsest
