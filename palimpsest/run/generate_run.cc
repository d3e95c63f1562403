#include "palimpsest/run/internal/generate_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/instruction_set.h"
#include "palimpsest/base/internal/hash.h"
#include "palimpsest/base/random.h"
#include "palimpsest/model/request_check.h"

namespace palimpsest::run {
namespace {

// Which prompts run, in which batches.
struct Plan {
  std::vector<const GenerationRequest*> prompts;  // different ones, the longest first
  std::vector<size_t> result_indices;             // for each request, among them
};

Plan plan_prompts(const std::vector<GenerationRequest>& requests) {
  std::map<std::vector<int64_t>, size_t> known;
  std::vector<const GenerationRequest*> different;
  std::vector<size_t> first_indices;
  for (const GenerationRequest& request : requests) {
    const auto [found, fresh] = known.try_emplace(request.prompt.ids, different.size());
    if (fresh) different.push_back(&request);
    first_indices.push_back(found->second);
  }
  // Alike lengths together: they finish together.
  std::vector<size_t> order(different.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, [&](size_t a, size_t b) {
    return different[a]->prompt.ids.size() > different[b]->prompt.ids.size();
  });
  Plan plan;
  std::vector<size_t> moved(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    plan.prompts.push_back(different[order[i]]);
    moved[order[i]] = i;
  }
  for (const size_t index : first_indices) plan.result_indices.push_back(moved[index]);
  return plan;
}

// The prompts alone: drafts change nothing, and known tokens are what greedy decoding would give.
std::string fingerprint_of(LazyModel& model, const Plan& plan, const GenerationSettings& settings) {
  Fingerprint fingerprint;
  fingerprint.add("generate 1").add(model.fingerprint()).add(settings.description);
  fingerprint.add(settings.batch_prompts).add(name_of(instruction_set()));
  for (const GenerationRequest* request : plan.prompts) fingerprint.add_all(request->prompt.ids);
  return fingerprint.hex();
}

// The same, piece by piece.
Properties prompts_made_with(LazyModel& model, const Plan& plan,
                             const GenerationSettings& settings) {
  Fingerprint data;
  for (const GenerationRequest* request : plan.prompts) data.add_all(request->prompt.ids);
  return {model_property(model),
          {"data", fmt::format("{} prompts, fingerprint {}", plan.prompts.size(), data.hex())},
          {"setting of the generation", settings.description}};
}

// A draft is a guess: one that the model cannot read only loses its use.
void cut_draft(model::Prompt& prompt, const model::ModelInfo& info) {
  const auto bad = std::ranges::find_if(
      prompt.draft, [&](int64_t id) { return id < 0 || id >= info.vocab_size; });
  prompt.draft.erase(bad, prompt.draft.end());
}

void take_known_for_draft(model::Prompt& prompt) {
  prompt.draft.resize(std::max(prompt.draft.size(), prompt.known.size()));
  std::ranges::copy(prompt.known, prompt.draft.begin());
  prompt.known.clear();
}

// Whether the known tokens, which scoring the prompt together with the draft showed, are those of
// greedy decoding: positions that depend on the length must have been the same.
bool is_sure(const model::Prompt& prompt, const model::ModelInfo& info) {
  if (!info.positions_agree) return true;
  const int64_t start = std::ssize(prompt.ids);
  return info.positions_agree(start, start + std::ssize(prompt.draft));
}

std::vector<model::Prompt> ready_prompts(std::span<const GenerationRequest* const> requests,
                                         const model::GenerateOptions& options,
                                         const model::ModelInfo& info) {
  std::vector<model::Prompt> prompts;
  for (const GenerationRequest* request : requests) {
    model::Prompt& prompt = prompts.emplace_back(request->prompt);
    if (options.sample || options.repetition_penalty != 1 || !is_sure(prompt, info))
      take_known_for_draft(prompt);
    cut_draft(prompt, info);
    try {
      model::check_prompts({&prompt, 1}, options, info);
    } catch (const Error& error) {
      throw error.located(request->where);
    }
  }
  return prompts;
}

}  // namespace

GenerationOutcome generate_all(LazyModel& model, const std::vector<GenerationRequest>& requests,
                               const GenerationSettings& settings, const RunOptions& run_options) {
  PALIMPSEST_CHECK(settings.batch_prompts > 0);
  const Plan plan = plan_prompts(requests);
  std::vector<std::span<const GenerationRequest* const>> prompt_batches;
  for (std::span<const GenerationRequest* const> left = plan.prompts; !left.empty();) {
    const size_t count = std::min(left.size(), static_cast<size_t>(settings.batch_prompts));
    prompt_batches.push_back(left.first(count));
    left = left.subspan(count);
  }
  BatchPlan batches{.fingerprint = fingerprint_of(model, plan, settings),
                    .batches = {},
                    .made_with = prompts_made_with(model, plan, settings),
                    .model = [&model] { return model_properties(model.get().info()); }};
  for (const auto& prompts : prompt_batches)
    batches.batches.push_back({.items = std::ssize(prompts), .work = std::ssize(prompts)});
  std::optional<model::GenerateOptions> options;
  ItemResults<model::Generation> results = run_items<model::Generation>(
      std::move(batches), run_options, fmt::format("generations by {}", model.short_name()),
      [&](size_t batch, const BatchRun::Advance& advance) {
        const model::ModelInfo& info = model.get().info();
        if (!options) options = settings.options(info);
        model::GenerateOptions own = *options;
        own.seed = Random(options->seed).split(static_cast<uint64_t>(batch)).next();
        own.on_finished = advance;
        own.stop = run_options.stop;
        return model.get().generate(ready_prompts(prompt_batches[batch], own, info), own);
      });
  GenerationOutcome outcome;
  outcome.counts.prompts = std::ssize(plan.prompts);
  outcome.counts.resumed = results.resumed;
  outcome.counts.model = std::move(results.model);
  if (!run_options.work.has_results()) return outcome;
  for (const model::Generation& one : results.items)
    outcome.counts.forward_tokens += one.forward_tokens;
  for (const size_t index : plan.result_indices)
    outcome.generations.push_back(results.items[index]);
  return outcome;
}

}  // namespace palimpsest::run
