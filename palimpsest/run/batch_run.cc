#include "palimpsest/run/internal/batch_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "palimpsest/base/instruction_set.h"
#include "palimpsest/run/internal/shard.h"
#include "palimpsest/run/internal/team_pass.h"
#include "palimpsest/run/team.h"

namespace palimpsest::run {
namespace {

std::vector<int64_t> work_of(const BatchPlan& plan) {
  std::vector<int64_t> work;
  for (const BatchPlan::Batch& batch : plan.batches) work.push_back(batch.work);
  return work;
}

// A shard's own part must fit, too: it is not overwritten.
std::vector<Part> parts_of(const RunOptions& options, const PartRequirement& wanted) {
  if (options.folder.empty() || options.work.follows()) return {};
  if (!options.work.shard) return find_parts(options.folder, options.pass, wanted);
  const std::filesystem::path own = part_file(options.folder, options.pass, *options.work.shard);
  if (!std::filesystem::exists(own)) return {};
  if (const std::optional<Part> part = open_part(own)) require_made_with(*part, wanted);
  return {};
}

std::string journal_name(const RunOptions& options) {
  if (!options.work.shard) return "";
  return part_file("", options.pass, *options.work.shard).string();
}

}  // namespace

Properties described(const std::string& program, Properties of_plan) {
  Properties properties = {{"program", program},
                           {kInstructionSet, std::string(name_of(instruction_set()))}};
  properties.insert(properties.end(), of_plan.begin(), of_plan.end());
  return properties;
}

BatchRun::BatchRun(BatchPlan plan, RunOptions run_options)
    : plan_(std::move(plan)),
      run_options_(std::move(run_options)),
      requirement_{.fingerprint = plan_.fingerprint,
                   .made_with = described(run_options_.work.program_version, plan_.made_with)},
      parts_(parts_of(run_options_, requirement_)),
      journal_(run_options_.work.follows() ? "" : run_options_.folder, plan_.fingerprint,
               journal_name(run_options_)) {
  PALIMPSEST_CHECK(!run_options_.work.shard || !run_options_.folder.empty());
}

std::vector<size_t> BatchRun::own_batches() const {
  if (run_options_.work.shard)
    return shard_batches(plan_.fingerprint, work_of(plan_), *run_options_.work.shard);
  std::vector<size_t> all(plan_.batches.size());
  std::iota(all.begin(), all.end(), size_t{0});
  return all;
}

// Whether a journal has the batch's results.
bool BatchRun::find(size_t batch, const IsResult& is_result) {
  const auto number = static_cast<int64_t>(batch);
  if (journal_.has(number) && is_result(batch, journal_.read(number))) return true;
  const auto part = std::ranges::find_if(parts_, [&](const Part& one) {
    return one.journal->has(number) && is_result(batch, one.journal->read(number));
  });
  if (part == parts_.end()) return false;
  found_in_parts_[batch] = part->journal.get();
  return true;
}

bool BatchRun::is_complete() const {
  return std::ranges::all_of(own_batches(), [&](size_t batch) {
    const auto number = static_cast<int64_t>(batch);
    return journal_.has(number) ||
           std::ranges::any_of(parts_, [&](const Part& part) { return part.journal->has(number); });
  });
}

// Of a shard, before its first batch.
void BatchRun::describe_part(Properties model) {
  if (!run_options_.work.shard || journal_.has(kDescription)) return;
  journal_.commit(kDescription,
                  to_json_text({.made_with = requirement_.made_with, .model = std::move(model)}));
}

// The leader of a team commits others' results, too, perhaps while it is still loading its own
// model: so only a shard may ask for that.
void BatchRun::commit(size_t batch, std::string payload) {
  if (run_options_.work.shard) describe_part(plan_.model ? plan_.model() : Properties{});
  journal_.commit(static_cast<int64_t>(batch), std::move(payload));
}

void BatchRun::compute(const std::vector<size_t>& batches, const RunBatch& run_batch,
                       Progress& progress) {
  for (const size_t batch : batches) {
    if (run_options_.stop.stop_requested()) throw Stopped();
    int64_t left = plan_.batches[batch].work;
    commit(batch, run_batch(batch, [&](int64_t work) {
             left -= work;
             progress.advance(work);
           }));
    progress.advance(left);
  }
}

// The longest first: nobody is to begin a long batch when the others are done.
void BatchRun::compute_with_team(std::vector<size_t> batches, const RunBatch& run_batch,
                                 Progress& progress) {
  std::ranges::stable_sort(
      batches, [&](size_t a, size_t b) { return plan_.batches[a].work > plan_.batches[b].work; });
  TeamPass(*run_options_.work.team, requirement_)
      .lead(
          batches, stoppable(run_batch),
          [&](size_t batch, std::string payload) { commit(batch, std::move(payload)); },
          [&](size_t batch) { progress.advance(plan_.batches[batch].work); });
}

// Only the whole batches of a team are shown, since its processes compute several at once.
std::function<std::string(size_t batch)> BatchRun::stoppable(const RunBatch& run_batch) const {
  return [this, &run_batch](size_t batch) {
    if (run_options_.stop.stop_requested()) throw Stopped();
    return run_batch(batch, [](int64_t /*work*/) {});
  };
}

int64_t BatchRun::run(const std::string& label, const RunBatch& run_batch,
                      const IsResult& is_result) {
  Team* const team = run_options_.work.team;
  if (team != nullptr && !team->is_leader()) {
    TeamPass(*team, requirement_).follow(stoppable(run_batch));
    return 0;
  }
  const std::vector<size_t> own = own_batches();
  int64_t total = 0;
  for (const size_t i : own) total += plan_.batches[i].work;
  Progress progress(run_options_.display, label, total);
  int64_t resumed = 0;
  std::vector<size_t> missing;
  for (const size_t i : own) {
    if (!find(i, is_result)) {
      missing.push_back(i);
      continue;
    }
    resumed += plan_.batches[i].items;
    progress.advance(plan_.batches[i].work);
  }
  if (!missing.empty() && !run_options_.work.computes) refuse_gaps(missing);
  if (team != nullptr) {
    compute_with_team(std::move(missing), run_batch, progress);
  } else {
    compute(missing, run_batch, progress);
  }
  describe_part({});  // a shard without batches has a part, too
  return resumed;
}

std::string BatchRun::take_payload(size_t batch) {
  const auto number = static_cast<int64_t>(batch);
  const auto found = found_in_parts_.find(batch);
  return found == found_in_parts_.end() ? journal_.take(number) : found->second->read(number);
}

Properties BatchRun::model_of_parts() const {
  for (const Part& part : parts_) {
    if (!part.description.model.empty()) return part.description.model;
  }
  return {};
}

// If all parts are of one count, the shards that are not finished can be named.
void BatchRun::refuse_gaps(const std::vector<size_t>& missing) const {
  std::set<int64_t> counts;
  for (const Part& part : parts_) counts.insert(part.name.shard.count);
  std::string whose;
  if (counts.size() == 1) {
    const std::vector<int64_t> owners =
        shard_owners(plan_.fingerprint, work_of(plan_), *counts.begin());
    std::set<std::string> shards;
    for (const size_t batch : missing)
      shards.insert(Shard{.number = owners[batch], .count = *counts.begin()}.text());
    whose = fmt::format(": those of {}", fmt::join(shards, ", "));
  }
  throw Error({.what = fmt::format("{} of {} batches have not been run{}", missing.size(),
                                   plan_.batches.size(), whose),
               .where = run_options_.folder.string(),
               .hint = "run these shards, or leave out --no-run to run the rest here"});
}

}  // namespace palimpsest::run
