// Work that is done batch by batch and resumes where it was interrupted. Scoring (score_run.h) and
// generation (generate_run.h) are both such work. It has three parts:
//
// - A plan says what there is to do: batches by number, made from the input alone, so that an
//   interrupted run makes the same plan again. Its fingerprint names everything that decides a
//   result: the model, the items, the options, the cut into batches.
// - A batch is what runs together: some items (sequences, prompts) in a fixed order. Its result is
//   one result per item and depends on nothing but the plan and the batch's number: not on what ran
//   before it, in which process, or on how many threads. So the batches of a plan may run in any
//   order and anywhere.
// - A journal (journal.h) holds the results of finished batches as bytes (payload.h), in any order.
//   The plan is done when its journal has all of them.
//
// BatchRun is the loop that connects them in this process: it computes the batches that the journal
// lacks, in the order of the plan. A callback computes the result of a batch. It is only called
// from the thread that called run(), so models that others supply need not be thread-safe. Finished
// results do not stay in memory: they are read from the journal once all of them are there. To run
// a plan elsewhere, or on several machines, fill its journal in another way.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/base/progress.h"
#include "palimpsest/run/journal.h"
#include "palimpsest/run/payload.h"

namespace palimpsest::run {

// How a plan is run. None of these options changes a result.
struct RunOptions {
  // Folder for the journals, created when the first journal is written. Empty: an interrupted run
  // starts again from the beginning.
  std::filesystem::path folder = {};
  ProgressDisplay* display = nullptr;
  std::stop_token stop = {};  // checked before every batch, and by the model in it; see Stopped
  // Tokens per batch of sequences: the most work that a crash can lose.
  int64_t batch_tokens = 16384;
};

// Thrown if `stop` was requested.
using palimpsest::Stopped;

struct BatchPlan {
  struct Batch {
    int64_t items = 0;  // how many results it has
    int64_t work = 0;   // in the unit in which progress is shown: tokens or prompts
  };
  std::string fingerprint;  // 32 hexadecimal digits
  std::vector<Batch> batches;
};

class BatchRun {
 public:
  // Reports how much more of a batch's work is done while the batch is still running. What was not
  // reported is added automatically when the batch is finished.
  using Advance = std::function<void(int64_t work)>;
  // Computes a batch and returns its payload.
  using RunBatch = std::function<std::string(size_t batch, const Advance& advance)>;
  // Whether a payload that a journal held is a whole result of the batch; otherwise it is run again.
  using IsResult = std::function<bool(size_t batch, std::string_view payload)>;

  // Opens the plan's journal if there is one. Throws as Journal does.
  BatchRun(BatchPlan plan, RunOptions run_options);

  // Computes the batches that the journal lacks, and returns how many items it already had. `label`
  // is for the display. An exception thrown by run_batch is passed on; batches that were already
  // finished stay finished.
  int64_t run(const std::string& label, const RunBatch& run_batch, const IsResult& is_result);

  // Valid after run().
  std::string payload(size_t batch) const { return journal_.read(static_cast<int64_t>(batch)); }
  const BatchPlan& plan() const { return plan_; }

 private:
  BatchPlan plan_;
  RunOptions run_options_;
  LazyJournal journal_;
};

template <class Result>
struct ItemResults {
  std::vector<Result> items;  // batch after batch
  int64_t resumed = 0;        // items that were already in the journal
};

// Runs a BatchRun for a type of result that has to_payload() and from_payload(). `make(batch,
// advance)` returns one result per item.
template <class Result, class Make>
ItemResults<Result> run_items(BatchPlan plan, const RunOptions& run_options,
                              const std::string& label, const Make& make) {
  BatchRun run(std::move(plan), run_options);
  const std::vector<BatchPlan::Batch>& batches = run.plan().batches;
  const auto is_result = [&](size_t batch, std::string_view payload) {
    std::vector<Result> results;
    return from_payload(payload, results) && std::ssize(results) == batches[batch].items;
  };
  ItemResults<Result> all;
  all.resumed = run.run(
      label,
      [&](size_t batch, const BatchRun::Advance& advance) {
        const std::vector<Result> results = make(batch, advance);
        PALIMPSEST_CHECK(std::ssize(results) == batches[batch].items);
        return to_payload(results);
      },
      is_result);
  for (size_t i = 0; i < batches.size(); ++i) {
    std::vector<Result> results;
    const std::string payload = run.payload(i);
    PALIMPSEST_CHECK(from_payload(payload, results));
    std::ranges::move(results, std::back_inserter(all.items));
  }
  return all;
}

}  // namespace palimpsest::run
