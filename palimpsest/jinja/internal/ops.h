// Python's operators on template values: truth, comparison, arithmetic, membership, indexing and
// iteration. Where Python raises an exception, these functions throw Error. Integers have 64 bits;
// a result that needs more is an Error.
#pragma once

#include <optional>

#include "palimpsest/jinja/internal/value.h"

namespace palimpsest::jinja {

bool truth(const Value& value);
// Python's len(). length_of() returns nullopt for a value without a length; require_length() throws
// Error.
std::optional<int64_t> length_of(const Value& value);
int64_t require_length(const Value& value);

// equal() is Python's ==. same_key() also treats identical objects as equal, as `in` and dict keys
// do.
bool equal(const Value& a, const Value& b, Budget* budget);
bool same_key(const Value& a, const Value& b, Budget* budget);
// Python's `is`: whether both are the same object.
bool identical(const Value& a, const Value& b);

enum class Operator : uint8_t {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kFloorDivide,
  kModulo,
  kPower,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kIn,
  kNotIn,
};

// The operator as templates write it.
std::string_view symbol_of(Operator op);

// |number|, which may not fit into an int64_t.
inline uint64_t magnitude_of(int64_t number) {
  return number < 0 ? uint64_t{0} - static_cast<uint64_t>(number) : static_cast<uint64_t>(number);
}

// +, -, *, /, //, %, **
Value arithmetic(Operator op, const Value& a, const Value& b, Runtime& runtime);
Value negate(const Value& value);
Value positive(const Value& value);

// ==, !=, <, <=, >, >=, in, not in
bool compare(Operator op, const Value& a, const Value& b, Runtime& runtime);
inline bool less(const Value& a, const Value& b, Runtime& runtime) {
  return compare(Operator::kLess, a, b, runtime);
}
bool contains(const Value& container, const Value& item, Runtime& runtime);

// Iterates over a value as Python does, and keeps the value alive. Throws Error if Python cannot
// iterate over it.
class Cursor {
 public:
  Cursor(Value source, Budget& budget);
  // Returns false at the end.
  bool next(Value& item);

 private:
  Value source_;
  Budget& budget_;
  size_t position_ = 0;
};
bool is_iterable(const Value& value);
Values collect(const Value& value, Budget& budget);

// value[index] for a sequence, a text or a range; nullopt if there is no such item.
std::optional<Value> item_at(const Value& value, int64_t index, Budget& budget);
// value[start:stop:step]. A bound that is missing or None is open.
Value slice(const Value& value, const Value& start, const Value& stop, const Value& step,
            Budget& budget);

// HTML escaping: & < > " '
std::string escape_html(std::string_view text);
// Markup is returned unchanged; any other value is converted to text and escaped.
std::string escape_value(const Value& value, Budget& budget);

}  // namespace palimpsest::jinja
