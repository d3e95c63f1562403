#include "palimpsest/torch/threads.h"

#include <ATen/Parallel.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <thread>

namespace palimpsest::torch {
namespace {

template <class Function>
Function* symbol(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

// OpenBLAS with threads of its own; other libraries, and OpenBLAS on OpenMP, lack one of these or
// say so.
struct OpenBlas {
  static constexpr int kOwnThreads = 1;
  int (*parallel)() = symbol<int()>("openblas_get_parallel");
  void (*set_threads)(int) = symbol<void(int)>("openblas_set_num_threads");
  void (*read_settings)() = symbol<void()>("openblas_read_env");
  int (*stop_threads)() = symbol<int()>("blas_thread_shutdown_");

  bool has_own_threads() const {
    return parallel != nullptr && set_threads != nullptr && parallel() == kOwnThreads;
  }

  // A worker that has nothing to do spins for 2^26 cycles, 25 ms, before it sleeps: longer than
  // everything that we do between two products, on a core that we want. 2^10 cycles are enough.
  // The setting is only looked for in the environment, which is read anew here, and by workers that
  // start, which they do again at the next product.
  void sleep_soon() const {
    if (read_settings == nullptr || stop_threads == nullptr) return;
    setenv("OPENBLAS_THREAD_TIMEOUT", "10", 0);
    read_settings();
    stop_threads();
  }
};

}  // namespace

void arrange_threads(int threads) {
  const int count =
      threads > 0 ? threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  static const OpenBlas blas;
  const bool own_threads = blas.has_own_threads();
  if (own_threads) {
    static std::once_flag once;
    std::call_once(once, [] { blas.sleep_soon(); });
    blas.set_threads(count);
  }
  // Where products run on OpenMP's threads (MKL, OpenBLAS built so) they must have them all.
  at::set_num_threads(own_threads ? 1 : count);
}

}  // namespace palimpsest::torch
