// What makes an audit worthless whatever its attacks say: sets that the texts alone tell apart, sets
// that share texts, a model that answers nothing any more, examples that belong together although
// nobody said so, a reference model that knows the forget set itself. Gathered here, judged by
// answer.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "palimpsest/attack/mia/answer.h"
#include "palimpsest/attack/mia/blind_baseline.h"
#include "palimpsest/attack/mia/example_clusters.h"
#include "palimpsest/attack/mia/overlap.h"
#include "palimpsest/attack/trace_scores.h"

namespace palimpsest {

struct SoundnessOptions {
  double margin = 0.05;
  bool blind_baseline = true;
  bool allow_overlap = false;
  uint64_t seed = 0;
  int threads = 0;
};

struct Soundness {
  std::optional<BlindBaseline> blind;
  Overlap overlap;
  std::vector<AnswerReason> voids;
  std::vector<std::string> notes;
};

// Throws Error where all texts of a set stand in the other one, too: such sets cannot be audited.
Soundness check_soundness(const TraceScores& forget, const TraceScores& holdout,
                          const ExampleClusters& clusters, const SoundnessOptions& options);

// Throws that Error: for callers who know before anything is run.
[[noreturn]] void refuse_equal_sets();

// A reference model that itself tells the forget set from the holdout set has most likely seen it.
// Then a score against it falls with forgetting, and verdicts would be turned upside down. The reason
// says so, with the reference's own AUC; nullopt where the reference is fair, or there is none.
std::optional<std::string> recognising_reference(const TraceScores& forget,
                                                 const TraceScores& holdout,
                                                 const ExampleClusters& clusters, double margin);

}  // namespace palimpsest
