#include "palimpsest/run/score_run.h"

#include <fmt/format.h>

#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/hash.h"
#include "palimpsest/model/request_check.h"
#include "palimpsest/run/journal.h"
#include "palimpsest/run/payload.h"
#include "palimpsest/run/plan.h"
#include "palimpsest/text/token_texts.h"

namespace palimpsest {
namespace {

// Of everything that decides the numbers: the model, the sequences, the options, the plan.
std::string fingerprint_of(LazyModel& model, const TracePlan& plan, const TraceOptions& options) {
  Fingerprint fingerprint;
  fingerprint.add("trace 3").add(model.fingerprint()).add(options.masked_token.value_or(-1));
  for (const NormOrder order : options.gradient_norms) fingerprint.add(order_name(order));
  for (const std::vector<size_t>& batch : plan.batches) {
    fingerprint.add(static_cast<int64_t>(batch.size()));
    for (const size_t number : batch) {
      fingerprint.add_all(plan.sequences[number]->ids).add_all(plan.sequences[number]->labels);
    }
  }
  return fingerprint.hex();
}

// Says which example of which list cannot be run, before any is.
void check_lists(const std::vector<ExampleList>& lists, const ModelInfo& info) {
  for (const ExampleList& list : lists) {
    for (const Example& example : *list.examples) {
      const Sequence sequence{.ids = example.ids, .labels = example.labels};
      try {
        check_sequences({&sequence, 1}, info);
      } catch (const Error& error) {
        throw error.located(fmt::format("{}, example {}", list.name, example.index));
      }
    }
  }
}

// One plan's batches, from the journal or from the model.
class ScoreRun {
 public:
  ScoreRun(LazyModel& model, const std::vector<ExampleList>& lists, const TraceOptions& options,
           LazyJournal journal)
      : model_(model), lists_(lists), options_(options), journal_(std::move(journal)) {}

  // Whether the journal had it.
  bool batch(int64_t number, const std::vector<Sequence>& sequences,
             std::vector<SequenceScores>& scores) {
    const std::string* found = journal_.find(number);
    if (found != nullptr && from_payload(*found, scores) && scores.size() == sequences.size()) {
      return true;
    }
    if (!checked_) check_lists(lists_, model_.get().info());
    checked_ = true;
    scores = model_.get().score(sequences, {.masked_token = options_.masked_token,
                                            .gradient_norms = options_.gradient_norms});
    PALIMPSEST_CHECK(scores.size() == sequences.size());
    journal_.commit(number, to_payload(scores));
    return false;
  }

 private:
  LazyModel& model_;
  const std::vector<ExampleList>& lists_;
  const TraceOptions& options_;
  LazyJournal journal_;
  bool checked_ = false;
};

}  // namespace

std::string order_name(NormOrder order) {
  switch (order) {
    case NormOrder::kOne:
      return "1";
    case NormOrder::kTwo:
      return "2";
    case NormOrder::kInfinity:
      return "inf";
  }
  return "";
}

std::optional<NormOrder> find_order(std::string_view name) {
  for (const NormOrder order : {NormOrder::kOne, NormOrder::kTwo, NormOrder::kInfinity}) {
    if (order_name(order) == name) return order;
  }
  return std::nullopt;
}

ScoredLists score_lists(LazyModel& model, const std::vector<ExampleList>& lists,
                        const TraceOptions& options, const RunOptions& how) {
  std::vector<const std::vector<Example>*> examples;
  ScoredLists scored;
  for (const ExampleList& list : lists) {
    examples.push_back(list.examples);
    scored.counts.examples += static_cast<int64_t>(list.examples->size());
  }
  TracePlan plan = plan_traces(examples, how.batch_tokens);
  scored.counts.sequences = static_cast<int64_t>(plan.sequences.size());
  scored.counts.tokens = plan.tokens;
  scored.sequences.resize(plan.sequences.size());
  ScoreRun run(model, lists, options,
               LazyJournal(how.folder, fingerprint_of(model, plan, options)));
  Progress progress(how.display, fmt::format("tokens through {}", model.name()), plan.tokens);
  for (size_t i = 0; i < plan.batches.size(); ++i) {
    int64_t tokens = 0;
    std::vector<Sequence> sequences;
    for (const size_t place : plan.batches[i]) {
      const Example& example = *plan.sequences[place];
      sequences.push_back({.ids = example.ids, .labels = example.labels});
      tokens += static_cast<int64_t>(example.ids.size());
    }
    std::vector<SequenceScores> scores;
    if (run.batch(static_cast<int64_t>(i), sequences, scores)) {
      scored.counts.resumed += static_cast<int64_t>(sequences.size());
    }
    for (size_t j = 0; j < scores.size(); ++j) {
      scored.sequences[plan.batches[i][j]] = std::move(scores[j]);
    }
    progress.advance(tokens);
  }
  scored.places = std::move(plan.places);
  return scored;
}

Trace to_trace(const Example& example, const SequenceScores& scores, const TraceOptions& options,
               const Tokenizer& tokenizer) {
  Trace trace{.index = example.index, .alternative = example.alternative};
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
  trace.tokens = token_texts(tokenizer, predicted);
  trace.label = std::move(predicted);
  trace.groups = example.groups;
  for (size_t i = 0; i < scores.gradient_norms.size(); ++i) {
    trace.grad_norm[order_name(options.gradient_norms[i])] = scores.gradient_norms[i];
  }
  return trace;
}

}  // namespace palimpsest
