// What a metric is given: the features of an example (or of a batch, with one leading axis more)
// by name, and the model's prediction for it. Views only: the numbers stay where they are and must
// outlive these objects.
//
//   Features example = {{"y", TensorView({}, target)}};
//   Prediction prediction = TensorView({3}, logits);
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "palimpsest/metric/tensor_view.h"

namespace palimpsest::metric {

// A few named views, in the order in which they were added.
class Features {
 public:
  using Item = std::pair<std::string, TensorView>;

  Features() = default;
  Features(std::initializer_list<Item> items);

  // Throws Error if the key is there already.
  void add(std::string key, TensorView view);
  // Null if the key is missing.
  const TensorView* find(std::string_view key) const;
  // Throws Error for a missing key; the message lists those that are there.
  const TensorView& at(std::string_view key) const;
  const std::vector<Item>& items() const { return items_; }

  Features row(int64_t index) const;
  Features with_leading_axis() const;

 private:
  std::vector<Item> items_;
};

// What the model said: a single view, named ones, both, or nothing (for metrics that look at the
// targets alone). The single view goes by the empty name.
class Prediction {
 public:
  Prediction() = default;
  Prediction(TensorView view) : views_{{"", view}} {}       // NOLINT: a single view
  Prediction(Features views) : views_(std::move(views)) {}  // NOLINT: named views

  // The view of that name, or, with the empty one, the single view. Throws Error if it is missing.
  const TensorView& at(std::string_view key) const;
  const std::vector<Features::Item>& items() const { return views_.items(); }

  Prediction row(int64_t index) const { return views_.row(index); }
  Prediction with_leading_axis() const { return views_.with_leading_axis(); }

 private:
  Features views_;
};

}  // namespace palimpsest::metric
