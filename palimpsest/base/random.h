// A seeded random number generator whose sequence is the same on every platform. It can be split by
// item: the generator of item 17 draws the same numbers whichever thread uses it, and whatever was
// drawn before. The algorithm is xoshiro256++ (Blackman and Vigna), seeded through SplitMix64. A
// Random must not be shared between threads; split() gives each thread its own.
//
//   Random random = Random(seed).split(17);
//   uint64_t die = random.below(6);
#pragma once

#include <array>
#include <cstdint>

namespace palimpsest {

class Random {
 public:
  explicit Random(uint64_t seed);

  // The generator of one item. It depends only on the seed and the item, not on the numbers drawn
  // so far.
  Random split(uint64_t item) const;

  // A number that is uniform over all 64-bit values.
  uint64_t next() {
    const uint64_t result = rotate(state_[0] + state_[3], 23) + state_[0];
    const uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  // A number that is uniform on [0, bound) without bias (Lemire's multiplication). The bound must
  // be positive.
  uint64_t below(uint64_t bound) {
    auto product = static_cast<unsigned __int128>(next()) * bound;
    auto low = static_cast<uint64_t>(product);
    if (low < bound) [[unlikely]] {
      const uint64_t threshold = (0 - bound) % bound;
      while (low < threshold) {
        product = static_cast<unsigned __int128>(next()) * bound;
        low = static_cast<uint64_t>(product);
      }
    }
    return static_cast<uint64_t>(product >> 64);
  }

  // A number that is uniform on [0, 1), with 53 random bits.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  // A standard normal number (Box-Muller, one number per call).
  double normal();

 private:
  static uint64_t rotate(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

  uint64_t seed_;
  std::array<uint64_t, 4> state_;
};

}  // namespace palimpsest
