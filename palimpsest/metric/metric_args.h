// Parses the text by which a user requests a metric:
//
//   NAME[:arg=value,arg=value,…]
//   sequence_token_oov_rate:oov_target_values=2,3,per_position=true
//
// A part between commas that has no '=' continues the preceding value, so lists need no quotes.
// Brackets around a list are allowed, and [] is the empty list. This class reads the values and
// rejects wrong ones. It does not know which arguments exist; the metric table knows them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace palimpsest::metric {

class MetricArgs {
 public:
  // Throws Error if the text does not have the form above or sets an argument twice.
  static MetricArgs parse(std::string_view spec);

  const std::string& name() const { return name_; }
  // The names of the arguments that are set.
  std::vector<std::string> given() const;
  bool has(std::string_view arg) const { return find(arg) != nullptr; }

  // Each read() sets `value` if the argument is given, and leaves it unchanged otherwise. Throws
  // Error if the given value is not of that type.
  void read(std::string_view arg, std::string& value) const;
  void read(std::string_view arg, bool& value) const;  // true or false
  void read(std::string_view arg, int64_t& value) const;
  void read(std::string_view arg, std::vector<int64_t>& value) const;
  void read(std::string_view arg, std::vector<double>& value) const;  // finite numbers and -inf

 private:
  struct Value {
    std::vector<std::string> items;
    bool bracketed = false;
  };
  const Value* find(std::string_view arg) const;
  // The only item of a value that is not a list, or null if the argument is not given.
  const std::string* single(std::string_view arg) const;

  std::string name_;
  std::vector<std::pair<std::string, Value>> values_;
};

}  // namespace palimpsest::metric
