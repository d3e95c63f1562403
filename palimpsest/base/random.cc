#include "palimpsest/base/random.h"

#include <cmath>
#include <numbers>

namespace palimpsest {
namespace {

// SplitMix64 (Steele, Lea and Flood): a bijection that scatters neighbouring inputs.
uint64_t scatter(uint64_t x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

}  // namespace

Random::Random(uint64_t seed) : seed_(seed) {
  for (uint64_t& word : state_) word = seed = scatter(seed);
}

Random Random::split(uint64_t item) const {
  return Random(scatter(seed_) ^ scatter(~item));
}

double Random::normal() {
  const double radius = std::sqrt(-2 * std::log1p(-uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

}  // namespace palimpsest
