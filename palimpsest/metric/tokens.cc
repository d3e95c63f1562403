#include "palimpsest/metric/internal/tokens.h"

#include <fmt/format.h>

#include <type_traits>

namespace palimpsest::metric {
namespace {

// The shape of one example's part of a batch.
std::string example_shape(const TensorView& view) {
  Shape shape = view.shape();
  shape.erase(shape.begin());
  return "the shape " + to_string(shape);
}

std::string describe_pred(const std::string& key) {
  return key.empty() ? "the prediction" : fmt::format("the prediction '{}'", key);
}

}  // namespace

Tokens::Tokens(const Batch& batch, TokenOptions options, TargetKind kind)
    : batch_(&batch),
      options_(std::move(options)),
      kind_(kind),
      targets_(batch, options_.target_key, kind),
      logits_(batch.predictions().at(options_.pred_key)) {
  const bool sequence = kind == TargetKind::kSequence;
  if (sequence && length() == 0 && logits_.size() == 0) return;  // no tokens, no rows
  const bool fits =
      sequence ? logits_.rank() == 3 && logits_.extent(1) == length() : logits_.rank() == 2;
  num_classes_ = fits ? logits_.extent(logits_.rank() - 1) : 0;
  if (num_classes_ == 0) {
    throw Error({.what = fmt::format("{} does not fit the target '{}'",
                                     describe_pred(options_.pred_key), options_.target_key),
                 .expected = sequence ? fmt::format("the shape [{}, V], V >= 1", length())
                                      : "the shape [V], V >= 1",
                 .found = example_shape(logits_)});
  }
  const auto masked = static_cast<int64_t>(options_.logits_mask.size());
  if (masked != 0 && masked != num_classes_) {
    throw Error({.what = "logits_mask does not have one value per class",
                 .expected = fmt::format("{}", num_classes_),
                 .found = fmt::format("{}", masked)});
  }
}

void Tokens::require_class(int64_t target) const {
  if (target >= 0 && target < num_classes_) return;
  throw Error({.what = fmt::format("the target {} is not a class", target),
               .expected = fmt::format("0 … {}", num_classes_ - 1),
               .hint = kind_ == TargetKind::kSequence
                           ? "list targets that do not count in masked_target_values"
                           : ""});
}

LogitRow Tokens::row(int64_t index) {
  const auto classes = static_cast<size_t>(num_classes_);
  const auto begin = static_cast<size_t>(index) * classes;
  const std::vector<double>& mask = options_.logits_mask;
  return std::visit(
      [&](auto values) -> LogitRow {
        const auto stored = values.subspan(begin, classes);
        using Value = std::remove_cv_t<typename decltype(stored)::element_type>;
        if constexpr (std::is_floating_point_v<Value>) {
          if (mask.empty()) return stored;
        }
        using Real = std::conditional_t<std::is_same_v<Value, float>, float, double>;
        std::vector<Real>* converted = nullptr;
        if constexpr (std::is_same_v<Real, float>) {
          converted = &floats_;
        } else {
          converted = &doubles_;
        }
        converted->resize(classes);
        for (size_t v = 0; v < classes; ++v) {
          (*converted)[v] =
              static_cast<Real>(stored[v]) + (mask.empty() ? 0 : static_cast<Real>(mask[v]));
        }
        return std::span<const Real>(*converted);
      },
      logits_.values());
}

}  // namespace palimpsest::metric
