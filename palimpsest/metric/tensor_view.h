// A view of numbers that the caller owns: a shape and a span of float, double, int32_t or int64_t,
// dense and row-major. It copies nothing, so arrays of any framework can be evaluated in place. The
// numbers must outlive the view. Views are cheap to copy. Threads may share a view as long as no
// thread writes to the numbers.
//
//   std::vector<float> logits = {1.2F, 0.4F, 2.3F, 0.1F};
//   TensorView view({2, 2}, logits);
//   view.row(1);                             // shape [2]: 2.3, 0.1
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <variant>

#include "palimpsest/base/array.h"

namespace palimpsest::metric {

class TensorView {
 public:
  using Values = std::variant<std::span<const float>, std::span<const double>,
                              std::span<const int32_t>, std::span<const int64_t>>;
  // The largest number of axes; no metric reads arrays with more. A view of more axes is an Error.
  // The limit lets a view store its shape without allocating.
  static constexpr int64_t kMaxRank = 8;

  // Throws Error if the number of values does not match the shape.
  TensorView(const Shape& shape, Values values);
  TensorView(const Array& array)  // NOLINT: implicit, so that an Array can be passed as a view
      : TensorView(array.shape(), array.values()) {}
  TensorView(Array&&) = delete;  // the view would dangle

  int64_t rank() const { return rank_; }
  int64_t extent(int64_t axis) const { return extents_[static_cast<size_t>(axis)]; }
  Shape shape() const { return {extents_.begin(), extents_.begin() + rank_}; }
  int64_t size() const;
  const Values& values() const { return values_; }

  // The element at `index` along the leading axis, with one axis fewer. `index` must be at least 0
  // and less than extent(0), and there must be an axis (BugError).
  TensorView row(int64_t index) const;
  // The same numbers as a batch of one.
  TensorView with_leading_axis() const;

 private:
  TensorView() = default;

  std::array<int64_t, kMaxRank> extents_ = {};
  int64_t rank_ = 0;
  Values values_;
};

}  // namespace palimpsest::metric
