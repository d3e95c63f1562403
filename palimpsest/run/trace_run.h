// Running models over examples, each (model, example) once: from what is asked for to trace files.
// The same call after a crash goes on where it stopped and gives the same bytes as if nothing had
// happened.
//
// A trace file's first line holds a fingerprint of everything that decides its numbers. Files that
// are there and have the right one serve in place of the model, so that journals need not outlive
// the files: the same examples with other group columns, say, cost a rewrite and no run.
//
//   TraceRun run(loader, {.run = {.folder = journal_folder("out")}});
//   run.trace({.name = "model", .folder = "checkpoint"}, tasks, {}, tokenizer);
//   remove_journals("out");
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "palimpsest/data/example.h"
#include "palimpsest/model/model_loader.h"
#include "palimpsest/run/score_run.h"
#include "palimpsest/text/tokenizer.h"

namespace palimpsest {

struct TraceRunOptions {
  RunOptions run;
  ModelOptions model = {};
};

// A model to run.
struct TracedModel {
  std::string name;  // as the user calls it; goes into the trace files
  std::filesystem::path folder;
};

// Examples to run it over.
struct TraceTask {
  std::string dataset;  // goes into the trace file
  const std::vector<Example>* examples = nullptr;
  std::filesystem::path out;  // the trace file
};

class TraceRun {
 public:
  TraceRun(ModelLoader& loader, TraceRunOptions options);

  // Writes the trace file of every task. The model is loaded if something is left to compute, once
  // for all tasks, and dropped before the files are written. `tokenizer` decodes the labelled text.
  TraceCounts trace(const TracedModel& model, const std::vector<TraceTask>& tasks,
                    const TraceOptions& options, const Tokenizer& tokenizer);

 private:
  ModelLoader& loader_;
  TraceRunOptions options_;
};

}  // namespace palimpsest
