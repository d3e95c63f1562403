// A dense row-major array of doubles of any rank. A rank-0 array is a single number and allocates
// no memory, so a scalar statistic costs no more than a double. Array is a value type: copies share
// nothing.
//
//   Array scalar(2.5);                       // shape {}, rank 0
//   Array matrix = Array::zeros({2, 3});     // shape {2, 3}
//   matrix.values()[3] = 1;                  // row 1, column 0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace palimpsest {

using Shape = std::vector<int64_t>;

// The number of elements of an array with this shape. Throws Error if an extent is negative or if
// the product of the extents overflows.
int64_t element_count(const Shape& shape);

// The shape as text: "[]", "[3]" or "[2, 3]".
std::string to_string(const Shape& shape);

class Array {
 public:
  Array() = default;
  Array(double value) : scalar_(value) {}  // NOLINT: a number is a rank-0 array
  // `values` must have as many numbers as the shape has elements (BugError).
  Array(Shape shape, std::vector<double> values);

  // Throws Error like element_count().
  static Array zeros(Shape shape);
  // A rank-1 array.
  static Array vector(std::vector<double> values);

  const Shape& shape() const { return shape_; }
  int64_t rank() const { return static_cast<int64_t>(shape_.size()); }
  int64_t size() const { return rank() == 0 ? 1 : static_cast<int64_t>(values_.size()); }

  std::span<double> values() & { return {data(), static_cast<size_t>(size())}; }
  std::span<const double> values() const& {
    return {rank() == 0 ? &scalar_ : values_.data(), static_cast<size_t>(size())};
  }
  // Called on a temporary, this returns the numbers and not a view, which would dangle. So a loop
  // such as for (double v : stat.result().values()) is safe.
  std::vector<double> values() && {
    return rank() == 0 ? std::vector<double>{scalar_} : std::move(values_);
  }

  // The value of a rank-0 array. Throws BugError for any other rank.
  double scalar() const;

  // Whether this is a rank-0 array that holds 0. Statistics use it for "nothing was accumulated
  // yet", whatever shape the result will have (see Statistic::merge).
  bool is_scalar_zero() const { return rank() == 0 && scalar_ == 0; }

  friend bool operator==(const Array& a, const Array& b) = default;

 private:
  double* data() { return rank() == 0 ? &scalar_ : values_.data(); }

  Shape shape_;
  double scalar_ = 0;
  std::vector<double> values_;
};

// A view of a row-major array as three nested axes, with the axis of interest in the middle:
// element [o][a][i] is values[(o * extent + a) * inner + i].
struct AxisSplit {
  int64_t outer = 1;
  int64_t extent = 1;
  int64_t inner = 1;
  Shape rest;  // the shape without the axis
};

// Splits the shape at `axis`. A negative axis counts from the back: -1 is the last axis. Throws
// Error if there is no such axis.
AxisSplit split_axis(const Shape& shape, int64_t axis);

// Sums the array along one axis; the result has one axis fewer. The axis is counted as in
// split_axis(), which throws Error if there is no such axis.
Array sum_axis(const Array& array, int64_t axis);

}  // namespace palimpsest
