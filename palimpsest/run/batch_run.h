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
// called run(), so models that others supply need not be thread-safe. Results do not stay in
// memory; they are read from the journal when all batches are done. A plan can also run elsewhere,
// or on several machines: any code may fill its journal.
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
  // The folder for journals. It is created when the first journal is written. If empty, an
  // interrupted run starts again from the beginning.
  std::filesystem::path folder = {};
  ProgressDisplay* display = nullptr;
  std::stop_token stop = {};  // checked before every batch, and by the model in it; see Stopped
  // The largest number of tokens per batch of sequences. A crash loses at most one batch.
  int64_t batch_tokens = 16384;
};

// The exception that ends a run if `stop` was requested.
using palimpsest::Stopped;

struct BatchPlan {
  struct Batch {
    int64_t items = 0;  // number of results
    int64_t work = 0;   // amount of work for the progress display, in tokens or prompts
  };
  std::string fingerprint;  // 32 hexadecimal digits
  std::vector<Batch> batches;
};

class BatchRun {
 public:
  // Reports work done while a batch is still running. When the batch is finished, the rest of its
  // work is reported automatically.
  using Advance = std::function<void(int64_t work)>;
  // Computes a batch and returns its results as a payload (payload.h).
  using RunBatch = std::function<std::string(size_t batch, const Advance& advance)>;
  // Whether a payload from a journal holds all results of the batch. If not, the batch runs again.
  using IsResult = std::function<bool(size_t batch, std::string_view payload)>;

  // Opens the plan's journal if it exists. Throws the same exceptions as Journal.
  BatchRun(BatchPlan plan, RunOptions run_options);

  // Computes the batches that the journal lacks. Returns the number of items that it already had.
  // `label` is for the display. An exception from run_batch is passed on; the batches that are
  // already finished are kept.
  int64_t run(const std::string& label, const RunBatch& run_batch, const IsResult& is_result);

  // The results of a batch. May be called only after run().
  std::string payload(size_t batch) const { return journal_.read(static_cast<int64_t>(batch)); }
  const BatchPlan& plan() const { return plan_; }

 private:
  BatchPlan plan_;
  RunOptions run_options_;
  LazyJournal journal_;
};

// The results of all items of a plan.
template <class Result>
struct ItemResults {
  std::vector<Result> items;  // in the order of the batches
  int64_t resumed = 0;        // items that were already in the journal
};

// Runs a BatchRun for a result type that has to_payload() and from_payload(). `make(batch,
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
