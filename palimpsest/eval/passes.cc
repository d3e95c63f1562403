#include "palimpsest/eval/internal/passes.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/hash.h"
#include "palimpsest/base/internal/log_format.h"
#include "palimpsest/base/internal/parallel.h"
#include "palimpsest/eval/internal/generation_args.h"
#include "palimpsest/eval/internal/greedy_start.h"
#include "palimpsest/python_text/internal/text.h"
#include "palimpsest/run/internal/score_run.h"
#include "palimpsest/text/internal/utf8.h"
#include "palimpsest/trace/trace_file.h"

namespace palimpsest::eval {
namespace {

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// A name for a file: letters, digits and a few signs of the title.
std::string file_name(const std::string& name) {
  std::string plain;
  for (const char c : name) {
    const bool keeps = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       c == '-' || c == '_' || c == '.';
    plain += keeps ? c : '_';
  }
  return plain;
}

}  // namespace

Passes::Passes(const DataStore& data, const tokenizer::Tokenizer& tokenizer,
               const MetricGraph& graph, Options options)
    : data_(data), tokenizer_(tokenizer), options_(std::move(options)) {
  name_trace_files(graph);
}

void Passes::name_trace_files(const MetricGraph& graph) {
  for (const MetricNode& node : graph.nodes) {
    if (!node.needs.traces) continue;
    for (const auto& [access_key, spec] : node.data) {
      trace_files_[trace_key(node, spec, false)] = file_name(spec.name);
    }
  }
  std::map<std::string, int> uses;
  for (const auto& [key, name] : trace_files_) ++uses[name];
  constexpr size_t kDigits = 6;
  for (auto& [key, name] : trace_files_) {
    if (uses[name] == 1) continue;
    // Not a number: that would depend on what else is there, and one set's file become another's.
    Fingerprint which;
    which.add(key.data).add(int64_t{key.masked});
    name += "-" + which.hex().substr(0, kDigits);
  }
}

Passes::TraceKey Passes::trace_key(const MetricNode& node, const DatasetPlan& spec,
                                   bool reference) {
  return {.model = reference ? node.needs.reference_model.value_or("") : "",
          .data = spec.key,
          .masked = node.masks_padding};
}

Passes::GenerationKey Passes::generation_key(const MetricNode& node, const DatasetPlan& spec) {
  return {.settings = fmt::format("{} {}", node.masks_padding ? "ne_pad" : "full",
                                  describe(*node.needs.generation)),
          .data = spec.key,
          .from_prompt = spec.predict_with_generate};
}

std::optional<int64_t> Passes::masked_token(bool masked) const {
  return masked ? tokenizer_.pad_id() : std::nullopt;
}

void Passes::request(const MetricNode& node) {
  if (node.needs.reference_model) reference_models_.insert(*node.needs.reference_model);
  for (const auto& [access_key, spec] : node.data) {
    if (node.needs.traces) {
      trace_needs_[trace_key(node, spec, false)].insert(node.needs.gradient_norms.begin(),
                                                        node.needs.gradient_norms.end());
    }
    if (node.needs.traces && node.needs.reference_model) {
      trace_needs_.try_emplace(trace_key(node, spec, true));
    }
    if (node.needs.generation) {
      generation_needs_[generation_key(node, spec)] = {*node.needs.generation, node.masks_padding};
    }
  }
}

void Passes::run_traces(run::LazyModel& model, const std::string& reference) {
  if (reference.empty()) {
    std::set<std::string> scored;
    for (const auto& [key, norms] : trace_needs_) scored.insert(key.data);
    if (const auto note = lost_beginnings_note(scored)) log_warning("{}", *note);
  }
  for (const bool masked : {true, false}) {
    std::vector<TraceKey> plain;
    std::vector<TraceKey> with_norms;
    for (const auto& [key, norms] : trace_needs_) {
      if (key.model != reference || key.masked != masked) continue;
      (norms.empty() ? plain : with_norms).push_back(key);
    }
    if (reference.empty()) {
      std::vector<TraceKey> both = plain;
      both.insert(both.end(), with_norms.begin(), with_norms.end());
      if (const auto note = masked_note(both)) log_warning("{}", *note);
    }
    // A pass that goes back gives what a forward pass does: what it has run is not run again.
    run_trace_group(model, with_norms);
    run_trace_group(model, plain);
  }
}

// The traces that an earlier group of the same model left, by what was run.
Passes::TracesBySequence Passes::earlier_traces(const TraceKey& like) const {
  TracesBySequence there;
  for (const auto& [key, traces] : traces_) {
    if (key.model != like.model || key.masked != like.masked) continue;
    const std::vector<data::Example>& examples = data_.at(key.data).examples;
    for (size_t i = 0; i < examples.size(); ++i) {
      there[&examples[i]] = &traces->traces[i];
    }
  }
  return there;
}

run::RunOptions Passes::next_pass() {
  run::RunOptions options = options_.run;
  options.pass = ++passes_;
  return options;
}

// Only the evaluated model's.
void Passes::note_model(const std::string& reference, const run::Properties& of_parts) {
  if (!model_ && reference.empty()) model_ = run::model_facts(of_parts);
}

// The keys all want gradient norms, or none does.
void Passes::run_trace_group(run::LazyModel& model, const std::vector<TraceKey>& keys) {
  if (keys.empty()) return;
  const Stopwatch watch;
  run::TraceOptions options{.masked_token = masked_token(keys.front().masked)};
  std::set<model::NormOrder> norms;
  for (const TraceKey& key : keys) norms.merge(std::set(trace_needs_.at(key)));
  options.gradient_norms.assign(norms.begin(), norms.end());

  const TracesBySequence there = earlier_traces(keys.front());
  std::vector<run::ExampleList> lists;
  for (const TraceKey& key : keys) {
    const PreparedData& data = data_.at(key.data);
    lists.push_back(run::make_example_list(data.title, data.examples));
    std::erase_if(lists.back().examples,
                  [&](const data::Example* example) { return there.contains(example); });
  }
  const run::ScoredLists scored = run::score_lists(model, lists, options, next_pass());
  note_model(keys.front().model, scored.counts.model);
  std::map<TraceKey, std::shared_ptr<const trace::TraceSet>> made;
  if (!options_.run.work.has_results()) {
    // Later passes leave out what was run here, whoever has the numbers.
    for (const TraceKey& key : keys) {
      const size_t examples = data_.at(key.data).examples.size();
      traces_[key] = std::make_shared<const trace::TraceSet>(
          trace::TraceSet{.traces = std::vector<trace::Trace>(examples)});
    }
    return;
  }
  for (size_t k = 0; k < keys.size(); ++k) {
    std::vector<trace::Trace> fresh(lists[k].examples.size());
    const int threads = model.options().threads;
    parallel_for(std::ssize(fresh), threads, [&](int64_t begin, int64_t end) {
      for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
        fresh[i] = run::to_trace(*lists[k].examples[i], scored.of(k, i), options, tokenizer_);
      }
    });
    made[keys[k]] = std::make_shared<const trace::TraceSet>(trace::TraceSet{
        .traces = in_order(data_.at(keys[k].data).examples, there, std::move(fresh))});
  }
  traces_.merge(made);
  records_.push_back({.kind = "traces",
                      .model = model.name(),
                      .items = scored.counts.sequences,
                      .resumed = scored.counts.resumed,
                      .tokens = scored.counts.tokens,
                      .seconds = watch.seconds()});
}

// Every example's trace: one that was there, or the next fresh one.
std::vector<trace::Trace> Passes::in_order(const std::vector<data::Example>& examples,
                                           const TracesBySequence& there,
                                           std::vector<trace::Trace> fresh) {
  std::vector<trace::Trace> traces;
  auto next = fresh.begin();
  for (const data::Example& example : examples) {
    const auto found = there.find(&example);
    traces.push_back(found != there.end() ? trace::Trace(*found->second) : std::move(*next++));
    traces.back().index = example.index;
    traces.back().alternative = example.alternative;
    traces.back().groups = example.groups;
  }
  return traces;
}

std::vector<std::string> Passes::notes() const {
  std::vector<std::string> notes;
  for (const bool masked : {true, false}) {
    std::vector<TraceKey> keys;
    for (const auto& [key, file] : trace_files_) {
      if (key.masked == masked) keys.push_back(key);
    }
    if (auto note = masked_note(keys)) notes.push_back(std::move(*note));
  }
  std::set<std::string> scored;
  for (const auto& [key, file] : trace_files_) scored.insert(key.data);
  if (auto note = lost_beginnings_note(scored)) notes.push_back(std::move(*note));
  return notes;
}

std::optional<std::string> Passes::lost_beginnings_note(const std::set<std::string>& scored) const {
  int64_t lost = 0;
  int64_t all = 0;
  for (const std::string& key : scored) {
    lost += data_.at(key).lost_beginnings;
    all += static_cast<int64_t>(data_.at(key).examples.size());
  }
  if (lost == 0) return std::nullopt;
  return fmt::format(
      "{} of {} answers in {} data sets lose their beginning, as in published numbers: the "
      "tokenizer joins it with the end of the prompt into one token, which is not labelled; "
      "labels: exact in the args of a data set keeps it",
      lost, all, scored.size());
}

std::optional<std::string> Passes::masked_note(const std::vector<TraceKey>& keys) const {
  int64_t hidden = 0;
  int64_t all = 0;
  for (const TraceKey& key : keys) {
    const std::optional<int64_t> token = masked_token(key.masked);
    const std::vector<data::Example>& examples = data_.at(key.data).examples;
    all += static_cast<int64_t>(examples.size());
    hidden += std::ranges::count_if(
        examples, [&](const data::Example& example) { return data::mask_hides(example, token); });
  }
  if (hidden == 0) return std::nullopt;
  return fmt::format(
      "{} of {} examples in {} data sets hold the padding token, which attention does not see, as "
      "in published numbers; attention_mask: full in the collator's args shows it",
      hidden, all, keys.size());
}

void Passes::run_generations(run::LazyModel& model) {
  std::map<std::string, std::vector<GenerationKey>> groups;  // by settings
  for (const auto& [key, need] : generation_needs_) groups[key.settings].push_back(key);
  for (const auto& [settings, keys] : groups) run_generation_group(model, keys);
}

// The keys all have the same settings.
void Passes::run_generation_group(run::LazyModel& model, const std::vector<GenerationKey>& keys) {
  const Stopwatch watch;
  const GenerationNeed& need = generation_needs_.at(keys.front());
  std::vector<run::GenerationRequest> requests;
  for (const GenerationKey& key : keys) {
    const size_t count = data_.at(key.data).examples.size();
    for (size_t i = 0; i < count; ++i) requests.push_back(request_for(key, need.masked, i));
  }
  const std::optional<int64_t> masked = masked_token(need.masked);
  const run::GenerationSettings settings{
      .description =
          fmt::format("{} seed={}", keys.front().settings, need.args.sample ? options_.seed : 0),
      .options = [&](const model::ModelInfo& info) {
        return generate_options(need.args, info, tokenizer_, masked, options_.seed);
      }};
  const run::GenerationOutcome outcome = run::generate_all(model, requests, settings, next_pass());
  note_model("", outcome.counts.model);
  if (!options_.run.work.has_results()) return;
  size_t next = 0;
  for (const GenerationKey& key : keys) {
    std::vector<GeneratedText>& texts = generations_[key];
    texts.resize(data_.at(key.data).examples.size());
    const size_t begin = next;
    next += texts.size();
    const int threads = model.options().threads;
    parallel_for(std::ssize(texts), threads, [&](int64_t from, int64_t to) {
      for (auto i = static_cast<size_t>(from); i < static_cast<size_t>(to); ++i) {
        texts[i] = text_of(key, need, i, outcome.generations[begin + i]);
      }
    });
  }
  records_.push_back({.kind = "generations",
                      .model = model.name(),
                      .items = outcome.counts.prompts,
                      .resumed = outcome.counts.resumed,
                      .tokens = outcome.counts.forward_tokens,
                      .seconds = watch.seconds()});
}

run::GenerationRequest Passes::request_for(const GenerationKey& key, bool masked,
                                           size_t number) const {
  const PreparedData& data = data_.at(key.data);
  const data::Example& example = data.examples[number];
  run::GenerationRequest request{.where = fmt::format("{}, example {}", data.title, example.index)};
  if (!key.from_prompt) {
    request.prompt.ids = example.ids;
    return request;
  }
  request.prompt.ids = example.prompt_ids;
  request.prompt.draft = ground_truth_draft(example);
  const auto traces = traces_.find({.model = "", .data = key.data, .masked = masked});
  if (traces == traces_.end() || !options_.run.work.has_results()) return request;
  request.prompt.known =
      greedy_start(example, traces->second->traces[number], masked_token(masked));
  return request;
}

GeneratedText Passes::text_of(const GenerationKey& key, const GenerationNeed& need, size_t number,
                              const model::Generation& generation) const {
  const PreparedData& data = data_.at(key.data);
  const data::Example& example = data.examples[number];
  const bool whole = key.from_prompt && data.ground_truth_is_whole;
  GeneratedText text{.index = example.index};
  text.input = plain_text(key.from_prompt ? example.prompt_ids : example.ids, tokenizer_);
  const std::string full = plain_text(whole ? example.ids : labelled_ids(example), tokenizer_);
  text.ground_truth =
      python_text::strip(text::replace_all(full, text.input, ""), python_text::Side::kBoth);
  text.generation = generated_text(generation.ids, need.args, tokenizer_);
  return text;
}

bool Passes::has(const MetricNode& node) const {
  return std::ranges::all_of(node.data, [&](const auto& entry) {
    const DatasetPlan& spec = entry.second;
    if (node.needs.traces && !traces_.contains(trace_key(node, spec, false))) return false;
    if (node.needs.traces && node.needs.reference_model &&
        !traces_.contains(trace_key(node, spec, true))) {
      return false;
    }
    return !node.needs.generation || generations_.contains(generation_key(node, spec));
  });
}

void Passes::fill(const MetricNode& node, MetricInput& input) const {
  PALIMPSEST_CHECK(has(node));
  for (const auto& [access_key, spec] : node.data) {
    input.data[access_key] = &data_.at(spec.key);
    if (node.needs.traces) {
      input.traces[access_key] = &traces_.at(trace_key(node, spec, false))->traces;
    }
    if (node.needs.traces && node.needs.reference_model) {
      input.reference_traces[access_key] = &traces_.at(trace_key(node, spec, true))->traces;
    }
    if (node.needs.generation) {
      input.generations[access_key] = &generations_.at(generation_key(node, spec));
    }
  }
}

std::string Passes::trace_file(const MetricNode& node, const DatasetPlan& spec) const {
  return trace_files_.at(trace_key(node, spec, false)) + ".jsonl";
}

std::map<std::string, trace::TraceInput> Passes::traces_by_file() const {
  std::map<std::string, trace::TraceInput> files;
  for (const auto& [key, traces] : traces_) {
    if (key.model.empty()) files[trace_files_.at(key) + ".jsonl"] = traces;
  }
  return files;
}

void Passes::write_traces(const std::filesystem::path& folder, const std::string& model) const {
  for (const auto& [key, traces] : traces_) {
    if (!key.model.empty()) continue;
    make_folder(folder);
    trace::TraceWriter writer(folder / (trace_files_.at(key) + ".jsonl"),
                              {.model = model, .dataset = data_.at(key.data).title});
    for (const trace::Trace& trace : traces->traces) writer.write(trace);
    writer.commit();
  }
}

}  // namespace palimpsest::eval
