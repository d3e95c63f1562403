// An argument of a metric or a data set: null, a boolean, a number, a text, a list, or a map that
// keeps the order of its keys. Each handler defines its own parameters, reads them by name and
// rejects wrong ones. Copies share nothing.
//
//   MetricSpec metric{.name = "mia_min_k", .handler = "mia_min_k",
//                     .parameters = Parameter::Map{{"k", 0.4}}};
//   double share = metric.parameters.at("k").as_real();  // Error if it is absent or not a number
//
// A parameter may know where it was given ("configs/eval/tofu.yaml:7: eval.tofu.metrics.k"); then
// every Error begins with that position. Unlike a config::Value, it has no unresolved
// interpolations.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace palimpsest::eval {

class Parameter {
 public:
  using List = std::vector<Parameter>;
  using Map = std::vector<std::pair<std::string, Parameter>>;  // keys are unique

  Parameter() = default;  // null
  Parameter(bool value) : data_(value) {}
  Parameter(int64_t value) : data_(value) {}
  Parameter(int value) : data_(int64_t{value}) {}
  Parameter(double value) : data_(value) {}
  Parameter(std::string value) : data_(std::move(value)) {}
  Parameter(const char* value) : data_(std::string(value)) {}
  Parameter(List value) : data_(std::move(value)) {}
  Parameter(Map value) : data_(std::move(value)) {}

  bool is_null() const { return is<std::monostate>(); }
  bool is_bool() const { return is<bool>(); }
  bool is_int() const { return is<int64_t>(); }
  bool is_real() const { return is<double>(); }  // false for whole numbers
  bool is_text() const { return is<std::string>(); }
  bool is_list() const { return is<List>(); }
  bool is_map() const { return is<Map>(); }

  // These accessors throw Error if the value is of another kind.
  bool as_bool() const;
  int64_t as_int() const;
  double as_real() const;  // also accepts whole numbers
  const std::string& as_text() const;
  const List& as_list() const;
  const Map& as_map() const;

  // Look up a key of a map. If it is absent, find() returns nullptr and at() throws Error.
  const Parameter* find(std::string_view key) const;
  const Parameter& at(std::string_view key) const;
  // Like find(), but also returns nullptr if the value is null.
  const Parameter* find_set(std::string_view key) const;
  // Adds a key to a map, or replaces its value; an existing key keeps its place.
  void set(const std::string& key, Parameter value);
  // Returns a copy of a map without this key.
  Parameter without(std::string_view key) const;

  const std::string& where() const { return where_; }
  void locate(std::string where) { where_ = std::move(where); }

  // Compares the contents. Where the values were given does not matter.
  friend bool operator==(const Parameter& a, const Parameter& b) { return a.data_ == b.data_; }

 private:
  template <typename T>
  bool is() const {
    return std::holds_alternative<T>(data_);
  }
  template <typename T>
  const T& get(const char* expected) const;

  std::variant<std::monostate, bool, int64_t, double, std::string, List, Map> data_;
  std::string where_;
};

// Writes the content as one text that does not depend on the order of keys. It is used for
// fingerprints and comparisons.
std::string canonical_text(const Parameter& parameter);

}  // namespace palimpsest::eval
