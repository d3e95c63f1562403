// Work that is done batch by batch and goes on where it was interrupted. Scoring (score_run.h) and
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
// BatchRun is the loop between them, in this process: it makes what the journal lacks, in the order
// of the plan. Who makes the result of a batch is a callback, which is only ever called from the
// thread that called run(), so that models which others supply need not be safe for threads. Nothing
// that is finished stays in memory: results are read from the journal once all of them are there. To
// run a plan elsewhere, or on several machines, is to fill its journal in another way.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/base/progress.h"
#include "palimpsest/run/journal.h"
#include "palimpsest/run/payload.h"

namespace palimpsest {

// How a plan is run; nothing here changes a result.
struct RunOptions {
  // Of the journals; made when there is one. Empty: an interrupted run begins anew.
  std::filesystem::path folder = {};
  ProgressDisplay* display = nullptr;
  std::stop_token stop = {};     // asked before every batch: see Stopped
  int64_t batch_tokens = 16384;  // of a planned batch of sequences: what a crash may cost
};

// Thrown where `stop` was requested. What is finished is in the journal: the same call goes on there.
class Stopped : public std::runtime_error {
 public:
  Stopped() : std::runtime_error("the run was stopped") {}
};

struct BatchPlan {
  struct Batch {
    int64_t items = 0;  // how many results it has
    int64_t work = 0;   // in the unit that progress counts: tokens, prompts
  };
  std::string fingerprint;  // 32 hexadecimal digits
  std::vector<Batch> batches;
};

class BatchRun {
 public:
  // Tells progress how much of a batch's work is done before the batch is; the rest follows by
  // itself.
  using Advance = std::function<void(int64_t work)>;
  // The payload of a batch.
  using RunBatch = std::function<std::string(size_t batch, const Advance& advance)>;
  // Whether a payload that a journal held is a whole result of the batch; otherwise it is run again.
  using IsResult = std::function<bool(size_t batch, std::string_view payload)>;

  // Opens the plan's journal if there is one. Throws as Journal does.
  BatchRun(BatchPlan plan, RunOptions how);

  // Makes what the journal lacks, and says how many items it had. `label` is for the display. An
  // exception of run_batch passes through; batches that were finished before stay so.
  int64_t run(const std::string& label, const RunBatch& run_batch, const IsResult& is_result);

  // After run().
  std::string payload(size_t batch) const { return journal_.read(static_cast<int64_t>(batch)); }
  const BatchPlan& plan() const { return plan_; }

 private:
  BatchPlan plan_;
  RunOptions how_;
  LazyJournal journal_;
};

template <class Result>
struct ItemResults {
  std::vector<Result> items;  // batch after batch
  int64_t resumed = 0;        // items that the journal had
};

// A BatchRun whose results have a payload. `make(batch, advance)` gives one result per item.
template <class Result, class Make>
ItemResults<Result> run_items(BatchPlan plan, const RunOptions& how, const std::string& label,
                              const Make& make) {
  BatchRun run(std::move(plan), how);
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

}  // namespace palimpsest
