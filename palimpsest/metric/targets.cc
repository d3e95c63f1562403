#include "palimpsest/metric/internal/targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace palimpsest::metric {
namespace {

int64_t whole(double value) {
  constexpr double kLimit = 0x1p53;  // beyond it doubles skip whole numbers
  if (std::abs(value) <= kLimit && std::trunc(value) == value) return static_cast<int64_t>(value);
  throw Error({.what = "the target is not a whole number", .found = fmt::format("{}", value)});
}

}  // namespace

bool contains(const std::vector<int64_t>& values, int64_t value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

int64_t count_unmasked(std::span<const int64_t> targets, const std::vector<int64_t>& masked) {
  return std::count_if(targets.begin(), targets.end(),
                       [&](int64_t target) { return !contains(masked, target); });
}

Targets::Targets(const Batch& batch, const std::string& key, TargetKind kind)
    : batch_(&batch), kind_(kind), view_(batch.examples().at(key)) {
  const bool sequence = kind == TargetKind::kSequence;
  if (view_.rank() != (sequence ? 2 : 1)) {
    Shape shape = view_.shape();
    shape.erase(shape.begin());
    throw Error({.what = fmt::format("the target '{}' of an example has the wrong shape", key),
                 .expected = sequence ? "one number per position" : "one number",
                 .found = "the shape " + to_string(shape),
                 .hint = sequence ? "metrics of classes take one number"
                                  : "metrics whose name begins with sequence_ take several"});
  }
  length_ = sequence ? view_.extent(1) : 1;
}

std::span<const int64_t> Targets::of(int64_t example) {
  const auto begin = static_cast<size_t>(example * length_);
  return std::visit(
      [&](auto values) -> std::span<const int64_t> {
        const auto row = values.subspan(begin, static_cast<size_t>(length_));
        using Value = std::remove_cv_t<typename decltype(row)::element_type>;
        if constexpr (std::is_same_v<Value, int64_t>) {
          return row;
        } else {
          converted_.assign(row.size(), 0);
          for (size_t t = 0; t < row.size(); ++t) {
            if constexpr (std::is_integral_v<Value>) {
              converted_[t] = row[t];
              continue;
            }
            try {
              converted_[t] = whole(static_cast<double>(row[t]));
            } catch (const Error& error) {
              throw located(error, example, static_cast<int64_t>(t));
            }
          }
          return converted_;
        }
      },
      view_.values());
}

Error Targets::located(const Error& error, int64_t example, int64_t position) const {
  if (kind_ == TargetKind::kClass) return batch_->located(error, example);
  return batch_->located(error, example, position);
}

}  // namespace palimpsest::metric
