// From a trace file to a column of scores an attack: the file is read once, every trace is scored
// by all attacks and forgotten again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
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
  std::vector<size_t> text_hashes;  // of the traces that have a text
  // One column an attack, one score an example; undefined where there is no labelled token.
  std::vector<std::vector<std::optional<double>>> columns;
  // For each attack: what the first unsuitable trace lacks ("forget.jsonl:3: 'text' is missing"),
  // else empty. A column that lacks something is not complete.
  std::vector<std::string> lacking;
};

// Throws Error if the file is no valid trace file or holds no trace.
TraceScores score_traces(const std::filesystem::path& path, const AttackTable& attacks,
                         const AttackOptions& options, ProgressDisplay* display = nullptr);

}  // namespace palimpsest
