// From a trace file to a column of scores an attack: the file is read once, every trace is scored
// by all attacks and forgotten again. A reference model's trace file, if there is one, is read
// beside it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "palimpsest/attack/attack.h"
#include "palimpsest/attack/example_facts.h"
#include "palimpsest/base/progress.h"
#include "palimpsest/trace/trace_file.h"

namespace palimpsest {

struct ExampleId {
  std::string index;
  int64_t alternative = 0;

  // The key of a score in files: the index, and "index/alternative" for a further answer.
  std::string key() const;
};

struct TraceScores {
  TraceHeader header;
  std::vector<ExampleId> examples;
  std::vector<ExampleFacts> facts;  // one an example
  // One column an attack, one score an example; undefined where there is no labelled token.
  std::vector<std::vector<std::optional<double>>> columns;
  // For each attack: what the first unsuitable trace lacks ("forget.jsonl:3: 'text' is missing"),
  // else empty. A column that lacks something is not complete.
  std::vector<std::string> lacking;
  // How often each token is the model's own choice, over the labelled positions t >= 1 of all traces
  // that have 'argmax'. Counted here because keeping the ids of every example would cost more.
  std::unordered_map<int64_t, int64_t> argmax_counts;
  std::string reference_model;  // as the reference file names it; may be empty
  // The reference model's own avg_loss per example; empty where there are no reference traces.
  std::vector<std::optional<double>> reference_loss;
  std::vector<std::string> notes;  // what a reader has to know about the files
};

struct TraceScoreOptions {
  // Trace file of a reference model on the same examples, in any order; it may hold more of them.
  // Empty: none, and the attacks that need one lack it.
  std::filesystem::path reference = {};
  int threads = 0;  // 0: one for each core; the scores do not depend on it
  ProgressDisplay* display = nullptr;
};

// Throws Error if a file is no valid trace file or holds no trace, if the reference file lacks an
// example or has it with other tokens, or if a score is not finite.
TraceScores score_traces(const std::filesystem::path& path, const AttackTable& attacks,
                         const TraceScoreOptions& options);

}  // namespace palimpsest
