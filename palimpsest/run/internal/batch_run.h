// Work that is done in batches and that resumes where it was interrupted. Scoring (score_run.h) and
// generation (generate_run.h) both work in this way. There are three parts:
//
// - A plan lists the batches. It is made from the input alone, so an interrupted run makes the same
//   plan again. Its fingerprint is a hash of everything that determines a result: the model, the
//   items, the options and the division into batches.
// - A batch is a number of items (sequences or prompts) that run together, in a fixed order, and
//   gives one result per item. These results depend only on the plan and the batch's number, not on
//   what ran before, in which process, or on how many threads. So the batches of a plan may run in
//   any order and anywhere.
// - A journal (journal.h) stores the results of finished batches as bytes (payload.h), in any
//   order. The plan is done when its journal has all of them.
//
// BatchRun connects the three in this process: it computes the batches that the journal lacks, in
// the order of the plan. A callback computes each batch. It is called only from the thread that
// called run(), so models that others supply need not be thread-safe. Results do not stay in memory
// while batches are computed: a model needs it. They are read from the journal when all batches are
// done. Results that a journal already has are checked before the first batch is computed. If it
// has all of them, run_items() keeps what it reads then, so they are read once.
//
// A plan can also be divided among several processes or machines (WorkOptions::shard). Each of them
// computes its share of the batches into a journal of its own, called a part (parts.h). A later run
// without a shard finds these parts, computes the batches that they lack and returns the results.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/base/progress.h"
#include "palimpsest/run/internal/journal.h"
#include "palimpsest/run/internal/parts.h"
#include "palimpsest/run/internal/payload.h"
#include "palimpsest/run/work.h"

namespace palimpsest::run {

struct BatchPlan {
  struct Batch {
    int64_t items = 0;  // number of results
    int64_t work = 0;   // amount of work for the progress display, in tokens or prompts
  };
  std::string fingerprint;  // 32 hexadecimal digits
  std::vector<Batch> batches;
  // What the fingerprint is made of, piece by piece, so that a message can say what differs.
  Properties made_with = {};
  // Returns facts about the model, which are stored in a part (parts.h). Called only after a batch
  // has been computed.
  std::function<Properties()> model = {};
};

class BatchRun {
 public:
  // Reports work done while a batch is still running. When the batch is finished, the rest of its
  // work is reported automatically.
  using Advance = std::function<void(int64_t work)>;
  // Computes a batch and returns its results as a payload (payload.h).
  using RunBatch = std::function<std::string(size_t batch, const Advance& advance)>;
  // Whether a payload from a journal holds all results of the batch. If not, the batch runs again.
  // Called for each batch of this process that a journal has, before one is computed.
  using IsResult = std::function<bool(size_t batch, std::string_view payload)>;

  // Opens the plan's journal and its parts if they exist. Throws the same exceptions as Journal and
  // find_parts().
  BatchRun(BatchPlan plan, RunOptions run_options);

  // Whether the journals have something for every batch of this process. If it is a result, run()
  // computes nothing.
  bool is_complete() const;

  // Computes the batches that the journals lack: all of them, or those of the shard. Returns the
  // number of items that they already had. `label` is for the display. An exception from run_batch
  // is passed on; the batches that are already finished are kept.
  int64_t run(const std::string& label, const RunBatch& run_batch, const IsResult& is_result);

  // The results of a batch, whether run() computed or found them. May be called only after run(),
  // once for each batch, and not if only a shard ran.
  std::string take_payload(size_t batch);
  const BatchPlan& plan() const { return plan_; }
  // What a part says about the model; empty if there is none.
  Properties model_of_parts() const;

 private:
  std::vector<size_t> own_batches() const;
  bool find(size_t batch, const IsResult& is_result);
  void compute(const std::vector<size_t>& batches, const RunBatch& run_batch, Progress& progress);
  void compute_with_team(std::vector<size_t> batches, const RunBatch& run_batch,
                         Progress& progress);
  std::function<std::string(size_t batch)> stoppable(const RunBatch& run_batch) const;
  void describe_part(Properties model);
  void commit(size_t batch, std::string payload);
  [[noreturn]] void refuse_gaps(const std::vector<size_t>& missing) const;

  BatchPlan plan_;
  RunOptions run_options_;
  PartRequirement requirement_;
  std::vector<Part> parts_;  // of a run without a shard
  LazyJournal journal_;      // what this run computes, or has computed before
  std::map<size_t, const Journal*> found_in_parts_;  // where a part has the results of a batch
};

// The description that a part stores (PartDescription::made_with): the program and the vector
// instructions, followed by the properties of the plan.
Properties described(const std::string& program, Properties of_plan);

// The results of all items of a plan.
template <class Result>
struct ItemResults {
  std::vector<Result> items;  // in the order of the batches; empty if only a shard ran
  int64_t resumed = 0;        // items that were already in a journal
  Properties model = {};      // what the parts say about the model, if there are parts
};

// Runs a BatchRun for a result type that has to_payload() and from_payload(). `make(batch,
// advance)` returns one result per item.
template <class Result, class Make>
ItemResults<Result> run_items(BatchPlan plan, const RunOptions& run_options,
                              const std::string& label, const Make& make) {
  BatchRun run(std::move(plan), run_options);
  const std::vector<BatchPlan::Batch>& batches = run.plan().batches;
  const bool has_results = run_options.work.has_results();
  ItemResults<Result> all;
  // What is not kept now is read again when the model is no longer needed.
  bool keeps = has_results && run.is_complete();
  const auto is_result = [&](size_t batch, std::string_view payload) {
    std::vector<Result> results;
    if (!from_payload(payload, results) || std::ssize(results) != batches[batch].items) {
      keeps = false;
      all.items = {};
      return false;
    }
    if (keeps) std::ranges::move(results, std::back_inserter(all.items));
    return true;
  };
  all.resumed = run.run(
      label,
      [&](size_t batch, const BatchRun::Advance& advance) {
        const std::vector<Result> results = make(batch, advance);
        if (results.empty() && run_options.work.splits_layers()) return std::string();
        PALIMPSEST_CHECK(std::ssize(results) == batches[batch].items);
        return to_payload(results);
      },
      is_result);
  all.model = run.model_of_parts();
  if (!has_results || keeps) return all;
  for (size_t i = 0; i < batches.size(); ++i) {
    std::vector<Result> results;
    PALIMPSEST_CHECK(from_payload(run.take_payload(i), results));
    std::ranges::move(results, std::back_inserter(all.items));
  }
  return all;
}

}  // namespace palimpsest::run
