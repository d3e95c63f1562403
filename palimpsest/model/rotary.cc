#include "palimpsest/model/internal/rotary.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace palimpsest::model {
namespace {

// Every step below is rounded to float32 where torch rounds it, in torch's order: the angles of
// late positions show a difference in the last bit.

float power(float base, double exponent) {
  return static_cast<float>(std::pow(static_cast<double>(base), exponent));
}

// theta^(2i / dims): what a position is divided by.
std::vector<float> periods(float theta, int64_t dims) {
  std::vector<float> result;
  result.reserve(static_cast<size_t>(dims / 2));
  for (int64_t i = 0; i < dims; i += 2) {
    const float exponent = static_cast<float>(i) / static_cast<float>(dims);
    result.push_back(power(theta, exponent));
  }
  return result;
}

// The base that keeps the slowest pair within the trained angles at this length. transformers holds
// a length beyond the trained one as a tensor, hence in float32, and the trained one as a double.
float dynamic_theta(const Rotary& rotary, int64_t length) {
  const auto dims = static_cast<double>(rotary.dims);
  const double exponent = dims / (dims - 2);
  const auto original = static_cast<double>(rotary.original_max_positions);
  if (length <= rotary.original_max_positions) {
    const double stretch = rotary.factor * original / original - (rotary.factor - 1);
    return static_cast<float>(rotary.theta * std::pow(stretch, exponent));
  }
  float stretch = static_cast<float>(length) * static_cast<float>(rotary.factor);
  stretch /= static_cast<float>(original);
  stretch -= static_cast<float>(rotary.factor - 1);
  return power(stretch, exponent) * static_cast<float>(rotary.theta);
}

// Llama 3.1: fast pairs as they are, slow ones divided by the factor, those between blended.
float llama3_frequency(const Rotary& rotary, float frequency) {
  const auto factor = static_cast<float>(rotary.factor);
  const auto original = static_cast<double>(rotary.original_max_positions);
  const float wavelength = 1 / frequency * static_cast<float>(2 * std::numbers::pi);
  if (wavelength < static_cast<float>(original / rotary.high_freq_factor)) return frequency;
  if (wavelength > static_cast<float>(original / rotary.low_freq_factor)) return frequency / factor;
  const float turns = 1 / wavelength * static_cast<float>(original);
  const float smooth = (turns - static_cast<float>(rotary.low_freq_factor)) /
                       static_cast<float>(rotary.high_freq_factor - rotary.low_freq_factor);
  return (1 - smooth) * frequency / factor + smooth * frequency;
}

bool uses_long_factor(const Rotary& rotary, int64_t length) {
  return length > rotary.original_max_positions;
}

}  // namespace

std::vector<float> rotary_frequencies(const Rotary& rotary, int64_t length) {
  const float theta = rotary.scaling == RopeScaling::kDynamic ? dynamic_theta(rotary, length)
                                                              : static_cast<float>(rotary.theta);
  std::vector<float> result = periods(theta, rotary.dims);
  if (rotary.scaling == RopeScaling::kLongRope) {
    const auto& factors =
        uses_long_factor(rotary, length) ? rotary.long_factor : rotary.short_factor;
    for (size_t i = 0; i < std::min(result.size(), factors.size()); ++i) {
      result[i] *= static_cast<float>(factors[i]);
    }
  }
  for (float& value : result) value = 1 / value;
  if (rotary.scaling == RopeScaling::kLinear) {
    for (float& value : result) value /= static_cast<float>(rotary.factor);
  } else if (rotary.scaling == RopeScaling::kLlama3) {
    for (float& value : result) value = llama3_frequency(rotary, value);
  }
  return result;
}

int64_t rotary_length_class(const Rotary& rotary, int64_t length) {
  if (rotary.scaling == RopeScaling::kDynamic) {
    return std::max(length, rotary.original_max_positions);
  }
  if (rotary.scaling == RopeScaling::kLongRope) return uses_long_factor(rotary, length) ? 1 : 0;
  return 0;
}

}  // namespace palimpsest::model
