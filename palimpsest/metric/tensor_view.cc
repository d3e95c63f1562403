#include "palimpsest/metric/tensor_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "palimpsest/base/error.h"

namespace palimpsest::metric {

namespace {

int64_t checked_rank(int64_t rank) {
  if (rank <= TensorView::kMaxRank) return rank;
  throw Error({.what = fmt::format("an array of {} axes cannot be viewed", rank),
               .expected = fmt::format("at most {}", TensorView::kMaxRank)});
}

}  // namespace

TensorView::TensorView(const Shape& shape, Values values)
    : rank_(checked_rank(static_cast<int64_t>(shape.size()))), values_(values) {
  std::copy(shape.begin(), shape.end(), extents_.begin());
  if (element_count(shape) != size()) {
    throw Error({.what = "a view's shape does not fit its values",
                 .expected = fmt::format("{} values for the shape {}", element_count(shape),
                                         to_string(shape)),
                 .found = fmt::format("{}", size())});
  }
}

int64_t TensorView::size() const {
  return std::visit([](auto span) { return static_cast<int64_t>(span.size()); }, values_);
}

TensorView TensorView::row(int64_t index) const {
  PALIMPSEST_CHECK(rank_ > 0 && index >= 0 && index < extents_[0]);
  TensorView view;
  view.rank_ = rank_ - 1;
  std::copy(extents_.begin() + 1, extents_.end(), view.extents_.begin());
  const auto length = static_cast<size_t>(size() / extents_[0]);
  view.values_ = std::visit(
      [&](auto span) -> Values {
        return span.subspan(static_cast<size_t>(index) * length, length);
      },
      values_);
  return view;
}

TensorView TensorView::with_leading_axis() const {
  TensorView view;
  view.rank_ = checked_rank(rank_ + 1);
  view.extents_[0] = 1;
  std::copy(extents_.begin(), extents_.end() - 1, view.extents_.begin() + 1);
  view.values_ = values_;
  return view;
}

}  // namespace palimpsest::metric
