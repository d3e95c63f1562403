#include "palimpsest/metric/metric.h"

#include <fmt/format.h>

#include <utility>

namespace palimpsest::metric {
namespace {

// Joins the leading extent of one view to what the views before it had.
void require_leading(const std::string& name, const TensorView& view,
                     std::optional<int64_t>& extent) {
  if (view.rank() == 0) {
    throw Error({.what = fmt::format("{} is a single number, not a batch", name),
                 .expected = "a leading axis that counts the examples"});
  }
  if (!extent) extent = view.extent(0);
  if (*extent == view.extent(0)) return;
  throw Error({.what = "the arrays of the batch do not hold the same number of examples",
               .expected = fmt::format("{}", *extent),
               .found = fmt::format("{} in {}", view.extent(0), name)});
}

}  // namespace

Batch::Batch(const Features& examples, const Prediction& predictions, std::optional<Mask> mask)
    : examples_(&examples), predictions_(&predictions) {
  std::optional<int64_t> extent;
  for (const auto& [key, view] : examples.items()) {
    require_leading(fmt::format("the feature '{}'", key), view, extent);
  }
  for (const auto& [key, view] : predictions.items()) {
    require_leading(key.empty() ? "the prediction" : fmt::format("the prediction '{}'", key), view,
                    extent);
  }
  if (!extent) throw Error("the batch has neither features nor predictions");
  size_ = *extent;
  if (mask && static_cast<int64_t>(mask->size()) != size_) {
    throw Error({.what = "the mask does not have one entry per example",
                 .expected = fmt::format("{}", size_),
                 .found = fmt::format("{}", mask->size())});
  }
  kept_.reserve(static_cast<size_t>(size_));
  for (int64_t i = 0; i < size_; ++i) {
    if (!mask || (*mask)[static_cast<size_t>(i)] != 0) kept_.push_back(i);
  }
}

Batch Batch::only(std::vector<int64_t> kept) const {
  Batch batch = *this;
  batch.kept_ = std::move(kept);
  return batch;
}

Batch Batch::unnumbered() const {
  Batch batch = *this;
  batch.numbered_ = false;
  return batch;
}

Error Batch::located(const Error& error, int64_t example, std::optional<int64_t> position) const {
  std::string where;
  if (numbered_) where = fmt::format("example {}", example);
  if (position) where += fmt::format("{}position {}", where.empty() ? "" : ", ", *position);
  return where.empty() ? error : error.located(where);
}

stat::AnyStat Metric::evaluate_batch(const Batch& batch) const {
  stat::AnyStat stat = zero();
  for (int64_t example : batch.kept()) {
    try {
      stat = stat.merge(
          evaluate_example(batch.examples().row(example), batch.predictions().row(example)));
    } catch (const Error& error) {
      throw batch.located(error, example);
    }
  }
  return stat;
}

stat::AnyStat BatchMetric::evaluate_example(const Features& example,
                                            const Prediction& prediction) const {
  const Features examples = example.with_leading_axis();
  const Prediction predictions = prediction.with_leading_axis();
  return evaluate_batch(Batch(examples, predictions).unnumbered());
}

stat::AnyStat evaluate_batch(const Metric& metric, const Features& examples,
                             const Prediction& predictions, std::optional<Mask> mask) {
  const Batch batch(examples, predictions, mask);
  return batch.kept().empty() ? metric.zero() : metric.evaluate_batch(batch);
}

}  // namespace palimpsest::metric
