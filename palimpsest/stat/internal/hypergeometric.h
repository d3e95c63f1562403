// The hypergeometric distribution: the number of marked items among those drawn from a population
// without replacement. Both tails keep their relative precision, however small they are.
//
//   HypergeometricCdf(10)(1, {.population = 10, .marked = 4, .drawn = 3})   // P(at most 1) = 2/3
#pragma once

#include <cstdint>
#include <vector>

namespace palimpsest::stat {

struct HypergeometricDraw {
  int64_t population = 0;
  int64_t marked = 0;  // at most the population
  int64_t drawn = 0;   // at most the population
};

// Holds the logarithms of the factorials up to the largest population that will be used, so that
// each probability is cheap. Threads may share it.
class HypergeometricCdf {
 public:
  explicit HypergeometricCdf(int64_t largest_population);

  // P(at most `count` of the drawn items are marked), as a sum of O(√drawn) terms.
  double operator()(int64_t count, const HypergeometricDraw& draw) const;

 private:
  double log_pmf(int64_t count, const HypergeometricDraw& draw) const;

  std::vector<double> log_factorials_;
};

}  // namespace palimpsest::stat
