// The passes of an evaluation. In a pass, a model runs over all data for which some metric needs
// it, and computes either traces (trace/trace.h) or generated texts. The needs of all metrics are
// collected, duplicates are removed, and each trace or text is computed once.
//
// An example is scored once per model, even if ten metrics use it. Answers to the same question
// share the computation of the prompt.
//
// The trace of an example holds the most likely token at each position. So it already shows how the
// greedy output begins, and a generation can start after that beginning. This is done only if it is
// certain to give the same text. For that, the prompt's ids must be a prefix of the example's ids,
// no token may be masked, repetition must not be penalised, and the rotary frequencies must be the
// same for the lengths of the prompt and of the whole example. In all other cases the ground truth
// serves as a draft (Prompt::draft), which only makes decoding faster. A shard (WorkOptions::shard)
// always uses the draft, because it does not have all traces. It computes its share of every pass,
// and neither has() nor fill() may be called for it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "palimpsest/eval/evaluate.h"
#include "palimpsest/eval/handler.h"
#include "palimpsest/eval/internal/metric_graph.h"
#include "palimpsest/eval/run_record.h"
#include "palimpsest/run/internal/generate_run.h"
#include "palimpsest/run/internal/lazy_model.h"
#include "palimpsest/run/internal/plan.h"
#include "palimpsest/tokenizer/tokenizer.h"
#include "palimpsest/trace/trace_source.h"

namespace palimpsest::eval {

// Prepared data sets, keyed by DatasetPlan::key.
using DataStore = std::map<std::string, PreparedData>;

// Must be used by one thread at a time.
class Passes {
 public:
  struct Options {
    run::RunOptions run;
    uint64_t seed = 0;
  };

  // `graph` must hold every metric of the evaluator, including those that need no pass any more,
  // because the names of the trace files depend on all of them. `data` and `tokenizer` must outlive
  // this object.
  Passes(const DataStore& data, const tokenizer::Tokenizer& tokenizer, const MetricGraph& graph,
         Options options);

  // Adds the traces and generations that the metric needs to those that will be computed.
  void request(const MetricNode& node);

  // The reference models that the metrics passed to request() compare with.
  const std::set<std::string>& reference_models() const { return reference_models_; }

  // Computes the traces under the evaluated model, or under the reference model that `reference`
  // names. run_generations() must be called after run_traces().
  void run_traces(run::LazyModel& model, const std::string& reference = "");
  void run_generations(run::LazyModel& model);

  // Whether all traces and generations that the metric needs are available.
  bool has(const MetricNode& node) const;
  // Adds the metric's traces and generations to its input. has() must be true.
  void fill(const MetricNode& node, MetricInput& input) const;

  const std::vector<PassRecord>& records() const { return records_; }
  // Facts about the evaluated model from the files in which shards keep their results, called parts
  // (run/internal/parts.h). Absent if there are no parts. A run that finds all results in the parts
  // need not load the model.
  const std::optional<run::ModelFacts>& model_of_parts() const { return model_; }
  // Remarks for readers of results that are computed from these traces. They do not depend on
  // which run computed the traces.
  std::vector<std::string> notes() const;
  // The name of the file with the traces of a data set for this metric.
  std::string trace_file(const MetricNode& node, const DatasetPlan& spec) const;
  // The traces of the evaluated model, keyed by file name.
  std::map<std::string, trace::TraceInput> traces_by_file() const;
  // Writes the traces of the evaluated model, one file per data set. A file is named after its data
  // set. If several data sets have the same name, a description is added to it.
  void write_traces(const std::filesystem::path& folder, const std::string& model) const;

 private:
  // Traces, keyed by what determines them: an example's ids and labels.
  using TracesBySequence = std::map<const data::Example*, const trace::Trace*, run::SequenceLess>;
  struct TraceKey {
    std::string model;  // "": the evaluated model, else the reference model's name
    std::string data;
    bool masked = false;
    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy misreads generated comparisons
    auto operator<=>(const TraceKey&) const = default;
  };
  struct GenerationKey {
    std::string settings;  // mask and arguments as text
    std::string data;
    bool from_prompt = true;  // predict_with_generate
    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy misreads generated comparisons
    auto operator<=>(const GenerationKey&) const = default;
  };
  struct GenerationNeed {
    GenerationArgs args;
    bool masked = false;
  };

  run::RunOptions next_pass();
  void note_model(const std::string& reference, const run::Properties& of_parts);
  static TraceKey trace_key(const MetricNode& node, const DatasetPlan& spec, bool reference);
  static GenerationKey generation_key(const MetricNode& node, const DatasetPlan& spec);
  void name_trace_files(const MetricGraph& graph);
  std::optional<int64_t> masked_token(bool masked) const;
  TracesBySequence earlier_traces(const TraceKey& like) const;
  void run_trace_group(run::LazyModel& model, const std::vector<TraceKey>& keys);
  static std::vector<trace::Trace> in_order(const std::vector<data::Example>& examples,
                                            const TracesBySequence& there,
                                            std::vector<trace::Trace> fresh);
  void run_generation_group(run::LazyModel& model, const std::vector<GenerationKey>& keys);
  run::GenerationRequest request_for(const GenerationKey& key, bool masked, size_t example) const;
  GeneratedText text_of(const GenerationKey& key, const GenerationNeed& need, size_t example,
                        const model::Generation& generation) const;
  std::optional<std::string> masked_note(const std::vector<TraceKey>& keys) const;
  // `scored` holds the keys of the data sets that the note is about.
  std::optional<std::string> lost_beginnings_note(const std::set<std::string>& scored) const;

  const DataStore& data_;
  const tokenizer::Tokenizer& tokenizer_;
  Options options_;
  std::map<TraceKey, std::string> trace_files_;  // names without extension
  // The traces to compute, each with the gradient norms that are needed.
  std::map<TraceKey, std::set<model::NormOrder>> trace_needs_;
  std::map<GenerationKey, GenerationNeed> generation_needs_;
  std::set<std::string> reference_models_;
  std::map<TraceKey, std::shared_ptr<const trace::TraceSet>> traces_;
  std::map<GenerationKey, std::vector<GeneratedText>> generations_;
  std::vector<PassRecord> records_;
  int64_t passes_ = 0;  // that were begun
  std::optional<run::ModelFacts> model_;
};

}  // namespace palimpsest::eval
