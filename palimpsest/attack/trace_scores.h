// Scores traces from a file or from memory with several attacks. A file is read once: every trace
// is scored by all attacks and then dropped. The traces of a reference model, if given, are read at
// the same time.
//
// The memory grows with the number of examples and attacks, not with the number of tokens. There is
// one exception: reference traces in a different order from the traces are kept until their turn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

#include "palimpsest/attack/attack.h"
#include "palimpsest/attack/example_facts.h"
#include "palimpsest/base/progress.h"
#include "palimpsest/trace/trace_source.h"

namespace palimpsest::attack {

struct ExampleId {
  std::string index;
  int64_t alternative = 0;

  // The key of the example's score in files: the index, or "index/alternative" if the alternative
  // is not the first.
  std::string key() const;
};

struct TraceScores {
  trace::TraceHeader header;
  std::vector<ExampleId> examples;
  std::vector<ExampleFacts> facts;  // one per example
  DroppedTotals dropped;            // of the facts whose content was dropped
  trace::TraceInput input;          // what was scored; dropped texts are read from it again
  // One column per attack with one score per example. A score is undefined for some examples, for
  // instance those without a labelled token (docs/definitions.md lists the cases).
  std::vector<std::vector<std::optional<double>>> columns;
  // One text per attack. It says what the first unsuitable trace lacks ("forget.jsonl:3: 'text' is
  // missing"); the attack's column is then incomplete. Empty if no trace lacks anything.
  std::vector<std::string> lacking;
  // How often each token is the model's most likely one, over the labelled positions t >= 1 of all
  // traces that have 'argmax'. It is counted while reading, because keeping the ids of every
  // example would take more memory.
  std::unordered_map<int64_t, int64_t> argmax_counts;
  std::string reference_model;  // the name in the reference file; may be empty
  // avg_loss() of each example under the reference model. Empty if there are no reference traces.
  std::vector<std::optional<double>> reference_loss;
  std::vector<std::string> notes;  // remarks about the files, for readers of the report
};

inline constexpr int64_t kKeptBytes = 64'000'000;

struct TraceScoreOptions {
  // Traces of a reference model on the same examples, in any order; further examples are allowed.
  // If absent, the attacks that need them are listed in `lacking`.
  trace::TraceInput reference = {};
  // If texts and labels of all examples take more bytes than this, they are dropped
  // (example_facts.h). Results are the same, except that subgroups by tokens (Subgroup) are
  // estimated.
  int64_t kept_bytes = kKeptBytes;
  int threads = 0;  // 0: one per core; the scores do not depend on it
  ProgressDisplay* display = nullptr;
  std::stop_token stop = {};  // checked before every block of traces; throws Stopped
};

// The texts of some examples of a set. Those that were dropped are read again.
class ExampleTexts {
 public:
  // Throws Error if the input was changed after it was scored. The set must outlive this object.
  ExampleTexts(const TraceScores& set, std::span<const size_t> examples);
  // `example` must be one of the examples that the constructor got. Returns null if it has no text.
  const std::string* of(size_t example) const;

 private:
  const TraceScores& set_;
  std::unordered_map<size_t, std::string> read_;
};

// Throws Error if a file is not a valid trace file, if there is no trace, if the reference traces
// lack an example or have different tokens for it, or if a score is not finite. Attacks without
// `any_thread` are called only from the calling thread, one trace at a time.
TraceScores score_traces(const trace::TraceInput& traces, const AttackTable& attacks,
                         const TraceScoreOptions& options);

}  // namespace palimpsest::attack
