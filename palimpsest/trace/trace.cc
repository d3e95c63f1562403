#include "palimpsest/trace/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "palimpsest/base/error.h"

namespace palimpsest::trace {
namespace {

// A log-probability may exceed 0 by the rounding of a float32 log-softmax.
constexpr double kRounding = 1e-4;
// Other programs compute 'avg_loss', 'mean' and 'var' in 16 bits, which keep 8 binary digits, or
// write a few decimals.
constexpr double kCoarseRounding = 0.01;

double avg_loss_of(const std::vector<double>& logprobs, int64_t num_labels) {
  double sum = 0;
  for (const double logprob : logprobs) sum -= logprob;
  return sum / static_cast<double>(num_labels);
}

template <class T>
void require_length(const char* name, const std::optional<std::vector<T>>& array,
                    const Trace& trace, std::optional<size_t>& length) {
  if (!array) return;
  const auto size = static_cast<int64_t>(array->size());
  const bool fits = size == trace.num_labels || size == trace.num_labels - 1;
  if (!fits) {
    throw Error({.what = fmt::format("'{}' does not fit 'num_labels'", name),
                 .expected = fmt::format("{} numbers, or one fewer where position 0 is labelled",
                                         trace.num_labels),
                 .found = std::to_string(size)});
  }
  if (length && *length != array->size()) {
    throw Error(fmt::format("'{}' has {} entries but another array has {}", name, size, *length));
  }
  length = array->size();
}

void require_numbers(const char* name, const std::optional<std::vector<double>>& array) {
  if (!array) return;
  for (size_t i = 0; i < array->size(); ++i) {
    if (std::isfinite((*array)[i])) continue;
    throw Error(fmt::format("'{}' holds NaN or an infinite number at position {}", name, i));
  }
}

void require_logarithms(const std::optional<std::vector<double>>& logprobs) {
  if (!logprobs) return;
  for (const double logprob : *logprobs) {
    if (logprob <= kRounding) continue;
    throw Error({.what = fmt::format("'logprob' holds {}", logprob),
                 .expected = "natural logarithms of probabilities, which are never positive"});
  }
}

void require_variances(const Trace& trace) {
  if (!trace.var) return;
  for (size_t t = 0; t < trace.var->size(); ++t) {
    // It is a difference of two numbers that are about as large as the square of the mean.
    const double mean = trace.mean ? (*trace.mean)[t] : 0;
    if ((*trace.var)[t] >= -kCoarseRounding * (1 + mean * mean)) continue;
    throw Error({.what = fmt::format("'var' holds {} at position {}", (*trace.var)[t], t),
                 .expected = "variances, which are never negative"});
  }
}

void require_loss(const Trace& trace) {
  if (!trace.given_avg_loss) return;
  const double given = *trace.given_avg_loss;
  if (!std::isfinite(given)) throw Error("'avg_loss' is NaN or infinite");
  if (given < -kRounding) {
    throw Error({.what = fmt::format("'avg_loss' is {}", given),
                 .expected = "a mean of -log p, which is never negative",
                 .hint = "if it is a mean of log p, write it with the other sign"});
  }
  if (!trace.logprob || trace.logprob->empty() || trace.num_labels == 0) return;
  const double computed = avg_loss_of(*trace.logprob, trace.num_labels);
  if (std::abs(given - computed) <= kCoarseRounding * (1 + std::abs(computed))) return;
  throw Error({.what = "'avg_loss' contradicts 'logprob'",
               .expected = fmt::format("about {}, the sum of -logprob over num_labels", computed),
               .found = fmt::format("{}", given),
               .hint = "leave 'avg_loss' out, and it is computed"});
}

void round_all(std::optional<std::vector<double>>& values) {
  if (!values) return;
  for (double& value : *values) value = to_float32(value);
}

}  // namespace

double to_float32(double value) {
  // Halfway between the largest float32 and the next power of two; from there on it is infinite.
  constexpr double kBeyond = 0x1.ffffffp127;
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  if (value >= kBeyond) return kInfinite;
  if (value <= -kBeyond) return -kInfinite;
  return static_cast<double>(static_cast<float>(value));
}

void round_to_float32(Trace& trace) {
  round_all(trace.logprob);
  round_all(trace.mean);
  round_all(trace.var);
  for (auto& [order, norm] : trace.grad_norm) norm = to_float32(norm);
}

std::optional<double> avg_loss(const Trace& trace) {
  if (trace.num_labels == 0) return std::nullopt;
  if (trace.given_avg_loss) return trace.given_avg_loss;
  if (!trace.logprob) return std::nullopt;
  return avg_loss_of(*trace.logprob, trace.num_labels);
}

std::span<const double> token_logprobs(const Trace& trace) {
  if (!trace.logprob || trace.logprob->empty()) return {};
  return std::span(*trace.logprob).first(trace.logprob->size() - 1);
}

int64_t num_tokens(const Trace& trace) {
  if (trace.logprob) return static_cast<int64_t>(token_logprobs(trace).size());
  return std::max<int64_t>(0, trace.num_labels - 1);
}

void require_consistent(const Trace& trace) {
  if (trace.num_labels < 0) {
    throw Error(fmt::format("'num_labels' is {}, a negative number", trace.num_labels));
  }
  std::optional<size_t> length;
  require_length("logprob", trace.logprob, trace, length);
  require_length("mean", trace.mean, trace, length);
  require_length("var", trace.var, trace, length);
  require_length("argmax", trace.argmax, trace, length);
  require_length("label", trace.label, trace, length);
  require_length("tokens", trace.tokens, trace, length);
  require_numbers("logprob", trace.logprob);
  require_numbers("mean", trace.mean);
  require_numbers("var", trace.var);
  require_variances(trace);
  if (trace.zlib_size && *trace.zlib_size < 1) {
    throw Error({.what = fmt::format("'zlib_size' is {}", *trace.zlib_size),
                 .expected = "the size of a compressed text, at least 1"});
  }
  for (const auto& [p, norm] : trace.grad_norm) {
    if (std::isfinite(norm) && norm >= 0) continue;
    throw Error({.what = fmt::format("the 'grad_norm' of p = {} is {}", p, norm),
                 .expected = "a finite number, not negative"});
  }
  require_logarithms(trace.logprob);
  require_loss(trace);
}

}  // namespace palimpsest::trace
