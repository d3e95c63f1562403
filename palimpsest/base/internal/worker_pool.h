// A pool of threads for work that is handed out thousands of times per second. That is too often to
// start threads each time, or to wake them from sleep. An idle thread therefore polls for the next
// piece of work for a short while and then sleeps. While it polls, it yields its core to any other
// thread that needs it, such as the threads of a matrix library.
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

// Only one thread may call run() at a time. That thread takes part in the work as worker 0.
class WorkerPool {
 public:
  // `threads` counts the caller. 0 means one thread per core. If the system refuses to start so
  // many, the pool is smaller; in the worst case the caller works alone.
  explicit WorkerPool(int threads);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // The number of workers, including the caller.
  int size() const { return static_cast<int>(workers_.size()) + 1; }

  // Calls body(unit, worker) exactly once for every unit in [0, units), in no particular order.
  // `worker` is in [0, size()) and identifies the thread, so that each thread can have its own work
  // space. Returns when all units are done. If the body throws, the first exception is rethrown
  // here.
  void run(int64_t units, const std::function<void(int64_t, int)>& body);

  // Splits [0, count) into contiguous pieces of at least `grain` items and calls body(begin, end)
  // for each of them through run(). The pieces depend only on count and grain.
  void for_ranges(int64_t count, int64_t grain, const std::function<void(int64_t, int64_t)>& body);

 private:
  void work(int worker);
  void end();
  void run_units(int worker);
  template <class Condition>
  void wait(std::condition_variable& changed, Condition holds);

  std::mutex mutex_;  // held for every change of a condition that threads wait for
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
