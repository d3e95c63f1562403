#include "palimpsest/lab/internal/adamw.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/vector_math.h"
#include "palimpsest/lab/internal/ranges.h"

namespace palimpsest::lab {
namespace {

// Sums in lanes, which compilers may not make of one running sum.
PALIMPSEST_INLINE double squares_loop(const float* x, size_t n) {
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
  return sum;
}

double squares_of(const float* x, size_t n) {
  PALIMPSEST_FOR_EACH_CPU(squares_loop(x, n));
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

PALIMPSEST_INLINE void move_loop(float* __restrict values, const float* __restrict gradient,
                                 float* __restrict first, float* __restrict second, size_t n,
                                 const StepNumbers& step, float keep) {
  for (size_t i = 0; i < n; ++i) {
    const float g = step.scale * gradient[i];
    first[i] = step.beta1 * first[i] + (1 - step.beta1) * g;
    second[i] = step.beta2 * second[i] + (1 - step.beta2) * g * g;
    values[i] = keep * values[i] -
                step.step_size * first[i] / (std::sqrt(second[i]) * step.root_scale + step.epsilon);
  }
}

void move(float* values, const float* gradient, float* first, float* second, size_t n,
          const StepNumbers& step, float keep) {
  PALIMPSEST_FOR_EACH_CPU(move_loop(values, gradient, first, second, n, step, keep));
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

AdamW::AdamW(const AdamWOptions& options, const engine::ModelWeights& values,
             const engine::ModelWeights& gradients)
    : options_(options) {
  constexpr int64_t kNumbers = 1 << 16;  // of a unit, about
  require_valid(options);
  const std::vector<engine::WeightBlock> blocks = engine::weight_blocks(values);
  const std::vector<engine::WeightBlock> slopes = engine::weight_blocks(gradients);
  PALIMPSEST_CHECK(blocks.size() == slopes.size());
  size_t numbers = 0;
  for (size_t b = 0; b < blocks.size(); ++b) {
    const engine::Matrix& matrix = blocks[b].matrix;
    const int64_t together =
        std::max<int64_t>(1, kNumbers / std::max<int64_t>(matrix.columns(), 1));
    for (int64_t row = 0; row < matrix.rows(); row += together) {
      const int64_t count = std::min(together, matrix.rows() - row);
      units_.push_back({.values = matrix.slice(row, count),
                        .gradients = slopes[b].matrix.slice(row, count),
                        .moments = numbers,
                        .is_matrix = blocks[b].is_matrix});
      numbers += static_cast<size_t>(count * matrix.columns());
    }
  }
  first_.resize(numbers);
  second_.resize(numbers);
}

int64_t AdamW::bytes(int64_t parameters) {
  constexpr int64_t kMoments = 2;
  return kMoments * static_cast<int64_t>(sizeof(float)) * parameters;
}

double AdamW::gradient_length(WorkerPool& pool) const {
  std::vector<double> sums(units_.size());
  pool.run(std::ssize(units_), [&](int64_t u, int) {
    const engine::Matrix& part = units_[static_cast<size_t>(u)].gradients;
    for (int64_t row = 0; row < part.rows(); ++row) {
      sums[static_cast<size_t>(u)] +=
          squares_of(part.row(row), static_cast<size_t>(part.columns()));
    }
  });
  double sum = 0;
  for (const double part : sums) sum += part;
  return std::sqrt(sum);
}

double AdamW::step(double rate, WorkerPool& pool) {
  const double length = gradient_length(pool);
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
  pool.run(std::ssize(units_), [&](int64_t u, int) {
    const Unit& unit = units_[static_cast<size_t>(u)];
    const auto keep = static_cast<float>(unit.is_matrix ? 1 - rate * options_.weight_decay : 1);
    const auto columns = static_cast<size_t>(unit.values.columns());
    size_t offset = unit.moments;
    for (int64_t row = 0; row < unit.values.rows(); ++row, offset += columns) {
      move(unit.values.row(row), unit.gradients.row(row), first_.data() + offset,
           second_.data() + offset, columns, numbers, keep);
    }
  });
  return length;
}

}  // namespace palimpsest::lab
