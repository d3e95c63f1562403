#include "palimpsest/lab/adamw.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "palimpsest/base/error.h"

namespace palimpsest::lab {
namespace {

void require_between(const char* name, double value, double least, double most) {
  if (value >= least && value <= most) return;
  throw Error({.what = fmt::format("{} is out of range", name),
               .expected = fmt::format("{} to {}", least, most),
               .found = fmt::format("{}", value)});
}

double length_of(std::span<const float> vector) {
  double sum = 0;
  for (const float x : vector) sum += static_cast<double>(x) * static_cast<double>(x);
  return std::sqrt(sum);
}

}  // namespace

void require_valid(const AdamWOptions& options) {
  constexpr double kHighest = 10;
  require_between("the learning rate", options.learning_rate, 0, kHighest);
  require_between("the final share of the learning rate", options.final_share, 0, 1);
  require_between("the share of warm-up steps", options.warmup_share, 0, 1);
  require_between("the weight decay", options.weight_decay, 0, kHighest);
  require_between("beta1", options.beta1, 0, 1 - 1e-9);
  require_between("beta2", options.beta2, 0, 1 - 1e-9);
  require_between("epsilon", options.epsilon, 1e-12, 1);
  require_between("the longest gradient", options.max_gradient_norm, 0, 1e9);
}

double learning_rate(const AdamWOptions& options, int64_t step, int64_t steps) {
  const auto warmup =
      static_cast<int64_t>(std::lround(options.warmup_share * static_cast<double>(steps)));
  if (step < warmup) {
    return options.learning_rate * static_cast<double>(step + 1) / static_cast<double>(warmup);
  }
  const double progress = static_cast<double>(step - warmup) /
                          static_cast<double>(std::max<int64_t>(1, steps - warmup));
  const double cosine = 0.5 * (1 + std::cos(std::numbers::pi * progress));
  return options.learning_rate * (options.final_share + (1 - options.final_share) * cosine);
}

AdamW::AdamW(const AdamWOptions& options, const ParameterLayout& layout)
    : options_(options),
      blocks_(layout.blocks()),
      first_(static_cast<size_t>(layout.size())),
      second_(static_cast<size_t>(layout.size())) {
  require_valid(options);
}

double AdamW::step(std::span<float> values, std::span<const float> gradient, double rate,
                   WorkerPool& pool) {
  PALIMPSEST_CHECK(values.size() == first_.size() && gradient.size() == first_.size());
  const double length = length_of(gradient);
  if (!std::isfinite(length)) return length;
  ++steps_;
  const bool clipped = options_.max_gradient_norm > 0 && length > options_.max_gradient_norm;
  const auto scale = static_cast<float>(clipped ? options_.max_gradient_norm / length : 1);
  const double correction1 = 1 - std::pow(options_.beta1, static_cast<double>(steps_));
  const double correction2 = 1 - std::pow(options_.beta2, static_cast<double>(steps_));
  const auto beta1 = static_cast<float>(options_.beta1);
  const auto beta2 = static_cast<float>(options_.beta2);
  const auto step_size = static_cast<float>(rate / correction1);
  const auto root_scale = static_cast<float>(1 / std::sqrt(correction2));
  const auto epsilon = static_cast<float>(options_.epsilon);
  pool.run(std::ssize(blocks_), [&](int64_t b, int) {
    const ParameterBlock& block = blocks_[static_cast<size_t>(b)];
    const auto keep = static_cast<float>(block.is_matrix() ? 1 - rate * options_.weight_decay : 1);
    const auto begin = static_cast<size_t>(block.offset);
    const size_t end = begin + static_cast<size_t>(block.size());
    for (size_t i = begin; i < end; ++i) {
      const float g = scale * gradient[i];
      first_[i] = beta1 * first_[i] + (1 - beta1) * g;
      second_[i] = beta2 * second_[i] + (1 - beta2) * g * g;
      values[i] =
          keep * values[i] - step_size * first_[i] / (std::sqrt(second_[i]) * root_scale + epsilon);
    }
  });
  return length;
}

}  // namespace palimpsest::lab
