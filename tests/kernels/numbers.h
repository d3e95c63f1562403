// Made-up numbers for the tests of the kernels, the same in every run.
#pragma once

#include <cstdint>
#include <vector>

#include "palimpsest/base/random.h"

namespace palimpsest::kernels {

// What stands beyond an output, where nothing may be written.
inline constexpr float kUntouched = 12345;

// n normal numbers times `scale`.
inline std::vector<float> random_numbers(int64_t n, uint64_t seed, double scale = 1) {
  Random random(seed);
  std::vector<float> numbers(static_cast<size_t>(n));
  for (float& number : numbers) number = static_cast<float>(scale * random.normal());
  return numbers;
}

}  // namespace palimpsest::kernels
