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
#include <variant>
#include <vector>

#include "palimpsest/metric/tensor_view.h"

namespace palimpsest {

// A few named views, in the order in which they were added.
class Features {
 public:
  using Item = std::pair<std::string, TensorView>;

  Features() = default;
  Features(std::initializer_list<Item> items);

  // Throws Error if the key is there already.
  void add(std::string key, TensorView view);
  // Throws Error for a missing key; the message lists those that are there.
  const TensorView& at(std::string_view key) const;
  const std::vector<Item>& items() const { return items_; }

  Features row(int64_t index) const;
  Features with_leading_axis() const;

 private:
  std::vector<Item> items_;
};

// What the model said: one view, several named ones, or nothing (for metrics that look at the
// targets alone).
class Prediction {
 public:
  Prediction() = default;
  Prediction(TensorView view) : value_(view) {}                   // NOLINT: one of the three
  Prediction(Features features) : value_(std::move(features)) {}  // NOLINT: likewise

  // The view of that name, or, with the empty key, the single one. Throws Error if there is none.
  const TensorView& at(std::string_view key) const;
  // The views that are there; the single one goes by the empty name.
  std::vector<Features::Item> items() const;

  Prediction row(int64_t index) const;
  Prediction with_leading_axis() const;

 private:
  std::variant<std::monostate, TensorView, Features> value_;
};

}  // namespace palimpsest
