#include "palimpsest/metric/features.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "palimpsest/base/error.h"

namespace palimpsest::metric {
namespace {

std::string keys_of(const std::vector<Features::Item>& items) {
  std::vector<std::string_view> keys;
  for (const auto& [key, view] : items) keys.push_back(key);
  return keys.empty() ? "no keys" : fmt::format("the keys {}", fmt::join(keys, ", "));
}

// The features with `change` done to each view.
template <class Change>
Features changed(const Features& features, Change change) {
  Features result;
  for (const auto& [key, view] : features.items()) result.add(key, change(view));
  return result;
}

}  // namespace

Features::Features(std::initializer_list<Item> items) {
  for (const Item& item : items) add(item.first, item.second);
}

void Features::add(std::string key, TensorView view) {
  if (find(key) != nullptr) throw Error(fmt::format("the key '{}' is given twice", key));
  items_.emplace_back(std::move(key), view);
}

const TensorView* Features::find(std::string_view key) const {
  for (const auto& [name, view] : items_) {
    if (name == key) return &view;
  }
  return nullptr;
}

const TensorView& Features::at(std::string_view key) const {
  if (const TensorView* view = find(key)) return *view;
  throw Error(
      {.what = fmt::format("the example has no feature '{}'", key), .found = keys_of(items_)});
}

Features Features::row(int64_t index) const {
  return changed(*this, [&](const TensorView& view) { return view.row(index); });
}

Features Features::with_leading_axis() const {
  return changed(*this, [](const TensorView& view) { return view.with_leading_axis(); });
}

const TensorView& Prediction::at(std::string_view key) const {
  if (const TensorView* view = views_.find(key)) return *view;
  if (items().empty()) throw Error("the metric needs a prediction and none was given");
  if (views_.find("") != nullptr) {
    throw Error({.what = fmt::format("the prediction has no key '{}'", key),
                 .found = "a single array",
                 .hint = "leave pred_key out"});
  }
  throw Error({.what = key.empty() ? "the metric reads a single prediction"
                                   : fmt::format("the prediction has no key '{}'", key),
               .found = keys_of(items()),
               .hint = "name one of them with pred_key"});
}

}  // namespace palimpsest::metric
