// Threads for work that is handed out thousands of times per second, which is too often to start
// them each time or to wake them from sleep. Idle threads poll briefly for the next piece of work,
// yielding the core to any other thread that needs it (such as those of a matrix library), and then
// sleep.
//
//   WorkerPool pool(2);
//   pool.run(units, [&](int64_t unit, int worker) { … });
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace palimpsest {

// Only one thread may call run() at a time; it acts as worker 0.
class WorkerPool {
 public:
  // 0: one for each core. Fewer where the system gives no more threads, in the worst case the caller
  // alone.
  explicit WorkerPool(int threads);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  int size() const { return static_cast<int>(workers_.size()) + 1; }

  // Calls body(unit, worker) for every unit in [0, units), each once, in no particular order;
  // 0 <= worker < size() names the thread, so that it may have memory of its own. Returns when all
  // are done and passes on the first exception.
  void run(int64_t units, const std::function<void(int64_t, int)>& body);

  // run() over contiguous pieces of [0, count) that hold at least `grain` items: body(begin, end).
  // Which pieces there are depends on count and grain alone.
  void for_ranges(int64_t count, int64_t grain, const std::function<void(int64_t, int64_t)>& body);

 private:
  void work(int worker);
  void end();
  void run_units(int worker);
  template <class Condition>
  void wait(std::condition_variable& changed, Condition holds);

  std::mutex mutex_;  // held for every change of what is waited for
  std::condition_variable start_;
  std::condition_variable done_;
  const std::function<void(int64_t, int)>* body_ = nullptr;
  std::atomic<int64_t> next_ = 0;
  int64_t units_ = 0;
  std::atomic<uint64_t> round_ = 0;
  std::atomic<int> busy_ = 0;
  std::atomic<bool> ending_ = false;
  std::exception_ptr failure_;
  std::vector<std::jthread> workers_;
};

}  // namespace palimpsest
