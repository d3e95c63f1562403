#include "palimpsest/base/internal/parallel.h"

#include <algorithm>
#include <exception>
#include <numeric>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "palimpsest/base/internal/parallel_width.h"

namespace palimpsest {

int64_t& widest_parallel_for() {
  thread_local int64_t widest = 0;
  return widest;
}

void parallel_for(int64_t count, int threads, const std::function<void(int64_t, int64_t)>& body) {
  if (count <= 0) return;
  const int64_t wanted = threads > 0 ? threads : std::max(1U, std::thread::hardware_concurrency());
  const int64_t pieces = std::min(wanted, count);
  std::vector<int64_t> widths(static_cast<size_t>(pieces));
  std::vector<std::exception_ptr> failures(static_cast<size_t>(pieces));
  auto run = [&](int64_t piece) {
    const int64_t outside = std::exchange(widest_parallel_for(), 1);
    try {
      body(count * piece / pieces, count * (piece + 1) / pieces);
    } catch (...) {
      failures[static_cast<size_t>(piece)] = std::current_exception();
    }
    widths[static_cast<size_t>(piece)] = std::exchange(widest_parallel_for(), outside);
  };
  {
    std::vector<std::jthread> workers;
    int64_t piece = 1;
    try {
      for (; piece < pieces; ++piece) workers.emplace_back(run, piece);
    } catch (const std::system_error&) {
      // The system gives no more threads: this one does the rest.
    }
    for (; piece < pieces; ++piece) run(piece);
    run(0);
  }
  const int64_t width = std::accumulate(widths.begin(), widths.end(), int64_t{0});
  widest_parallel_for() = std::max(widest_parallel_for(), width);
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace palimpsest
