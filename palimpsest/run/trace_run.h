// Running models over examples, each (model, example) once: from what is asked for to trace files.
// Finished batches go to a journal in the run's folder; the same call after a crash goes on where
// it stopped and gives the same bytes as if nothing had happened.
//
//   TraceRun run(loader, {.folder = "out", .display = display});
//   run.trace({.name = "model", .folder = "checkpoint"}, tasks);
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "palimpsest/base/progress.h"
#include "palimpsest/data/example.h"
#include "palimpsest/model/model_loader.h"
#include "palimpsest/run/score_run.h"
#include "palimpsest/text/tokenizer.h"

namespace palimpsest {

struct TraceRunOptions {
  std::filesystem::path folder;  // of the journals; made when there is one
  ModelOptions model;
  ProgressDisplay* display = nullptr;
  int64_t batch_tokens = 16384;  // of a planned batch: what a crash may cost
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
