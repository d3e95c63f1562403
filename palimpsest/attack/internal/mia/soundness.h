// Checks for conditions that make an audit worthless, whatever its attacks say: sets that can be
// distinguished by their texts alone, sets that share texts, a model that no longer answers
// anything, and a reference model that itself knows the forget set. (dependence.h finds examples
// that belong together although the user did not say so.) This header collects the findings;
// answer.h draws the conclusion.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "palimpsest/attack/internal/mia/blind_baseline.h"
#include "palimpsest/attack/mia/answer.h"
#include "palimpsest/attack/mia/example_clusters.h"
#include "palimpsest/attack/mia/score_columns.h"
#include "palimpsest/attack/trace_scores.h"
#include "palimpsest/stat/interval.h"

namespace palimpsest::attack {

struct SoundnessOptions {
  double margin = 0.05;
  bool blind_baseline = true;
  bool allow_overlap = false;
  bool quotes_words = true;  // whether what tells the sets apart is named by words of the texts
  uint64_t seed = 0;
  int threads = 0;
  std::stop_token stop = {};  // once it requests a stop, the checks throw Stopped
};

struct Soundness {
  std::optional<BlindBaseline> blind;
  Overlap overlap;
  // The reasons that make the audit void.
  std::vector<AnswerReason> void_reasons;
  std::vector<std::string> notes;
};

// Throws Error if all texts of one set also occur in the other set. Such sets cannot be audited.
Soundness check_soundness(const TraceScores& forget, const TraceScores& holdout,
                          const ExampleClusters& clusters, const SoundnessOptions& options);

// Throws the Error described above. It is for callers that find equal sets before anything is run.
[[noreturn]] void refuse_equal_sets();

// A reference model that itself distinguishes the forget set from the holdout set has most likely
// seen the forget set. The AUC of a comparison with such a model falls as the audited model
// forgets. So an AUC below ½ shows only that something was forgotten, and a verdict drawn from it
// would be misleading.
struct RecognisingReference {
  double auc = 0;  // of the reference model's own loss
  stat::Interval interval;
};
// nullopt if these losses do not distinguish the sets.
std::optional<RecognisingReference> recognising_reference(const ScoreColumns& reference_losses,
                                                          const ExampleClusters& clusters,
                                                          double margin);
// A sentence that says so. nullopt if the reference model does not recognise the forget set, or if
// there is no such model.
std::optional<std::string> recognising_reference(const TraceScores& forget,
                                                 const TraceScores& holdout,
                                                 const ExampleClusters& clusters, double margin);

}  // namespace palimpsest::attack
