#include "palimpsest/run/internal/score_run.h"

#include <fmt/format.h>

#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/instruction_set.h"
#include "palimpsest/base/internal/hash.h"
#include "palimpsest/model/request_check.h"
#include "palimpsest/tokenizer/internal/token_texts.h"

namespace palimpsest::run {
namespace {

// Of everything that decides the numbers: the model, the sequences, the options, the plan. The
// vector instructions are among it, so that a journal never holds numbers of two sets.
std::string fingerprint_of(LazyModel& model, const TracePlan& plan, const TraceOptions& options) {
  Fingerprint fingerprint;
  fingerprint.add("trace 3").add(model.fingerprint()).add(options.masked_token.value_or(-1));
  fingerprint.add(name_of(instruction_set()));
  for (const model::NormOrder order : options.gradient_norms) fingerprint.add(order_name(order));
  for (const std::vector<size_t>& batch : plan.batches) {
    fingerprint.add(static_cast<int64_t>(batch.size()));
    for (const size_t number : batch) {
      fingerprint.add_all(plan.sequences[number]->ids).add_all(plan.sequences[number]->labels);
    }
  }
  return fingerprint.hex();
}

// The same, piece by piece.
Properties made_with(LazyModel& model, const TracePlan& plan, const TraceOptions& options) {
  Fingerprint data;
  for (const data::Example* example : plan.sequences)
    data.add_all(example->ids).add_all(example->labels);
  std::string norms;
  for (const model::NormOrder order : options.gradient_norms) norms += " " + order_name(order);
  return {
      model_property(model),
      {"data", fmt::format("{} sequences, fingerprint {}", plan.sequences.size(), data.hex())},
      {"setting of the mask", options.masked_token ? std::to_string(*options.masked_token) : ""},
      {"list of gradient norms", norms}};
}

// Says which example of which list cannot be run, before any is.
void check_lists(const std::vector<ExampleList>& lists, const model::ModelInfo& info) {
  for (const ExampleList& list : lists) {
    for (const data::Example* example : list.examples) {
      const model::Sequence sequence{.ids = example->ids, .labels = example->labels};
      try {
        model::check_sequences({&sequence, 1}, info);
      } catch (const Error& error) {
        throw error.located(fmt::format("{}, example {}", list.name, example->index));
      }
    }
  }
}

BatchPlan batches_of(LazyModel& model, const TracePlan& plan, const TraceOptions& options) {
  BatchPlan batches{.fingerprint = fingerprint_of(model, plan, options),
                    .batches = {},
                    .made_with = made_with(model, plan, options),
                    .model = [&model] { return model_properties(model.get().info()); }};
  for (const std::vector<size_t>& numbers : plan.batches) {
    BatchPlan::Batch& batch = batches.batches.emplace_back();
    batch.items = std::ssize(numbers);
    for (const size_t number : numbers) batch.work += std::ssize(plan.sequences[number]->ids);
  }
  return batches;
}

}  // namespace

TraceCounts counts_of(const TracePlan& plan) {
  TraceCounts counts{.sequences = std::ssize(plan.sequences), .tokens = plan.tokens};
  for (const std::vector<size_t>& indices : plan.sequence_indices)
    counts.examples += std::ssize(indices);
  return counts;
}

ScoredLists score_lists(LazyModel& model, const std::vector<ExampleList>& lists,
                        const TraceOptions& options, const RunOptions& run_options) {
  TracePlan plan = plan_traces(lists, run_options.work.batch_tokens);
  bool checked = false;
  ItemResults<model::SequenceScores> results = run_items<model::SequenceScores>(
      batches_of(model, plan, options), run_options,
      fmt::format("tokens through {}", model.short_name()),
      [&](size_t batch, const BatchRun::Advance& /*advance*/) {
        if (!checked) check_lists(lists, model.get().info());
        checked = true;
        std::vector<model::Sequence> sequences;
        for (const size_t number : plan.batches[batch]) {
          const data::Example& example = *plan.sequences[number];
          sequences.push_back({.ids = example.ids, .labels = example.labels});
        }
        return model.get().score(sequences, {.masked_token = options.masked_token,
                                             .gradient_norms = options.gradient_norms,
                                             .stop = run_options.stop});
      });
  ScoredLists scored;
  scored.counts = counts_of(plan);
  scored.counts.resumed = results.resumed;
  scored.counts.model = std::move(results.model);
  scored.sequence_indices = std::move(plan.sequence_indices);
  if (!run_options.work.has_results()) return scored;
  scored.sequences.resize(plan.sequences.size());
  size_t next = 0;
  for (const std::vector<size_t>& batch : plan.batches) {
    for (const size_t number : batch) scored.sequences[number] = std::move(results.items[next++]);
  }
  return scored;
}

trace::Trace to_trace(const data::Example& example, const model::SequenceScores& scores,
                      const TraceOptions& options, const tokenizer::Tokenizer& tokenizer) {
  trace::Trace trace{.index = example.index, .alternative = example.alternative};
  std::vector<int64_t> labelled;
  std::vector<int64_t> predicted;
  for (size_t t = 0; t < example.labels.size(); ++t) {
    if (example.labels[t] == kIgnoredLabel) continue;
    labelled.push_back(example.labels[t]);
    if (t > 0) predicted.push_back(example.labels[t]);
  }
  if (!example.prompt_ids.empty()) {
    trace.prompt = tokenizer.decode(example.prompt_ids, {.skip_special_tokens = true});
  }
  trace.text = tokenizer.decode(labelled, {.skip_special_tokens = true});
  trace.num_labels = static_cast<int64_t>(labelled.size());
  trace.logprob = scores.logprob;
  trace.mean = scores.mean;
  trace.var = scores.var;
  trace.argmax = scores.argmax;
  trace.tokens = tokenizer::token_texts(tokenizer, predicted);
  trace.label = std::move(predicted);
  trace.groups = example.groups;
  for (size_t i = 0; i < scores.gradient_norms.size(); ++i) {
    trace.grad_norm[order_name(options.gradient_norms[i])] = scores.gradient_norms[i];
  }
  trace::round_to_float32(trace);
  return trace;
}

}  // namespace palimpsest::run
