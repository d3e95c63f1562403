#include "palimpsest/run/generate_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/hash.h"
#include "palimpsest/base/random.h"
#include "palimpsest/model/request_check.h"
#include "palimpsest/run/journal.h"
#include "palimpsest/run/payload.h"

namespace palimpsest {
namespace {

// Which prompts run, in which batches.
struct Plan {
  std::vector<const GenerationRequest*> prompts;  // different ones, the longest first
  std::vector<size_t> places;                     // for each request, among them
};

Plan plan_prompts(const std::vector<GenerationRequest>& requests) {
  std::map<std::vector<int64_t>, size_t> known;
  std::vector<const GenerationRequest*> different;
  std::vector<size_t> first_places;
  for (const GenerationRequest& request : requests) {
    const auto [found, fresh] = known.try_emplace(request.prompt.ids, different.size());
    if (fresh) different.push_back(&request);
    first_places.push_back(found->second);
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
  for (const size_t place : first_places) plan.places.push_back(moved[place]);
  return plan;
}

// The prompts alone: drafts change nothing, and known tokens are what greedy decoding would give.
std::string fingerprint_of(LazyModel& model, const Plan& plan, const GenerationSettings& settings) {
  Fingerprint fingerprint;
  fingerprint.add("generate 1").add(model.fingerprint()).add(settings.description);
  fingerprint.add(settings.batch_prompts);
  for (const GenerationRequest* request : plan.prompts) fingerprint.add_all(request->prompt.ids);
  return fingerprint.hex();
}

// A draft is a guess: one that the model cannot read only loses its use.
void cut_draft(Prompt& prompt, const ModelInfo& info) {
  const auto bad = std::ranges::find_if(
      prompt.draft, [&](int64_t id) { return id < 0 || id >= info.vocab_size; });
  prompt.draft.erase(bad, prompt.draft.end());
}

void take_known_for_draft(Prompt& prompt) {
  prompt.draft.resize(std::max(prompt.draft.size(), prompt.known.size()));
  std::ranges::copy(prompt.known, prompt.draft.begin());
  prompt.known.clear();
}

// Whether the known tokens, which scoring the prompt together with the draft showed, are those of
// greedy decoding: positions that depend on the length must have been the same.
bool is_sure(const Prompt& prompt, const ModelInfo& info) {
  if (!info.positions_agree) return true;
  const int64_t start = std::ssize(prompt.ids);
  return info.positions_agree(start, start + std::ssize(prompt.draft));
}

std::vector<Prompt> ready_prompts(std::span<const GenerationRequest* const> requests,
                                  const GenerateOptions& options, const ModelInfo& info) {
  std::vector<Prompt> prompts;
  for (const GenerationRequest* request : requests) {
    Prompt& prompt = prompts.emplace_back(request->prompt);
    if (options.sample || options.repetition_penalty != 1 || !is_sure(prompt, info))
      take_known_for_draft(prompt);
    cut_draft(prompt, info);
    try {
      check_prompts({&prompt, 1}, options, info);
    } catch (const Error& error) {
      throw error.located(request->where);
    }
  }
  return prompts;
}

// Asks the model for one batch at a time.
class GenerateRun {
 public:
  GenerateRun(LazyModel& model, const GenerationSettings& settings)
      : model_(model), settings_(settings) {}

  std::vector<Generation> batch(int64_t number, std::span<const GenerationRequest* const> requests,
                                Progress& progress) {
    const ModelInfo& info = model_.get().info();
    if (!options_) options_ = settings_.options(info);
    GenerateOptions own = *options_;
    own.seed = Random(options_->seed).split(static_cast<uint64_t>(number)).next();
    own.on_finished = [&](int64_t more) { progress.advance(more); };
    std::vector<Generation> made = model_.get().generate(ready_prompts(requests, own, info), own);
    PALIMPSEST_CHECK(made.size() == requests.size());
    return made;
  }

 private:
  LazyModel& model_;
  const GenerationSettings& settings_;
  std::optional<GenerateOptions> options_;
};

}  // namespace

GenerationOutcome generate_all(LazyModel& model, const std::vector<GenerationRequest>& requests,
                               const GenerationSettings& settings, const RunOptions& how) {
  PALIMPSEST_CHECK(settings.batch_prompts > 0);
  const Plan plan = plan_prompts(requests);
  LazyJournal journal(how.folder, fingerprint_of(model, plan, settings));
  GenerateRun run(model, settings);
  GenerationOutcome outcome;
  outcome.counts.prompts = static_cast<int64_t>(plan.prompts.size());
  Progress progress(how.display, fmt::format("generations by {}", model.name()),
                    outcome.counts.prompts);
  std::vector<Generation> all;
  const auto size = static_cast<size_t>(settings.batch_prompts);
  for (size_t begin = 0; begin < plan.prompts.size(); begin += size) {
    const size_t count = std::min(size, plan.prompts.size() - begin);
    const auto number = static_cast<int64_t>(begin / size);
    std::vector<Generation> batch;
    const std::string* found = journal.find(number);
    if (found != nullptr && from_payload(*found, batch) && batch.size() == count) {
      outcome.counts.resumed += static_cast<int64_t>(count);
      progress.advance(static_cast<int64_t>(count));
    } else {
      batch = run.batch(number, std::span(plan.prompts).subspan(begin, count), progress);
      journal.commit(number, to_payload(batch));
    }
    for (Generation& one : batch) {
      outcome.counts.new_tokens += static_cast<int64_t>(one.ids.size());
      outcome.counts.forward_tokens += one.forward_tokens;
      all.push_back(std::move(one));
    }
  }
  for (const size_t place : plan.places) outcome.generations.push_back(all[place]);
  return outcome;
}

}  // namespace palimpsest
