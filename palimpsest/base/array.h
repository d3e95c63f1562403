// A dense row-major array of double of any rank. Rank 0 is one number and allocates nothing, so
// that scalar statistics are as cheap as a double. It is a value type: copies share nothing.
//
//   Array scalar(2.5);                       // shape {}, rank 0
//   Array matrix = Array::zeros({2, 3});     // shape {2, 3}
//   matrix.values()[3] = 1;                  // row 1, column 0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace palimpsest {

using Shape = std::vector<int64_t>;

// The number of elements of a shape; throws Error if an extent is negative or the product
// overflows.
int64_t element_count(const Shape& shape);

// "[]", "[3]", "[2, 3]"
std::string to_string(const Shape& shape);

class Array {
 public:
  Array() = default;
  Array(double value) : scalar_(value) {}  // NOLINT: a number is a rank-0 array
  Array(Shape shape, std::vector<double> values);

  static Array zeros(Shape shape);
  // A rank-1 array.
  static Array vector(std::vector<double> values);

  const Shape& shape() const { return shape_; }
  int64_t rank() const { return static_cast<int64_t>(shape_.size()); }
  int64_t size() const { return rank() == 0 ? 1 : static_cast<int64_t>(values_.size()); }

  std::span<double> values() { return {data(), static_cast<size_t>(size())}; }
  std::span<const double> values() const {
    return {rank() == 0 ? &scalar_ : values_.data(), static_cast<size_t>(size())};
  }

  // The number that a rank-0 array holds.
  double scalar() const;

  // Whether this is a rank-0 zero, which means "nothing accumulated yet" for any shape; see
  // Statistic::merge.
  bool is_scalar_zero() const { return rank() == 0 && scalar_ == 0; }

  friend bool operator==(const Array& a, const Array& b) = default;

 private:
  double* data() { return rank() == 0 ? &scalar_ : values_.data(); }

  Shape shape_;
  double scalar_ = 0;
  std::vector<double> values_;
};

// The extents around one axis: array[o][a][i] is values[(o * extent + a) * inner + i].
struct AxisSplit {
  int64_t outer = 1;
  int64_t extent = 1;
  int64_t inner = 1;
  Shape rest;  // the shape without the axis
};

// `axis` counts from the front, or from the back when negative (-1 is the last axis).
AxisSplit split_axis(const Shape& shape, int64_t axis);

// The sum along one axis.
Array sum_axis(const Array& array, int64_t axis);

}  // namespace palimpsest
