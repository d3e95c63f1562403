#include "palimpsest/torch/threads.h"

#include <ATen/Parallel.h>
#include <dlfcn.h>

#include <algorithm>
#include <thread>

namespace palimpsest::torch {
namespace {

// OpenBLAS says how it was built; other libraries do not have this function.
constexpr int kOwnThreads = 1;

}  // namespace

void arrange_threads(int threads) {
  const int count =
      threads > 0 ? threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  using GetParallel = int (*)();
  using SetThreads = void (*)(int);
  const auto get_parallel =
      reinterpret_cast<GetParallel>(dlsym(RTLD_DEFAULT, "openblas_get_parallel"));
  const auto set_threads =
      reinterpret_cast<SetThreads>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
  const bool own_threads =
      get_parallel != nullptr && set_threads != nullptr && get_parallel() == kOwnThreads;
  if (own_threads) set_threads(count);
  // Where matrix products run on OpenMP's threads (MKL, another OpenBLAS) they must have them all.
  at::set_num_threads(own_threads ? 1 : count);
}

}  // namespace palimpsest::torch
