// The passes of an evaluation: the traces and generations that a list of metrics needs, gathered,
// freed of duplicates and run once each.
//
// An example is scored once per model although ten metrics look at it; answers to one question share
// its prompt; a generation starts from what the trace of the same example shows of the greedy output
// where that is the same thing (the prompt's ids begin the example's, no token is masked, nothing
// penalises repetition, rotary frequencies do not depend on the length there), and is drafted with
// the ground truth otherwise.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/eval/handler.h"
#include "palimpsest/eval/metric_graph.h"
#include "palimpsest/run/generate_run.h"
#include "palimpsest/run/lazy_model.h"
#include "palimpsest/run/plan.h"
#include "palimpsest/run/score_run.h"
#include "palimpsest/text/tokenizer.h"

namespace palimpsest::eval {

// Data sets by DatasetSpec::key.
using DataStore = std::map<std::string, PreparedData>;

// How much a pass computed, for the record.
struct PassRecord {
  std::string kind;  // "traces" or "generations"
  std::string model;
  int64_t items = 0;    // different sequences or prompts
  int64_t resumed = 0;  // that a journal had
  int64_t tokens = 0;   // run through the model
  double seconds = 0;
};

class Passes {
 public:
  struct Options {
    RunOptions run;
    uint64_t seed = 0;
  };

  // `graph` holds every metric of the evaluator, those too that need no pass any more: it decides
  // what the files of traces are called. Data and tokenizer must outlive this.
  Passes(const DataStore& data, const Tokenizer& tokenizer, const MetricGraph& graph,
         Options options);

  // Takes the metric's needs in.
  void want(const MetricNode& node);

  // The reference models that some metric compares with.
  const std::set<std::string>& reference_models() const { return reference_models_; }

  // The traces under the model itself; `reference` names another one. Then the generations.
  void run_traces(LazyModel& model, const std::string& reference = "");
  void run_generations(LazyModel& model);

  // Whether everything that the metric needs of models is there.
  bool has(const MetricNode& node) const;
  // Puts it into the input. has() must be true.
  void fill(const MetricNode& node, MetricInput& input) const;

  const std::vector<PassRecord>& records() const { return records_; }
  // What the file of a metric's traces of a data set is called.
  std::string trace_file(const MetricNode& node, const DatasetSpec& spec) const;
  // Writes the traces of the model itself, a file a data set, called as the configuration calls it
  // (and, where it gives several that name, by what they are).
  void write_traces(const std::filesystem::path& folder, const std::string& model) const;

 private:
  // Traces by what they depend on: an example's ids and labels.
  using TracesBySequence = std::map<const Example*, const Trace*, SequenceLess>;
  struct TraceKey {
    std::string model;  // "": the model itself, else the reference model's name
    std::string data;
    bool masked = false;
    auto operator<=>(const TraceKey&) const = default;
  };
  struct GenerationKey {
    std::string settings;  // mask and arguments, written out
    std::string data;
    bool from_prompt = true;  // predict_with_generate
    auto operator<=>(const GenerationKey&) const = default;
  };
  struct GenerationWish {
    GenerationArgs args;
    bool masked = false;
  };

  static TraceKey trace_key(const MetricNode& node, const DatasetSpec& spec, bool reference);
  static GenerationKey generation_key(const MetricNode& node, const DatasetSpec& spec);
  void name_trace_files(const MetricGraph& graph);
  std::optional<int64_t> masked_token(bool masked) const;
  TracesBySequence earlier_traces(const TraceKey& like) const;
  void run_trace_group(LazyModel& model, const std::vector<TraceKey>& keys);
  static std::vector<Trace> in_order(const std::vector<Example>& examples,
                                     const TracesBySequence& there, std::vector<Trace> fresh);
  void run_generation_group(LazyModel& model, const std::vector<GenerationKey>& keys);
  GenerationRequest request_for(const GenerationKey& key, bool masked, size_t example) const;
  GeneratedText text_of(const GenerationKey& key, const GenerationWish& wish, size_t example,
                        const Generation& generation) const;
  void warn_of_masked(const std::vector<TraceKey>& keys) const;

  const DataStore& data_;
  const Tokenizer& tokenizer_;
  Options options_;
  std::map<TraceKey, std::string> trace_files_;           // names without ending
  std::map<TraceKey, std::set<NormOrder>> trace_wishes_;  // and the norms that go with them
  std::map<GenerationKey, GenerationWish> generation_wishes_;
  std::set<std::string> reference_models_;
  std::map<TraceKey, std::vector<Trace>> traces_;
  std::map<GenerationKey, std::vector<GeneratedText>> generations_;
  std::vector<PassRecord> records_;
};

}  // namespace palimpsest::eval
