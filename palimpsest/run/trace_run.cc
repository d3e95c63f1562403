#include "palimpsest/run/trace_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/file.h"
#include "palimpsest/base/hash.h"
#include "palimpsest/model/request_check.h"
#include "palimpsest/run/journal.h"
#include "palimpsest/run/plan.h"
#include "palimpsest/text/token_texts.h"
#include "palimpsest/trace/trace_writer.h"

namespace palimpsest {
namespace {

void add_all(Fingerprint& fingerprint, const std::vector<int64_t>& ids) {
  fingerprint.add({reinterpret_cast<const char*>(ids.data()), ids.size() * sizeof(int64_t)});
}

// Of everything that decides the numbers: the model's files, the sequences, the options, the plan.
std::string fingerprint_of(const std::vector<std::filesystem::path>& model_files,
                           const TracePlan& plan, const TraceOptions& options,
                           const ModelOptions& how) {
  Fingerprint fingerprint;
  fingerprint.add("trace 1").add(how.device).add(int64_t{how.dtype ? 1 + int(*how.dtype) : 0});
  for (const std::filesystem::path& file : model_files) {
    fingerprint.add(file.filename().string()).add_file(file);
  }
  fingerprint.add(options.masked_token.value_or(-1));
  for (const NormOrder order : options.gradient_norms) fingerprint.add(order_name(order));
  for (const std::vector<size_t>& batch : plan.batches) {
    fingerprint.add(static_cast<int64_t>(batch.size()));
    for (const size_t number : batch) {
      add_all(fingerprint, plan.sequences[number]->ids);
      add_all(fingerprint, plan.sequences[number]->labels);
    }
  }
  return fingerprint.hex();
}

// The mean over a model's tensors is all that a trace keeps.
void keep_mean_norms(std::vector<SequenceScores>& scores) {
  for (SequenceScores& one : scores) {
    for (std::vector<double>& norms : one.gradient_norms) {
      const double sum = std::accumulate(norms.begin(), norms.end(), 0.0);
      norms.assign(1, sum / static_cast<double>(norms.size()));
    }
  }
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
    trace.grad_norm[order_name(options.gradient_norms[i])] = scores.gradient_norms[i].front();
  }
  return trace;
}

// Says which example of which data set cannot be run, before any is.
void check_tasks(const std::vector<TraceTask>& tasks, const ModelInfo& info) {
  for (const TraceTask& task : tasks) {
    for (const Example& example : *task.examples) {
      const Sequence sequence{.ids = example.ids, .labels = example.labels};
      try {
        check_sequences({&sequence, 1}, info);
      } catch (const Error& error) {
        throw error.located(fmt::format("{}, example {}", task.dataset, example.index));
      }
    }
  }
}

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

TraceRun::TraceRun(ModelLoader& loader, TraceRunOptions options)
    : loader_(loader), options_(std::move(options)) {}

TraceCounts TraceRun::trace(const TracedModel& model, const std::vector<TraceTask>& tasks,
                            const TraceOptions& options, const Tokenizer& tokenizer) {
  std::vector<const std::vector<Example>*> lists;
  for (const TraceTask& task : tasks) lists.push_back(task.examples);
  const TracePlan plan = plan_traces(lists, options_.batch_tokens);
  const std::string fingerprint =
      fingerprint_of(loader_.files(model.folder), plan, options, options_.model);
  const std::filesystem::path file =
      options_.folder / fmt::format("{}.journal", fingerprint.substr(0, 16));
  // Made when there is something to write: a call that is refused leaves nothing behind.
  std::optional<Journal> journal;
  if (std::filesystem::exists(file)) journal.emplace(file, fingerprint);

  TraceCounts counts{.sequences = static_cast<int64_t>(plan.sequences.size()),
                     .tokens = plan.tokens};
  for (const auto* list : lists) counts.examples += static_cast<int64_t>(list->size());
  std::unique_ptr<LanguageModel> loaded;
  Progress progress(options_.display, fmt::format("tokens through {}", model.name), plan.tokens);
  for (size_t i = 0; i < plan.batches.size(); ++i) {
    const auto number = static_cast<int64_t>(i);
    int64_t tokens = 0;
    std::vector<Sequence> sequences;
    for (const size_t place : plan.batches[i]) {
      const Example& example = *plan.sequences[place];
      sequences.push_back({.ids = example.ids, .labels = example.labels});
      tokens += static_cast<int64_t>(example.ids.size());
    }
    if (journal && journal->batches().contains(number)) {
      counts.resumed += static_cast<int64_t>(sequences.size());
    } else {
      if (!loaded) {
        loaded = loader_.load(model.folder, options_.model);
        check_tasks(tasks, loaded->info());
      }
      std::vector<SequenceScores> scores = loaded->score(
          sequences,
          {.masked_token = options.masked_token, .gradient_norms = options.gradient_norms});
      keep_mean_norms(scores);
      if (!journal) {
        make_folder(options_.folder);
        journal.emplace(file, fingerprint);
      }
      journal->commit(number, std::move(scores));
    }
    progress.advance(tokens);
  }
  loaded.reset();

  std::vector<const SequenceScores*> scores(plan.sequences.size());
  for (size_t i = 0; i < plan.batches.size(); ++i) {
    const std::vector<SequenceScores>& batch = journal->batches().at(static_cast<int64_t>(i));
    PALIMPSEST_CHECK(batch.size() == plan.batches[i].size());
    for (size_t j = 0; j < batch.size(); ++j) scores[plan.batches[i][j]] = &batch[j];
  }
  for (size_t t = 0; t < tasks.size(); ++t) {
    TraceWriter writer(tasks[t].out, {.model = model.name, .dataset = tasks[t].dataset});
    for (size_t i = 0; i < tasks[t].examples->size(); ++i) {
      writer.write(
          to_trace((*tasks[t].examples)[i], *scores[plan.places[t][i]], options, tokenizer));
    }
    writer.commit();
  }
  return counts;
}

}  // namespace palimpsest
