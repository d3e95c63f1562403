// Draws the resamples of a bootstrap, on several threads.
#pragma once

#include <cstdint>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/parallel.h"
#include "palimpsest/base/random.h"
#include "palimpsest/stat/bootstrap.h"

namespace palimpsest::stat {

// Returns one value per resample. make_worker() is called for each range of resamples that a thread
// handles. It returns a function that computes a value from a Random&, and that may own buffers.
template <class MakeWorker>
std::vector<double> bootstrap_replicates(const BootstrapOptions& options,
                                         const MakeWorker& make_worker) {
  std::vector<double> values(static_cast<size_t>(options.resamples));
  const Random root(options.seed);
  parallel_for(options.resamples, options.threads, [&](int64_t begin, int64_t end) {
    auto worker = make_worker();
    for (int64_t r = begin; r < end; ++r) {
      if (options.stop.stop_requested()) throw Stopped();
      Random random = root.split(static_cast<uint64_t>(r));
      values[static_cast<size_t>(r)] = worker(random);
    }
  });
  return values;
}

}  // namespace palimpsest::stat
