// A value of a configuration: null, a boolean, a whole number, a real number, a text, a list, or a
// map that keeps the order of its keys. Composing a configuration returns such values; an
// evaluation reads them. Copies share nothing.
//
//   const Value& k = config.at("k");        // Error with file, line and key if it is absent
//   double share = k.as_real();             // Error if it is not a number
//   for (const auto& [name, metric] : config.at("metrics").as_map()) …
//
// Every value knows where it was written ("configs/eval/tofu.yaml:7") and its key
// ("eval.tofu.metrics.k"), so every error can name both.
//
// The text ??? means that a value must still be given. Such a value may be copied, but reading it
// throws Error. The same holds for a value whose interpolation cannot be resolved (unreadable()).
// So a bad value that is never read does no harm.
#pragma once

#include <cstdint>
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

  // A value that throws an Error with this reason when it is read.
  static Value unreadable(std::string reason);

  bool is_null() const { return std::holds_alternative<std::monostate>(data_); }
  bool is_bool() const { return std::holds_alternative<bool>(data_); }
  bool is_int() const { return std::holds_alternative<int64_t>(data_); }
  bool is_real() const { return std::holds_alternative<double>(data_); }  // false for whole numbers
  bool is_text() const { return std::holds_alternative<std::string>(data_); }
  bool is_list() const { return std::holds_alternative<List>(data_); }
  bool is_map() const { return std::holds_alternative<Map>(data_); }
  bool is_container() const { return is_list() || is_map(); }
  bool is_missing() const;  // whether it is the text ???
  bool is_unreadable() const { return std::holds_alternative<Unreadable>(data_); }
  // Whether it is a text with ${…}, escaped or not. Resolving replaces such texts.
  bool is_interpolation() const;

  // Throws Error if the value is missing or unreadable.
  void require_readable() const;
  // The accessors below throw Error if the value is of another kind. The message has the position
  // of the value, the expected kind and the kind found.
  bool as_bool() const;
  int64_t as_int() const;
  double as_real() const;  // also accepts whole numbers
  const std::string& as_text() const;
  // The text as it was written, even if it is ??? or has ${…}. Returns nullptr for other kinds.
  const std::string* text_if() const { return std::get_if<std::string>(&data_); }
  const List& as_list() const;
  const Map& as_map() const;
  List& as_list();
  Map& as_map();

  // Look up a key of a map. If the key is absent, find() returns nullptr, and at() throws an Error
  // that lists the keys. A null value is not absent.
  const Value* find(std::string_view key) const;
  Value* find(std::string_view key);
  const Value& at(std::string_view key) const;
  // Looks up a key of a map or an index of a list, such as "3". Returns nullptr if it is absent.
  const Value* child(std::string_view key_or_index) const;
  Value* child(std::string_view key_or_index);
  // Like find(), but also returns nullptr if the value is null.
  const Value* find_set(std::string_view key) const;
  // Adds a key or replaces its value. An existing key keeps its place.
  void set(const std::string& key, Value value);
  bool erase(std::string_view key);

  // The file, line and key, as far as they are known, for messages: "configs/eval/tofu.yaml:7:
  // eval.tofu.k".
  std::string where() const;
  void locate(std::string file_and_line, std::string key);
  const std::string& location() const { return location_; }
  const std::string& key() const { return key_; }
  // Sets the keys of this value and of all values inside it. Elements of lists are numbered:
  // "a.b[0].c".
  void set_keys(const std::string& key);

  // The kind of the value, for messages: "a text", "a list" …
  std::string_view kind() const;

  // Compares the contents. Where the values were written does not matter.
  friend bool operator==(const Value& a, const Value& b) { return a.data_ == b.data_; }

 private:
  struct Unreadable {
    std::string reason;
    bool operator==(const Unreadable&) const = default;
  };

  std::variant<std::monostate, bool, int64_t, double, std::string, List, Map, Unreadable> data_;
  std::string location_;  // file and line
  std::string key_;       // path from the root, separated by dots
};

}  // namespace palimpsest::config
