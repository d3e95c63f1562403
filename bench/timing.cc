#include "bench/timing.h"

#include <cblas.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

namespace palimpsest {
namespace {

// Operations per second of a matrix library's product that is large enough to run at its best.
double multiply_rate() {
  constexpr int64_t kSide = 2048;
  constexpr int kProducts = 3;
  static const std::vector<float> a(kSide * kSide, 0.5F);
  static const std::vector<float> b(kSide * kSide, 0.25F);
  static std::vector<float> product(kSide * kSide);
  double best = 0;
  for (int i = 0; i < kProducts; ++i) {
    const double took = seconds_of([] {
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, kSide, kSide, kSide, 1, a.data(),
                  kSide, b.data(), kSide, 0, product.data(), kSide);
    });
    best = std::max(best, 2.0 * kSide * kSide * kSide / took);
  }
  return best;
}

}  // namespace

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

TimedPair median_pair(int rounds, const std::function<TimedPair()>& measure) {
  std::vector<TimedPair> pairs;
  for (int round = 0; round < rounds; ++round) pairs.push_back(measure());
  const auto middle = pairs.begin() + rounds / 2;
  std::ranges::nth_element(pairs, middle, {},
                           [](const TimedPair& pair) { return pair.against / pair.ours; });
  return *middle;
}

TimedPair against_multiply(double operations, const std::function<void()>& work) {
  const double before = multiply_rate();
  const double took = seconds_of(work);
  return {.ours = took, .against = operations / std::max(before, multiply_rate())};
}

}  // namespace palimpsest
