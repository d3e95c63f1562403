// Looks for signs that some examples belong together although the user did not say so. Intervals
// that treat twenty questions about one author as twenty independent examples are far too short. So
// an audit that shows such signs gives no answer until the user has said which examples belong
// together.
//
// There are three signs, each a permutation test within the sets (score_dependence.h,
// shared_words.h):
//
//   column         examples with the same value in a column have similar scores. A column is a key
//                  of Trace::groups. It is tested only if every example has it, no value occurs in
//                  both sets, there are at least two examples per value on average, and some set
//                  has at least two values
//   shared_words   neighbours in a file share words that hardly any other text has. In random
//                  order, a share e of the neighbours would do so. Their actual share must be at
//                  least e + kLeastExcessSharing·(1 - e)
//   order          neighbours in a file have similar scores
//
// Together they raise a false suspicion with probability at most kDependenceLevel. This level is
// divided evenly among the signs that can be tested, and the part of the column sign is divided
// among the columns. Examples that share rare words and have similar scores, but are not neighbours
// in the file, are not a sign. Otherwise every shuffled file of TOFU would be suspected.
//
// The requirement is that at most 5% of independent or shuffled sets are suspected. The detector
// meets it by construction, because each test is exact for exchangeable examples. The level was set
// to 3% instead of 5% after a first look at simulations. A detector that is exact at 5% exceeds 5%
// in every second simulation by chance alone.
//
// In a shuffled file only the column sign can find dependence. A file that is sorted by something
// that affects the scores looks dependent even if it is not. So a suspicion is a question to the
// user, and the absence of one proves nothing. Only the first kMaxUnits examples of each set are
// examined, and for shared words only the first kMaxSharedTexts texts (shared_words.h).
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>

#include "palimpsest/attack/internal/mia/family.h"
#include "palimpsest/attack/trace_scores.h"

namespace palimpsest::attack {

inline constexpr double kDependenceLevel = 0.03;
inline constexpr double kLeastExcessSharing = 0.1;
inline constexpr int64_t kMaxUnits = 4000;

struct DependenceOptions {
  int64_t permutations = 999;
  uint64_t seed = 0;
  int threads = 0;            // 0: one per core; the result does not depend on it
  std::stop_token stop = {};  // once it requests a stop, the search throws Stopped
  bool quotes_words = true;   // false: the evidence quotes no word of the texts
};

struct Dependence {
  bool suspected = false;
  // Of the signs that were found, the one that is most useful to the user: "column", "shared_words"
  // or "order".
  std::string kind;
  std::string evidence;  // one sentence per sign that was found, with numbers
  // The command-line option that the user should set: "--cluster-key author", "--cluster-size 20"
  // if the block size could be guessed, otherwise "--cluster-size N".
  std::string option;
  int64_t cluster_size = 0;  // the guessed block size; 0: none could be guessed
};

// The examples of both sets must be in file order, and each of `attacks` must have one score per
// example. Alternatives of one example count as one example. If TraceScores::facts is empty, only
// the order of the scores is tested.
Dependence detect_dependence(const TraceScores& forget, const TraceScores& holdout,
                             std::span<const FamilyMember> attacks,
                             const DependenceOptions& options = {});

}  // namespace palimpsest::attack
