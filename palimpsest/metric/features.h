// The input of a metric: the named features of an example, and the model's prediction for it. For a
// batch, every array has an additional leading axis. All objects here are views: they do not copy
// the numbers, which must outlive them.
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

  // Throws Error if the key already exists.
  void add(std::string key, TensorView view);
  // Null if the key is missing.
  const TensorView* find(std::string_view key) const;
  // Throws Error if the key is missing; the message lists the existing keys.
  const TensorView& at(std::string_view key) const;
  const std::vector<Item>& items() const { return items_; }

  // The features of one example of a batch.
  Features row(int64_t index) const;
  // The same features as a batch of one example.
  Features with_leading_axis() const;

 private:
  std::vector<Item> items_;
};

// The output of a model: a single view, named views, both, or nothing (for metrics that read only
// the targets). The single view has the empty name.
class Prediction {
 public:
  Prediction() = default;
  Prediction(TensorView view) : views_{{"", view}} {}       // NOLINT: a single view
  Prediction(Features views) : views_(std::move(views)) {}  // NOLINT: named views

  // The view with that name; the empty name means the single view. Throws Error if it is missing.
  const TensorView& at(std::string_view key) const;
  const std::vector<Features::Item>& items() const { return views_.items(); }

  Prediction row(int64_t index) const { return views_.row(index); }
  Prediction with_leading_axis() const { return views_.with_leading_axis(); }

 private:
  Features views_;
};

}  // namespace palimpsest::metric
