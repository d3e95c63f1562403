// Runs long work so that Ctrl-C stops it. The work runs on a thread of its own without the GIL. The
// calling thread waits and lets Python handle its signals. If a handler raises (as that of SIGINT
// raises KeyboardInterrupt), a stop is requested, the work ends at the next point where it can, and
// the handler's exception is raised to the caller.
//
//   Audit done = run_interruptible(
//       [&](std::stop_token stop) { return audit(spec, {.stop = stop}); });
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <type_traits>
#include <utility>

namespace palimpsest::python {

// Signals are looked at this often.
inline constexpr std::chrono::milliseconds kSignalInterval{50};

// Needs the GIL. Throws what the work throws; an exception of Python code that the work called
// reaches the caller with its traceback.
template <class Work>
auto run_interruptible(const Work& work) -> std::invoke_result_t<Work, std::stop_token> {
  namespace nb = nanobind;
  std::optional<std::invoke_result_t<Work, std::stop_token>> result;
  std::exception_ptr failure;
  std::exception_ptr interruption;
  {
    std::stop_source source;
    std::mutex mutex;
    std::condition_variable finished;
    bool is_finished = false;
    const nb::gil_scoped_release released;
    std::thread worker([&] {
      try {
        result.emplace(work(source.get_token()));
      } catch (...) {
        failure = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      is_finished = true;
      finished.notify_one();
    });
    while (true) {
      {
        std::unique_lock lock(mutex);
        if (finished.wait_for(lock, kSignalInterval, [&] { return is_finished; })) break;
      }
      const nb::gil_scoped_acquire acquired;
      if (PyErr_CheckSignals() == 0) continue;
      if (interruption == nullptr) {
        interruption = std::make_exception_ptr(nb::python_error());
        source.request_stop();
      } else {
        PyErr_Clear();  // the stop is on its way
      }
    }
    worker.join();
  }
  if (interruption) std::rethrow_exception(interruption);
  if (failure) std::rethrow_exception(failure);
  return std::move(*result);
}

}  // namespace palimpsest::python
