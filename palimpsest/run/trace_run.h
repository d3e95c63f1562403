// Runs models over examples and produces traces, as files or in memory. Each pair of model and
// example runs once. After a crash, the same call resumes where it stopped and gives the same bytes
// as an uninterrupted run.
//
// The first line of a trace file holds a fingerprint: a hash of everything that determines the
// numbers. If a file with the right fingerprint exists, it is used instead of running the model. So
// journals can be removed once the files are written. If only the groups of the examples changed
// (Trace::groups), the files are rewritten without running the model.
//
//   TraceRun run(loader, {.run = {.folder = journal_folder("out")}});
//   run.trace({.name = "model", .folder = "checkpoint"}, tasks, {}, tokenizer);
//   remove_journals("out");
//
// With WorkOptions::shard, only the shard's batches are computed, into a part of its own
// (internal/parts.h), and no file is written. When all shards are done, the same call without the
// shard writes the files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/data/example.h"
#include "palimpsest/model/language_model.h"
#include "palimpsest/model/model_loader.h"
#include "palimpsest/run/work.h"
#include "palimpsest/tokenizer/tokenizer.h"
#include "palimpsest/trace/trace_source.h"

namespace palimpsest::run {

struct TraceOptions {
  std::optional<int64_t> masked_token = std::nullopt;  // hidden from attention at every position
  std::vector<model::NormOrder> gradient_norms = {};
};

// The amount of work that a run has to do, or has done.
struct TraceCounts {
  int64_t examples = 0;
  int64_t sequences = 0;  // number of distinct sequences
  int64_t tokens = 0;
  int64_t resumed = 0;                 // sequences that were already in the journal
  std::string model_fingerprint = {};  // a hash of the files, device and type
  // Facts about the model that a shard recorded in its part: device, number type and number of
  // parameters. Empty if the run reads no parts.
  Properties model = {};
};

// The names of norm orders in traces: "1", "2" and "inf". find_order() returns nullopt for other
// names.
std::string order_name(model::NormOrder order);
std::optional<model::NormOrder> find_order(std::string_view name);

struct TraceRunOptions {
  RunOptions run;
  model::ModelOptions model = {};
};

struct TracedModel {
  std::string name;  // the user's name for the model; appears in the trace files
  std::filesystem::path folder;
};

// A data set to run the model over. The examples must outlive the task.
struct TraceTask {
  std::string dataset;  // name of the data set; appears in the trace file
  const std::vector<data::Example>* examples = nullptr;
  std::filesystem::path out = {};  // the trace file; ignored by trace_in_memory()
};

struct TracedInMemory {
  std::vector<trace::TraceSet> sets;  // one per task
  TraceCounts counts;
};

// Must be used by one thread at a time. The loader must outlive it. Both functions throw Error for
// a model or data that cannot be used, for a part that was made with another program, model, data
// or options, and if another run is writing to the journal. They throw Stopped if a stop was
// requested, and SystemError if a file cannot be written.
class TraceRun {
 public:
  TraceRun(model::ModelLoader& loader, TraceRunOptions options);

  // Writes the trace file of every task. If something is left to compute, the model is loaded, once
  // for all tasks, and unloaded before the files are written. `tokenizer` decodes the labelled
  // text.
  TraceCounts trace(const TracedModel& model, const std::vector<TraceTask>& tasks,
                    const TraceOptions& options, const tokenizer::Tokenizer& tokenizer);

  // Returns the traces that the files would hold. Nothing is written except the journal, and that
  // only if there is a folder for it.
  TracedInMemory trace_in_memory(const TracedModel& model, const std::vector<TraceTask>& tasks,
                                 const TraceOptions& options,
                                 const tokenizer::Tokenizer& tokenizer);

 private:
  RunOptions next_pass();

  model::ModelLoader& loader_;
  TraceRunOptions options_;
  int64_t passes_ = 0;  // calls so far
};

}  // namespace palimpsest::run
