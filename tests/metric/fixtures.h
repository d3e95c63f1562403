// What the tests of this module share: statistics taken apart, errors as text, random batches.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/base/random.h"
#include "palimpsest/metric/metric.h"
#include "palimpsest/stat/statistic.h"

namespace palimpsest {

// For gtest's messages.
inline void PrintTo(const Array& array, std::ostream* out) {
  *out << to_string(array.shape()) << " {";
  for (double value : array.values()) *out << " " << value;
  *out << " }";
}

}  // namespace palimpsest

namespace palimpsest::metric {

inline Array accum_of(const stat::AnyStat& stat) {
  return stat::field(stat.save(), "accum");
}

inline Array weight_of(const stat::AnyStat& stat) {
  return stat::field(stat.save(), "weight");
}

// The statistic of one example with the target `y` and the prediction `pred`.
inline stat::AnyStat on_example(const Metric& metric, const Array& y, const Array& pred) {
  return metric.evaluate_example({{"y", y}}, TensorView(pred));
}

// The statistic of one example for a metric that looks at the target alone.
inline stat::AnyStat on_targets(const Metric& metric, const Array& y) {
  return metric.evaluate_example({{"y", y}}, {});
}

// The message of the Error that `call` throws; empty if it throws none.
template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// Whether two arrays agree: undefined values with each other, others within tolerance · max(1,
// |b|).
inline ::testing::AssertionResult near(const Array& a, const Array& b, double tolerance) {
  if (a.shape() != b.shape()) {
    return ::testing::AssertionFailure()
           << "shapes " << to_string(a.shape()) << " and " << to_string(b.shape());
  }
  for (int64_t i = 0; i < a.size(); ++i) {
    const double x = a.values()[static_cast<size_t>(i)];
    const double y = b.values()[static_cast<size_t>(i)];
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    if (std::abs(x - y) <= tolerance * std::max(1.0, std::abs(y))) continue;
    return ::testing::AssertionFailure() << "element " << i << ": " << x << " and " << y;
  }
  return ::testing::AssertionSuccess();
}

inline ::testing::AssertionResult near(const stat::AnyStat& a, const stat::AnyStat& b,
                                       double tolerance) {
  if (a.type() != b.type()) {
    return ::testing::AssertionFailure() << "types " << a.type() << " and " << b.type();
  }
  const stat::Fields left = a.save();
  const stat::Fields right = b.save();
  for (size_t f = 0; f < left.size(); ++f) {
    const auto same = near(left[f].second, right[f].second, tolerance);
    if (!same) return ::testing::AssertionFailure() << left[f].first << ": " << same.message();
  }
  return ::testing::AssertionSuccess();
}

}  // namespace palimpsest::metric
