#include "palimpsest/run/trace_run.h"

#include <optional>
#include <system_error>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/hash.h"
#include "palimpsest/run/internal/lazy_model.h"
#include "palimpsest/run/internal/plan.h"
#include "palimpsest/run/internal/score_run.h"
#include "palimpsest/run/team.h"
#include "palimpsest/trace/trace_file.h"

namespace palimpsest::run {
namespace {

// Of everything that decides the numbers of a trace file.
std::string file_fingerprint(LazyModel& model, const std::vector<data::Example>& examples,
                             const TraceOptions& options) {
  Fingerprint fingerprint;
  fingerprint.add("trace file 1").add(model.fingerprint()).add(options.masked_token.value_or(-1));
  for (const model::NormOrder order : options.gradient_norms) fingerprint.add(order_name(order));
  for (const data::Example& example : examples) {
    fingerprint.add_all(example.ids).add_all(example.labels);
  }
  return fingerprint.hex();
}

std::vector<ExampleList> lists_of(const std::vector<TraceTask>& tasks) {
  std::vector<ExampleList> lists;
  for (const TraceTask& task : tasks)
    lists.push_back(make_example_list(task.dataset, *task.examples));
  return lists;
}

std::vector<trace::TraceHeader> headers_of(LazyModel& model, const std::vector<TraceTask>& tasks,
                                           const TraceOptions& options) {
  std::vector<trace::TraceHeader> headers;
  for (const TraceTask& task : tasks) {
    headers.push_back({.model = model.name(),
                       .dataset = task.dataset,
                       .fingerprint = file_fingerprint(model, *task.examples, options)});
  }
  return headers;
}

model::SequenceScores scores_of(trace::Trace trace, const TraceOptions& options) {
  model::SequenceScores scores{.logprob = std::move(trace.logprob).value_or(std::vector<double>{}),
                               .mean = std::move(trace.mean).value_or(std::vector<double>{}),
                               .var = std::move(trace.var).value_or(std::vector<double>{}),
                               .argmax = std::move(trace.argmax).value_or(std::vector<int64_t>{}),
                               .gradient_norms = {}};
  for (const model::NormOrder order : options.gradient_norms) {
    const auto found = trace.grad_norm.find(order_name(order));
    if (found != trace.grad_norm.end()) scores.gradient_norms.push_back(found->second);
  }
  return scores;
}

// What an earlier run left in the file, if it is about the same numbers.
std::optional<std::vector<model::SequenceScores>> scores_in_file(const std::filesystem::path& file,
                                                                 const std::string& fingerprint,
                                                                 const TraceOptions& options) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return std::nullopt;
  try {
    trace::TraceReader reader(file);
    if (reader.header().fingerprint != fingerprint) return std::nullopt;
    std::vector<model::SequenceScores> scores;
    for (trace::Trace trace; reader.next(trace);)
      scores.push_back(scores_of(std::move(trace), options));
    return scores;
  } catch (const Error&) {
    return std::nullopt;  // somebody else's file of that name: it is replaced, as ever
  }
}

// Every example's scores, task by task; nothing unless the files hold all of them.
std::optional<ScoredLists> scores_in_files(const std::vector<TraceTask>& tasks,
                                           const std::vector<trace::TraceHeader>& headers,
                                           const TraceOptions& options) {
  ScoredLists scored;
  for (size_t t = 0; t < tasks.size(); ++t) {
    auto found = scores_in_file(tasks[t].out, headers[t].fingerprint, options);
    if (!found || found->size() != tasks[t].examples->size()) return std::nullopt;
    std::vector<size_t>& indices = scored.sequence_indices.emplace_back();
    for (model::SequenceScores& one : *found) {
      indices.push_back(scored.sequences.size());
      scored.sequences.push_back(std::move(one));
    }
  }
  return scored;
}

}  // namespace

std::string order_name(model::NormOrder order) {
  switch (order) {
    case model::NormOrder::kOne:
      return "1";
    case model::NormOrder::kTwo:
      return "2";
    case model::NormOrder::kInfinity:
      return "inf";
  }
  return "";
}

std::optional<model::NormOrder> find_order(std::string_view name) {
  for (const model::NormOrder order :
       {model::NormOrder::kOne, model::NormOrder::kTwo, model::NormOrder::kInfinity}) {
    if (order_name(order) == name) return order;
  }
  return std::nullopt;
}

TraceRun::TraceRun(model::ModelLoader& loader, TraceRunOptions options)
    : loader_(loader), options_(std::move(options)) {}

// Every call is a pass, whether or not its files are there already: all shards number alike.
RunOptions TraceRun::next_pass() {
  RunOptions options = options_.run;
  options.pass = ++passes_;
  return options;
}

TraceCounts TraceRun::trace(const TracedModel& model, const std::vector<TraceTask>& tasks,
                            const TraceOptions& options, const tokenizer::Tokenizer& tokenizer) {
  loader_.check(options_.model, !options.gradient_norms.empty());
  const RunOptions run_options = next_pass();
  LazyModel lazy(loader_, model.name, model.folder, options_.model);
  const std::vector<ExampleList> lists = lists_of(tasks);
  const std::vector<trace::TraceHeader> headers = headers_of(lazy, tasks, options);
  std::optional<ScoredLists> scored;
  if (!run_options.work.follows()) scored = scores_in_files(tasks, headers, options);
  // The leader's files count.
  Team* team = run_options.work.team;
  if (team != nullptr && team->broadcast(scored ? "there" : "") == "there" && !scored)
    scored.emplace();
  if (scored) {
    scored->counts = counts_of(plan_traces(lists, options_.run.work.batch_tokens));
    scored->counts.resumed = scored->counts.sequences;
  } else {
    scored = score_lists(lazy, lists, options, run_options);
  }
  lazy.unload();
  scored->counts.model_fingerprint = lazy.fingerprint();
  if (!run_options.work.has_results()) return scored->counts;
  for (size_t t = 0; t < tasks.size(); ++t) {
    trace::TraceWriter writer(tasks[t].out, headers[t]);
    for (size_t i = 0; i < tasks[t].examples->size(); ++i) {
      writer.write(to_trace((*tasks[t].examples)[i], scored->of(t, i), options, tokenizer));
    }
    writer.commit();
  }
  return scored->counts;
}

TracedInMemory TraceRun::trace_in_memory(const TracedModel& model,
                                         const std::vector<TraceTask>& tasks,
                                         const TraceOptions& options,
                                         const tokenizer::Tokenizer& tokenizer) {
  loader_.check(options_.model, !options.gradient_norms.empty());
  LazyModel lazy(loader_, model.name, model.folder, options_.model);
  const ScoredLists scored = score_lists(lazy, lists_of(tasks), options, next_pass());
  lazy.unload();
  TracedInMemory traced{.sets = {}, .counts = scored.counts};
  traced.counts.model_fingerprint = lazy.fingerprint();
  if (!options_.run.work.has_results()) return traced;
  for (trace::TraceHeader& header : headers_of(lazy, tasks, options)) {
    const size_t t = traced.sets.size();
    trace::TraceSet& set = traced.sets.emplace_back();
    set.header = std::move(header);
    for (size_t i = 0; i < tasks[t].examples->size(); ++i) {
      set.traces.push_back(to_trace((*tasks[t].examples)[i], scored.of(t, i), options, tokenizer));
    }
  }
  return traced;
}

}  // namespace palimpsest::run
