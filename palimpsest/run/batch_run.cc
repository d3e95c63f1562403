#include "palimpsest/run/batch_run.h"

namespace palimpsest::run {

BatchRun::BatchRun(BatchPlan plan, RunOptions run_options)
    : plan_(std::move(plan)),
      run_options_(std::move(run_options)),
      journal_(run_options_.folder, plan_.fingerprint) {}

int64_t BatchRun::run(const std::string& label, const RunBatch& run_batch,
                      const IsResult& is_result) {
  int64_t total = 0;
  for (const BatchPlan::Batch& batch : plan_.batches) total += batch.work;
  Progress progress(run_options_.display, label, total);
  int64_t resumed = 0;
  for (size_t i = 0; i < plan_.batches.size(); ++i) {
    const auto number = static_cast<int64_t>(i);
    int64_t left = plan_.batches[i].work;
    if (journal_.has(number) && is_result(i, journal_.read(number))) {
      resumed += plan_.batches[i].items;
    } else {
      if (run_options_.stop.stop_requested()) throw Stopped();
      journal_.commit(number, run_batch(i, [&](int64_t work) {
                        left -= work;
                        progress.advance(work);
                      }));
    }
    progress.advance(left);
  }
  return resumed;
}

}  // namespace palimpsest::run
