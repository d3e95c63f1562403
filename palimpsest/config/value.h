// A configuration value: null, true/false, a whole number, a real number, a text, a list or a map
// whose keys keep their order. What composition gives and evaluation reads.
//
//   const Value& k = config.at("k");        // Error with file, line and key if it is absent
//   double share = k.as_real();             // Error if it is no number
//   for (const auto& [name, metric] : config.at("metrics").as_map()) …
//
// Every value knows where it was written ("configs/eval/tofu.yaml:7") and what its key is
// ("eval.tofu.metrics.k"), so that every error names both.
//
// The text ??? means that a value must still be given: it can be carried around, but reading it is
// an Error. The same holds for a value whose interpolation cannot be resolved (unreadable), so that
// a key that nobody reads does no harm.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace palimpsest::config {

inline constexpr std::string_view kMissing = "???";

class Value {
 public:
  using List = std::vector<Value>;
  using Map = std::vector<std::pair<std::string, Value>>;  // keys are unique

  Value() = default;  // null
  Value(bool value) : data_(value) {}
  Value(int64_t value) : data_(value) {}
  Value(int value) : data_(int64_t{value}) {}
  Value(double value) : data_(value) {}
  Value(std::string value) : data_(std::move(value)) {}
  Value(const char* value) : data_(std::string(value)) {}
  Value(List value) : data_(std::move(value)) {}
  Value(Map value) : data_(std::move(value)) {}

  // A value that throws this reason when it is read.
  static Value unreadable(std::string reason);

  bool is_null() const { return std::holds_alternative<std::monostate>(data_); }
  bool is_bool() const { return std::holds_alternative<bool>(data_); }
  bool is_int() const { return std::holds_alternative<int64_t>(data_); }
  bool is_real() const { return std::holds_alternative<double>(data_); }  // not a whole number
  bool is_text() const { return std::holds_alternative<std::string>(data_); }
  bool is_list() const { return std::holds_alternative<List>(data_); }
  bool is_map() const { return std::holds_alternative<Map>(data_); }
  bool is_container() const { return is_list() || is_map(); }
  bool is_missing() const;  // the text ???
  bool is_unreadable() const { return std::holds_alternative<Unreadable>(data_); }
  // A text that holds ${…}, escaped or not: what resolving replaces.
  bool is_interpolation() const;

  // Throws Error if the value is missing or unreadable.
  void require_readable() const;
  // Throw Error, which says where the value stands, what was expected and what is there.
  bool as_bool() const;
  int64_t as_int() const;
  double as_real() const;  // whole numbers too
  const std::string& as_text() const;
  // The text as it was written, ??? and ${…} too; nullptr for other kinds.
  const std::string* text_if() const { return std::get_if<std::string>(&data_); }
  const List& as_list() const;
  const Map& as_map() const;
  List& as_list();
  Map& as_map();

  // Of a map: the value at this key; nullptr where the key is absent (find) or an Error that lists
  // the keys there are (at). A null value is present.
  const Value* find(std::string_view key) const;
  Value* find(std::string_view key);
  const Value& at(std::string_view key) const;
  // Of a list or a map: the value there, where "3" is an index into a list; nullptr if absent.
  const Value* child(std::string_view key_or_index) const;
  Value* child(std::string_view key_or_index);
  // Like find, where absent and null mean the same.
  const Value* find_set(std::string_view key) const;
  // Adds or replaces, keeping a known key's place.
  void set(const std::string& key, Value value);
  bool erase(std::string_view key);

  // "configs/eval/tofu.yaml:7: eval.tofu.k" as far as it is known, for messages.
  std::string where() const;
  void locate(std::string file_and_line, std::string key);
  const std::string& location() const { return location_; }
  const std::string& key() const { return key_; }
  // Tells this value and all below it what their keys are; lists count: "a.b[0].c".
  void set_keys(const std::string& key);

  // What it is, for messages: "a text", "a list" …
  std::string_view kind() const;

  // The content; where it was written does not matter.
  friend bool operator==(const Value& a, const Value& b) { return a.data_ == b.data_; }

 private:
  struct Unreadable {
    std::string reason;
    bool operator==(const Unreadable&) const = default;
  };

  std::variant<std::monostate, bool, int64_t, double, std::string, List, Map, Unreadable> data_;
  std::string location_;  // file and line
  std::string key_;       // path from the root, dots between
};

}  // namespace palimpsest::config
