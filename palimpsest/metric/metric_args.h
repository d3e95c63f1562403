// The text in which a metric is asked for, taken apart:
//
//   NAME[:arg=value,arg=value,…]
//   sequence_token_oov_rate:oov_target_values=2,3,per_position=true
//
// A piece without '=' continues the value before it, so that lists need no quoting; brackets around
// a list are allowed, and [] is the empty one. Which arguments there are is the metric table's
// business; this part reads the values and says what is wrong with them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace palimpsest::metric {

class MetricArgs {
 public:
  // Throws Error if the text does not have the form above or gives an argument twice.
  static MetricArgs parse(std::string_view spec);

  const std::string& name() const { return name_; }
  std::vector<std::string> given() const;
  bool has(std::string_view arg) const { return find(arg) != nullptr; }

  // Each leaves `value` as it is if the argument is not given, and throws Error if it is given and
  // is not of that kind.
  void read(std::string_view arg, std::string& value) const;
  void read(std::string_view arg, bool& value) const;  // true, false
  void read(std::string_view arg, int64_t& value) const;
  void read(std::string_view arg, std::vector<int64_t>& value) const;
  void read(std::string_view arg, std::vector<double>& value) const;  // finite numbers and -inf

 private:
  struct Value {
    std::vector<std::string> items;
    bool bracketed = false;
  };
  const Value* find(std::string_view arg) const;
  // The only item of a value that is not a list; null if the argument is not given.
  const std::string* single(std::string_view arg) const;

  std::string name_;
  std::vector<std::pair<std::string, Value>> values_;
};

}  // namespace palimpsest::metric
