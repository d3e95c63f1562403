#include "palimpsest/lab/adamw.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "palimpsest/base/error.h"
#include "palimpsest/base/vector_math.h"
#include "palimpsest/lab/ranges.h"

namespace palimpsest::lab {
namespace {

// Sums in lanes, which compilers may not make of one running sum.
PALIMPSEST_VECTOR_CLONES
double length_of(const float* x, size_t n) {
  constexpr size_t kLanes = 8;
  double lanes[kLanes] = {};
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      const auto value = static_cast<double>(x[i + lane]);
      lanes[lane] += value * value;
    }
  }
  double sum = 0;
  for (const double lane : lanes) sum += lane;
  for (; i < n; ++i) sum += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  return std::sqrt(sum);
}

// The numbers of one step.
struct StepNumbers {
  float scale;  // of the gradient
  float beta1;
  float beta2;
  float step_size;
  float root_scale;
  float epsilon;
};

PALIMPSEST_VECTOR_CLONES
void move_block(float* __restrict values, const float* __restrict gradient, float* __restrict first,
                float* __restrict second, size_t n, const StepNumbers& step, float keep) {
  for (size_t i = 0; i < n; ++i) {
    const float g = step.scale * gradient[i];
    first[i] = step.beta1 * first[i] + (1 - step.beta1) * g;
    second[i] = step.beta2 * second[i] + (1 - step.beta2) * g * g;
    values[i] = keep * values[i] -
                step.step_size * first[i] / (std::sqrt(second[i]) * step.root_scale + step.epsilon);
  }
}

}  // namespace

void require_valid(const AdamWOptions& options) {
  constexpr double kHighest = 10;
  require_between<double>("the learning rate", options.learning_rate, 0, kHighest);
  require_between<double>("the final share of the learning rate", options.final_share, 0, 1);
  require_between<double>("the share of warm-up steps", options.warmup_share, 0, 1);
  require_between<double>("the weight decay", options.weight_decay, 0, kHighest);
  require_between<double>("beta1", options.beta1, 0, 1 - 1e-9);
  require_between<double>("beta2", options.beta2, 0, 1 - 1e-9);
  require_between<double>("epsilon", options.epsilon, 1e-12, 1);
  require_between<double>("the longest gradient", options.max_gradient_norm, 0, 1e9);
}

std::string describe(const AdamWOptions& options) {
  return fmt::format("{} {} {} {} {} {} {} {}", options.learning_rate, options.final_share,
                     options.warmup_share, options.weight_decay, options.beta1, options.beta2,
                     options.epsilon, options.max_gradient_norm);
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
  const double length = length_of(gradient.data(), gradient.size());
  if (!std::isfinite(length)) return length;
  ++steps_;
  const bool clipped = options_.max_gradient_norm > 0 && length > options_.max_gradient_norm;
  const double correction1 = 1 - std::pow(options_.beta1, static_cast<double>(steps_));
  const double correction2 = 1 - std::pow(options_.beta2, static_cast<double>(steps_));
  const StepNumbers numbers{
      .scale = static_cast<float>(clipped ? options_.max_gradient_norm / length : 1),
      .beta1 = static_cast<float>(options_.beta1),
      .beta2 = static_cast<float>(options_.beta2),
      .step_size = static_cast<float>(rate / correction1),
      .root_scale = static_cast<float>(1 / std::sqrt(correction2)),
      .epsilon = static_cast<float>(options_.epsilon)};
  pool.run(std::ssize(blocks_), [&](int64_t b, int) {
    const ParameterBlock& block = blocks_[static_cast<size_t>(b)];
    const auto keep = static_cast<float>(block.is_matrix() ? 1 - rate * options_.weight_decay : 1);
    const auto begin = static_cast<size_t>(block.offset);
    move_block(values.data() + begin, gradient.data() + begin, first_.data() + begin,
               second_.data() + begin, static_cast<size_t>(block.size()), numbers, keep);
  });
  return length;
}

}  // namespace palimpsest::lab
