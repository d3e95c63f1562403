#include "palimpsest/metric/cross_entropy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/metric/internal/tokens.h"

namespace palimpsest::metric {
namespace {

// The shape of the losses; throws unless the two fit together.
Shape shape_of_losses(const TensorView& targets, const TensorView& logits, bool sparse) {
  Shape shape = logits.shape();
  if (shape.empty()) throw Error("a single number is not a row of logits");
  if (!sparse && targets.shape() != shape) {
    throw Error({.what = "dense targets must have the shape of the predictions",
                 .expected = to_string(shape),
                 .found = to_string(targets.shape())});
  }
  shape.pop_back();
  if (sparse && targets.shape() != shape) {
    throw Error({.what = "the targets do not fit the predictions",
                 .expected = "the shape " + to_string(shape),
                 .found = to_string(targets.shape())});
  }
  return shape;
}

std::vector<double> row_of_weights(const TensorView& targets, int64_t row) {
  const int64_t classes = targets.extent(targets.rank() - 1);
  std::vector<double> weights(static_cast<size_t>(classes));
  std::visit(
      [&](auto values) {
        const auto stored = values.subspan(static_cast<size_t>(row * classes), weights.size());
        std::transform(stored.begin(), stored.end(), weights.begin(),
                       [](auto value) { return static_cast<double>(value); });
      },
      targets.values());
  for (double weight : weights) {
    if (std::isfinite(weight)) continue;
    throw Error({.what = "a dense target is not finite", .found = fmt::format("{}", weight)});
  }
  return weights;
}

}  // namespace

Array unreduced_cross_entropy_loss(const TensorView& targets, const TensorView& logits,
                                   bool is_sparse_targets) {
  Array losses = Array::zeros(shape_of_losses(targets, logits, is_sparse_targets));
  // All rows as the examples of one batch; dense targets have no class, so a stand-in is looked up.
  const int64_t rows = losses.size();
  const std::vector<int64_t> placeholder(is_sparse_targets ? 0 : static_cast<size_t>(rows), 0);
  const Features examples = {{"targets", is_sparse_targets ? TensorView({rows}, targets.values())
                                                           : TensorView({rows}, placeholder)}};
  const Prediction predictions =
      TensorView({rows, logits.extent(logits.rank() - 1)}, logits.values());
  const Batch batch(examples, predictions);
  Tokens(batch, {.target_key = "targets"}, TargetKind::kClass).for_each([&](const Token& token) {
    losses.values()[static_cast<size_t>(token.example)] =
        is_sparse_targets ? token_loss(token.logits, token.target)
                          : dense_loss(token.logits, row_of_weights(targets, token.example));
  });
  return losses;
}

}  // namespace palimpsest::metric
