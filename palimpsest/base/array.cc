#include "palimpsest/base/array.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/checked.h"

namespace palimpsest {

int64_t element_count(const Shape& shape) {
  int64_t count = 1;
  for (int64_t extent : shape) {
    if (extent < 0) throw Error(fmt::format("a shape has the negative extent {}", extent));
    count = checked_mul(count, extent);
  }
  return count;
}

std::string to_string(const Shape& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

Array::Array(Shape shape, std::vector<double> values) : shape_(std::move(shape)) {
  PALIMPSEST_CHECK(element_count(shape_) == static_cast<int64_t>(values.size()));
  if (shape_.empty()) {
    scalar_ = values[0];
  } else {
    values_ = std::move(values);
  }
}

Array Array::zeros(Shape shape) {
  std::vector<double> values(static_cast<size_t>(element_count(shape)), 0.0);
  return Array(std::move(shape), std::move(values));
}

Array Array::vector(std::vector<double> values) {
  const auto extent = static_cast<int64_t>(values.size());
  return Array({extent}, std::move(values));
}

double Array::scalar() const {
  PALIMPSEST_CHECK(rank() == 0);
  return scalar_;
}

AxisSplit split_axis(const Shape& shape, int64_t axis) {
  const auto rank = static_cast<int64_t>(shape.size());
  if (axis < -rank || axis >= rank) {
    throw Error(fmt::format("there is no axis {} in an array of rank {}", axis, rank));
  }
  if (axis < 0) axis += rank;
  AxisSplit split;
  for (int64_t i = 0; i < rank; ++i) {
    const int64_t extent = shape[static_cast<size_t>(i)];
    if (i == axis) {
      split.extent = extent;
      continue;
    }
    (i < axis ? split.outer : split.inner) *= extent;
    split.rest.push_back(extent);
  }
  return split;
}

Array sum_axis(const Array& array, int64_t axis) {
  const AxisSplit split = split_axis(array.shape(), axis);
  Array sum = Array::zeros(split.rest);
  const double* from = array.values().data();
  for (int64_t o = 0; o < split.outer; ++o) {
    double* to = sum.values().data() + o * split.inner;
    for (int64_t a = 0; a < split.extent; ++a) {
      for (int64_t i = 0; i < split.inner; ++i) to[i] += *from++;
    }
  }
  return sum;
}

}  // namespace palimpsest
