// Runs models over examples, each pair of model and example once, and produces trace files or the
// same traces in memory. After a crash the same call resumes where it stopped and gives the same
// bytes as an uninterrupted run.
//
// A trace file's first line holds a fingerprint of everything that decides its numbers. An existing
// file with the right fingerprint is used instead of running the model, so journals can be removed
// once the files are written. For example, if only the group columns of the examples change, the
// files are rewritten without running the model.
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
#include "palimpsest/tokenizer/tokenizer.h"
#include "palimpsest/trace/trace_source.h"

namespace palimpsest::run {

struct TraceRunOptions {
  RunOptions run;
  model::ModelOptions model = {};
};

// A model to run.
struct TracedModel {
  std::string name;  // as the user calls it; goes into the trace files
  std::filesystem::path folder;
};

// Examples to run it over.
struct TraceTask {
  std::string dataset;  // goes into the trace file
  const std::vector<data::Example>* examples = nullptr;
  std::filesystem::path out = {};  // the trace file; not read by trace_in_memory()
};

struct TracedInMemory {
  std::vector<trace::TraceSet> sets;  // one per task
  TraceCounts counts;
};

class TraceRun {
 public:
  TraceRun(model::ModelLoader& loader, TraceRunOptions options);

  // Writes the trace file of every task. The model is loaded if something is left to compute, once
  // for all tasks, and dropped before the files are written. `tokenizer` decodes the labelled text.
  TraceCounts trace(const TracedModel& model, const std::vector<TraceTask>& tasks,
                    const TraceOptions& options, const tokenizer::Tokenizer& tokenizer);

  // Returns the traces that these files would hold. Only the journal is written, if there is a
  // folder for it.
  TracedInMemory trace_in_memory(const TracedModel& model, const std::vector<TraceTask>& tasks,
                                 const TraceOptions& options,
                                 const tokenizer::Tokenizer& tokenizer);

 private:
  model::ModelLoader& loader_;
  TraceRunOptions options_;
};

}  // namespace palimpsest::run
