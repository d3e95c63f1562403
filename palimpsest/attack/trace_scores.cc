#include "palimpsest/attack/trace_scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <utility>

#include "palimpsest/attack/internal/example_scores.h"
#include "palimpsest/attack/internal/reference_traces.h"
#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/worker_pool.h"

namespace palimpsest::attack {
namespace {

// Counts tokens. Ids of the usual size have an entry of their own, since every token of every trace
// is counted.
class TokenCounter {
 public:
  void add(const std::vector<int64_t>& tokens) {
    constexpr int64_t kUsual = 1 << 20;
    for (const int64_t token : tokens) {
      if (token < 0 || token >= kUsual) {
        ++others_[token];
        continue;
      }
      if (token >= std::ssize(usual_)) usual_.resize(static_cast<size_t>(token) + 1);
      ++usual_[static_cast<size_t>(token)];
    }
  }

  std::unordered_map<int64_t, int64_t> take() {
    for (size_t token = 0; token < usual_.size(); ++token) {
      if (usual_[token] > 0) others_[static_cast<int64_t>(token)] = usual_[token];
    }
    return std::move(others_);
  }

 private:
  std::vector<int64_t> usual_;
  std::unordered_map<int64_t, int64_t> others_;
};

// "forget.jsonl:17" of "audit/traces/forget.jsonl:17". What goes into results must not depend on
// where the files lie.
std::string without_folders(const std::string& where) {
  return std::filesystem::path(where).filename().string();
}

// Keeps what results need of a trace besides its scores.
void keep_facts(trace::Trace&& trace, TraceScores& scores, TokenCounter& argmax) {
  scores.examples.push_back({trace.index, trace.alternative});
  if (trace.argmax) argmax.add(*trace.argmax);
  scores.facts.push_back(facts_of(std::move(trace)));
}

class Scorer {
 public:
  Scorer(const trace::TraceInput& traces, const AttackTable& attacks,
         const TraceScoreOptions& options)
      : attacks_(attacks),
        stop_(options.stop),
        pool_(options.threads),
        parts_(std::ranges::any_of(attacks, &Attack::reads_tokens)
                   ? trace::TraceParts::kAll
                   : trace::TraceParts::kWithoutTokens),
        source_(trace::open_traces(traces, parts_)),
        left_bytes_(options.kept_bytes) {
    require_valid(attacks);
    scores_.input = traces;
    scores_.header = source_->header();
    scores_.columns.resize(attacks.size());
    scores_.lacking.resize(attacks.size());
    open_reference(options.reference);
  }

  std::string name() const { return source_->name(); }

  TraceScores run(Progress& progress) {
    while (next_block()) {
      references_.clear();
      if (reference_) {
        for (const trace::LocatedTrace& item : block_)
          references_.push_back(reference_->take(item.trace));
      }
      score_block();
      append_block();
      progress.advance(static_cast<int64_t>(block_.size()));
    }
    scores_.argmax_counts = argmax_.take();
    return std::move(scores_);
  }

 private:
  bool next_block() {
    if (stop_.stop_requested()) throw Stopped();
    return source_->next_block(block_, pool_);
  }

  void open_reference(const trace::TraceInput& traces) {
    const bool wanted = std::any_of(attacks_.begin(), attacks_.end(),
                                    [](const Attack& a) { return a.needs_reference(); });
    if (!wanted) return;
    if (!trace::is_given(traces)) {
      for (size_t a = 0; a < attacks_.size(); ++a) {
        if (attacks_[a].needs_reference())
          scores_.lacking[a] = "there are no traces of a reference model";
      }
      return;
    }
    reference_.emplace(traces, parts_, pool_);
    scores_.reference_model = reference_->header().model;
    if (scores_.reference_model.empty() || scores_.reference_model != scores_.header.model) return;
    scores_.notes.push_back(
        fmt::format("{}: the reference traces come from the audited model itself, '{}', so "
                    "comparing with them tells nothing",
                    without_folders(reference_->name()), scores_.reference_model));
  }

  void score_block() {
    ExampleTraces traces{.where = [&](size_t i) { return source_->where(block_[i].line); }};
    for (const trace::LocatedTrace& item : block_) traces.own.push_back(&item.trace);
    for (const trace::LocatedTrace& item : references_) traces.reference.push_back(&item.trace);
    for (size_t a = 0; a < attacks_.size(); ++a) {
      if (!scores_.lacking[a].empty()) continue;
      const ExampleScores found = score_examples(attacks_[a], traces, pool_);
      std::ranges::copy(found.scores, std::back_inserter(scores_.columns[a]));
      if (found.unmet) scores_.lacking[a] = missing(*found.unmet);
    }
  }

  std::string missing(const UnmetNeed& unmet) const {
    const size_t i = unmet.example;
    const std::string where = unmet.is_in_reference ? reference_->where(references_[i].line)
                                                    : source_->where(block_[i].line);
    return fmt::format("{}: {} is missing", without_folders(where), unmet.need->name);
  }

  void append_block() {
    for (size_t i = 0; i < block_.size(); ++i) {
      keep_facts(std::move(block_[i].trace), scores_, argmax_);
      keep_or_drop();
      if (reference_) scores_.reference_loss.push_back(trace::avg_loss(references_[i].trace));
    }
  }

  // Decides about the content of the last example: once there is too much, that of all is dropped.
  void keep_or_drop() {
    if (left_bytes_ < 0) return drop_content(scores_.facts.back(), scores_.dropped);
    left_bytes_ -= content_bytes(scores_.facts.back());
    if (left_bytes_ >= 0) return;
    for (ExampleFacts& facts : scores_.facts) drop_content(facts, scores_.dropped);
  }

  const AttackTable& attacks_;
  std::stop_token stop_;
  WorkerPool pool_;
  trace::TraceParts parts_;
  std::unique_ptr<trace::TraceSource> source_;
  std::optional<ReferenceTraces> reference_;
  TraceScores scores_;
  TokenCounter argmax_;
  int64_t left_bytes_;  // that may still be kept; below 0: everything is dropped

  // Of the block in hand, one entry per trace.
  std::vector<trace::LocatedTrace> block_;
  std::vector<trace::LocatedTrace> references_;
};

}  // namespace

std::string ExampleId::key() const {
  return alternative == 0 ? index : fmt::format("{}/{}", index, alternative);
}

ExampleTexts::ExampleTexts(const TraceScores& set, std::span<const size_t> examples) : set_(set) {
  std::vector<size_t> dropped;
  for (const size_t example : examples) {
    const ExampleFacts& facts = set.facts[example];
    if (facts.dropped && facts.dropped->had_text) dropped.push_back(example);
  }
  if (dropped.empty()) return;
  std::ranges::sort(dropped);
  dropped.erase(std::unique(dropped.begin(), dropped.end()), dropped.end());
  trace::visit_traces(set.input, dropped, [&](size_t example, const trace::Trace& trace) {
    ExampleFacts found;
    found.text = trace.text;
    if (!trace.text || exact_content(found) != exact_content(set.facts[example])) {
      throw Error({.what = fmt::format("the text of the example '{}' has changed",
                                       set.examples[example].key()),
                   .where = trace::file_of(set.input).string(),
                   .hint = "do not change a file while it is read"});
    }
    read_.emplace(example, *trace.text);
  });
}

const std::string* ExampleTexts::of(size_t example) const {
  const ExampleFacts& facts = set_.facts[example];
  if (!facts.dropped) return facts.text ? &*facts.text : nullptr;
  const auto found = read_.find(example);
  return found != read_.end() ? &found->second : nullptr;
}

TraceScores score_traces(const trace::TraceInput& traces, const AttackTable& attacks,
                         const TraceScoreOptions& options) {
  if (!trace::is_given(traces)) throw Error("there are no traces to score");
  Scorer scorer(traces, attacks, options);
  Progress progress(options.display,
                    "reading " + std::filesystem::path(scorer.name()).filename().string(), 0);
  TraceScores scores = scorer.run(progress);
  if (scores.examples.empty()) {
    throw Error({.what = "the trace file holds no examples", .where = scorer.name()});
  }
  return scores;
}

}  // namespace palimpsest::attack
