// An argument of a metric or a data set: null, true or false, a number, a text, a list or a map
// whose keys keep their order. Each handler decides which parameters exist, reads them by name and
// reports what is wrong with them.
//
//   MetricSpec metric{.name = "mia_min_k", .handler = "mia_min_k",
//                     .parameters = Parameter::Map{{"k", 0.4}}};
//   double share = metric.parameters.at("k").as_real();  // Error if it is absent or no number
//
// A parameter may know where it was given ("configs/eval/tofu.yaml:7: eval.tofu.metrics.k"); then
// every Error says so. Unlike a config::Value, it has no interpolations left to resolve.
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
  bool is_real() const { return is<double>(); }  // not a whole number
  bool is_text() const { return is<std::string>(); }
  bool is_list() const { return is<List>(); }
  bool is_map() const { return is<Map>(); }

  // Throw Error where it is of another kind.
  bool as_bool() const;
  int64_t as_int() const;
  double as_real() const;  // whole numbers too
  const std::string& as_text() const;
  const List& as_list() const;
  const Map& as_map() const;

  // Of a map: the value at this key; nullptr (find) or an Error (at) where it is absent.
  const Parameter* find(std::string_view key) const;
  const Parameter& at(std::string_view key) const;
  // Like find(), but also returns nullptr if the value is null.
  const Parameter* find_set(std::string_view key) const;
  // For a map: adds the key, or replaces its value and keeps its position.
  void set(const std::string& key, Parameter value);
  // Of a map: the same without this key.
  Parameter without(std::string_view key) const;

  const std::string& where() const { return where_; }
  void locate(std::string where) { where_ = std::move(where); }

  // Compares the content; where it was given does not matter.
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

// The content as one text, which does not depend on the order of keys. It is used for fingerprints
// and comparisons.
std::string canonical_text(const Parameter& parameter);

}  // namespace palimpsest::eval
