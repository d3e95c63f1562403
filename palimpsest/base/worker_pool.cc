#include "palimpsest/base/internal/worker_pool.h"

#include <algorithm>
#include <system_error>

#include "palimpsest/base/internal/parallel_width.h"

namespace palimpsest {
namespace {

// Looks at a condition before a thread sleeps, some tens of microseconds: as long as waking it
// takes.
constexpr int kLooks = 200;

}  // namespace

WorkerPool::WorkerPool(int threads) {
  const int wanted =
      threads > 0 ? threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  widest_parallel_for() = std::max<int64_t>(widest_parallel_for(), wanted);
  try {
    for (int worker = 1; worker < wanted; ++worker) {
      workers_.emplace_back([this, worker] { work(worker); });
    }
  } catch (const std::system_error&) {
    // The system gives no more threads: those that have started do the work, and the results are
    // the same.
  } catch (...) {
    end();  // those that have started must not be waited for in vain
    throw;
  }
}

WorkerPool::~WorkerPool() {
  end();
}

void WorkerPool::end() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  start_.notify_all();
}

template <class Condition>
void WorkerPool::wait(std::condition_variable& changed, Condition holds) {
  for (int look = 0; look < kLooks; ++look) {
    if (holds()) return;
    std::this_thread::yield();  // whoever wants the core has it
  }
  std::unique_lock lock(mutex_);
  changed.wait(lock, holds);
}

void WorkerPool::run_units(int worker) {
  try {
    for (int64_t unit = next_.fetch_add(1); unit < units_; unit = next_.fetch_add(1)) {
      (*body_)(unit, worker);
    }
  } catch (...) {
    next_ = units_;  // the others stop after what they have in hand
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
  }
}

void WorkerPool::work(int worker) {
  uint64_t seen = 0;
  while (true) {
    wait(start_, [&] { return ending_ || round_ != seen; });
    {
      const std::lock_guard lock(mutex_);
      if (ending_) return;
      seen = round_;
      // A worker that comes when nothing is left must not join: the caller does not wait for it. On
      // a busy machine it would wait for the system to give this thread a core.
      if (next_ >= units_) continue;
      ++busy_;
    }
    run_units(worker);
    const std::lock_guard lock(mutex_);
    if (--busy_ == 0) done_.notify_one();
  }
}

void WorkerPool::run(int64_t units, const std::function<void(int64_t, int)>& body) {
  if (units <= 0) return;
  if (workers_.empty() || units == 1) {
    for (int64_t unit = 0; unit < units; ++unit) body(unit, 0);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    body_ = &body;
    units_ = units;
    next_ = 0;
    failure_ = nullptr;
    ++round_;
  }
  start_.notify_all();
  run_units(0);
  // No worker joins from here on: one that has just seen units left has counted itself by now.
  { const std::lock_guard lock(mutex_); }
  wait(done_, [&] { return busy_ == 0; });
  if (failure_) std::rethrow_exception(failure_);
}

void WorkerPool::for_ranges(int64_t count, int64_t grain,
                            const std::function<void(int64_t, int64_t)>& body) {
  if (count <= 0) return;
  constexpr int64_t kMaxPieces = 64;
  const int64_t pieces = std::clamp<int64_t>(count / std::max<int64_t>(grain, 1), 1, kMaxPieces);
  run(pieces,
      [&](int64_t piece, int) { body(count * piece / pieces, count * (piece + 1) / pieces); });
}

}  // namespace palimpsest
