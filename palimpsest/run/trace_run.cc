#include "palimpsest/run/trace_run.h"

#include <optional>
#include <system_error>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/hash.h"
#include "palimpsest/run/lazy_model.h"
#include "palimpsest/trace/trace_writer.h"

namespace palimpsest {
namespace {

// Of everything that decides the numbers of a trace file.
std::string file_fingerprint(LazyModel& model, const std::vector<Example>& examples,
                             const TraceOptions& options) {
  Fingerprint fingerprint;
  fingerprint.add("trace file 1").add(model.fingerprint()).add(options.masked_token.value_or(-1));
  for (const NormOrder order : options.gradient_norms) fingerprint.add(order_name(order));
  for (const Example& example : examples) {
    fingerprint.add_all(example.ids).add_all(example.labels);
  }
  return fingerprint.hex();
}

SequenceScores scores_of(Trace trace, const TraceOptions& options) {
  SequenceScores scores{.logprob = std::move(trace.logprob).value_or(std::vector<double>{}),
                        .mean = std::move(trace.mean).value_or(std::vector<double>{}),
                        .var = std::move(trace.var).value_or(std::vector<double>{}),
                        .argmax = std::move(trace.argmax).value_or(std::vector<int64_t>{}),
                        .gradient_norms = {}};
  for (const NormOrder order : options.gradient_norms) {
    const auto found = trace.grad_norm.find(order_name(order));
    if (found != trace.grad_norm.end()) scores.gradient_norms.push_back(found->second);
  }
  return scores;
}

// What an earlier run left in the file, if it is about the same numbers.
std::optional<std::vector<SequenceScores>> scores_in_file(const std::filesystem::path& file,
                                                          const std::string& fingerprint,
                                                          const TraceOptions& options) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return std::nullopt;
  try {
    TraceReader reader(file);
    if (reader.header().fingerprint != fingerprint) return std::nullopt;
    std::vector<SequenceScores> scores;
    for (Trace trace; reader.next(trace);) scores.push_back(scores_of(std::move(trace), options));
    return scores;
  } catch (const Error&) {
    return std::nullopt;  // somebody else's file of that name: it is replaced, as ever
  }
}

// Every example's scores, task by task; nothing unless the files hold all of them.
std::optional<ScoredLists> scores_in_files(const std::vector<TraceTask>& tasks,
                                           const std::vector<std::string>& fingerprints,
                                           const TraceOptions& options) {
  ScoredLists scored;
  for (size_t t = 0; t < tasks.size(); ++t) {
    auto found = scores_in_file(tasks[t].out, fingerprints[t], options);
    if (!found || found->size() != tasks[t].examples->size()) return std::nullopt;
    std::vector<size_t>& places = scored.places.emplace_back();
    for (SequenceScores& one : *found) {
      places.push_back(scored.sequences.size());
      scored.sequences.push_back(std::move(one));
    }
  }
  return scored;
}

}  // namespace

TraceRun::TraceRun(ModelLoader& loader, TraceRunOptions options)
    : loader_(loader), options_(std::move(options)) {}

TraceCounts TraceRun::trace(const TracedModel& model, const std::vector<TraceTask>& tasks,
                            const TraceOptions& options, const Tokenizer& tokenizer) {
  loader_.check(options_.model, !options.gradient_norms.empty());
  LazyModel lazy(loader_, model.name, model.folder, options_.model);
  std::vector<ExampleList> lists;
  std::vector<std::string> fingerprints;
  for (const TraceTask& task : tasks) {
    lists.push_back(list_of(task.dataset, *task.examples));
    fingerprints.push_back(file_fingerprint(lazy, *task.examples, options));
  }
  std::optional<ScoredLists> scored = scores_in_files(tasks, fingerprints, options);
  if (scored) {
    scored->counts = counts_of(plan_traces(lists, options_.run.batch_tokens));
    scored->counts.resumed = scored->counts.sequences;
  } else {
    scored = score_lists(lazy, lists, options, options_.run);
  }
  lazy.drop();
  scored->counts.model_fingerprint = lazy.fingerprint();
  for (size_t t = 0; t < tasks.size(); ++t) {
    TraceWriter writer(
        tasks[t].out,
        {.model = model.name, .dataset = tasks[t].dataset, .fingerprint = fingerprints[t]});
    for (size_t i = 0; i < tasks[t].examples->size(); ++i) {
      writer.write(to_trace((*tasks[t].examples)[i], scored->of(t, i), options, tokenizer));
    }
    writer.commit();
  }
  return scored->counts;
}

}  // namespace palimpsest
