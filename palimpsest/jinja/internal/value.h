// The values of the template language: Python's values, as far as a chat template can use them.
// Lists, tuples and dicts are immutable, because the sandbox of templates forbids changing them; so
// values share their parts. Only namespaces, loops, cyclers, joiners and iterators change.
//
// A render has one Budget. It counts steps and the bytes in use, and stops a template that runs or
// grows without end. Every object knows its nesting depth, which is also limited, so that recursion
// over a value (and its destruction) cannot overflow the stack. Values belong to one render and one
// thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/jinja/chat_template.h"
#include "palimpsest/python_text/time.h"

namespace palimpsest::jinja {

// The deepest nesting of containers, bound methods and iterators. Deeper nesting is refused.
inline constexpr int kMaxNesting = 200;

class Budget {
 public:
  explicit Budget(const ChatLimits& limits) : limits_(limits) {}
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;

  void spend(int64_t steps) {
    steps_ += steps;
    if (steps_ > limits_.max_steps) [[unlikely]]
      fail_steps();
  }
  // Counts work that is linear in the length of a text.
  void spend_bytes(size_t bytes) { spend(1 + static_cast<int64_t>(bytes / 64)); }
  // Throws Error unless `bytes` more bytes are within the limit.
  void require(int64_t bytes) const {
    if (bytes > limits_.max_bytes - alive_) [[unlikely]]
      fail_bytes();
  }
  // Lengthens a text that is not yet a value.
  void append(std::string& text, std::string_view piece) const {
    require(static_cast<int64_t>(text.size() + piece.size()));
    text += piece;
  }
  void acquire(int64_t bytes) {
    require(bytes);
    alive_ += bytes;
  }
  void release(int64_t bytes) { alive_ -= bytes; }

 private:
  [[noreturn]] void fail_steps() const;
  [[noreturn]] void fail_bytes() const;

  ChatLimits limits_;
  int64_t steps_ = 0;
  int64_t alive_ = 0;
};

enum class Kind : uint8_t {
  kMissing,  // no value: an argument that was not passed, or a variable not yet set
  kUndefined,
  kNone,
  kBool,
  kInt,
  kFloat,
  kString,
  kList,
  kTuple,
  kDict,
  kRange,
  kView,  // dict.keys(), values(), items()
  kIterator,
  kFunction,
  kMacro,
  kNamespace,
  kLoop,
  kCycler,
  kJoiner,
};

// The content that a value points to. Objects without a budget belong to a parsed template.
struct Object {
  Object(Budget* the_budget, int64_t size, int nesting);
  virtual ~Object();
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  Budget* budget;
  int64_t bytes;
  int depth;
};

struct StringObject;
struct SequenceObject;
struct DictObject;
struct RangeObject;
struct ViewObject;
struct IteratorObject;
struct FunctionObject;
struct NamespaceObject;

class Value {
 public:
  Value() = default;
  static Value none() { return Value(Kind::kNone); }
  static Value boolean(bool value) { return Value(Kind::kBool, value ? 1 : 0); }
  static Value integer(int64_t value) { return Value(Kind::kInt, value); }
  static Value real(double value);
  static Value object(Kind kind, std::shared_ptr<Object> object);

  Kind kind() const { return kind_; }
  bool is(Kind kind) const { return kind_ == kind; }
  bool is_missing() const { return kind_ == Kind::kMissing; }
  bool is_undefined() const { return kind_ == Kind::kUndefined; }
  bool is_none() const { return kind_ == Kind::kNone; }
  bool is_string() const { return kind_ == Kind::kString; }
  bool is_dict() const { return kind_ == Kind::kDict; }
  bool is_integral() const { return kind_ == Kind::kInt || kind_ == Kind::kBool; }
  bool is_number() const { return is_integral() || kind_ == Kind::kFloat; }
  bool is_sequence() const { return kind_ == Kind::kList || kind_ == Kind::kTuple; }

  // The value of a bool or an int.
  int64_t as_int() const { return integer_; }
  // The value of any number.
  double as_double() const { return kind_ == Kind::kFloat ? real_ : static_cast<double>(integer_); }

  const StringObject& string() const;
  const std::string& text() const;
  const std::vector<Value>& items() const;  // of a list or tuple
  const DictObject& dict() const;           // dict.h

  template <class T>
  T& get() const {
    return static_cast<T&>(*object_);
  }
  const std::shared_ptr<Object>& pointer() const { return object_; }
  int depth() const { return object_ == nullptr ? 0 : object_->depth; }

 private:
  explicit Value(Kind kind, int64_t integer = 0) : kind_(kind), integer_(integer) {}

  Kind kind_ = Kind::kMissing;
  union {
    int64_t integer_ = 0;
    double real_;
  };
  std::shared_ptr<Object> object_;
};

using Values = std::vector<Value>;

struct Arguments {
  Values positional = {};
  std::vector<std::pair<std::string, Value>> named = {};
};

struct Runtime;
using Callback = std::function<Value(Runtime&, Arguments&)>;

struct UndefinedObject : Object {
  UndefinedObject(std::string text, Budget* b)
      : Object(b, static_cast<int64_t>(text.size()), 1), message(std::move(text)) {}
  std::string message;  // the error message if it is used for anything but printing
};

struct StringObject : Object {
  StringObject(std::string content, bool is_markup, Budget* b);
  const std::string text;
  const int64_t length;  // in code points
  const bool markup;     // marked as safe HTML: text that is added to it is escaped
  bool ascii() const { return length == static_cast<int64_t>(text.size()); }
};

inline const StringObject& Value::string() const {
  return get<StringObject>();
}

struct SequenceObject : Object {
  SequenceObject(Values values, Budget* b);
  const Values items;
};

struct RangeObject : Object {
  RangeObject(int64_t first, int64_t end, int64_t increment, Budget* b);
  const int64_t start, stop, step;
  int64_t length() const;
};

enum class ViewKind : uint8_t { kKeys, kValues, kItems };

struct ViewObject : Object {
  ViewObject(ViewKind view, Value of, Budget* b);
  const ViewKind view_kind;
  const Value source;
};

// Returns its items once, like Python's generators. `next` returns false at the end.
struct IteratorObject : Object {
  IteratorObject(std::function<bool(Value&)> step, int nesting, Budget* b);
  std::function<bool(Value&)> next;
};

struct FunctionObject : Object {
  FunctionObject(std::string called, Callback callback, int nesting, Budget* b);
  const std::string name;
  const Callback call;
};

struct NamespaceObject : Object {
  explicit NamespaceObject(Budget* b) : Object(b, 64, 1) {}
  Value* find(std::string_view name);
  void set(const std::string& name, Value value);
  std::vector<std::pair<std::string, Value>> attributes;
};

struct CyclerObject : Object {
  CyclerObject(Value values, Budget* b);
  const Value items;  // a tuple
  int64_t position = 0;
};

struct JoinerObject : Object {
  JoinerObject(Value text, Budget* b);
  const Value separator;
  bool used = false;
};

// State that a render shares with the functions that a template calls. The library reads no clock;
// the caller supplies the time.
struct Runtime {
  explicit Runtime(const ChatLimits& limits) : budget(limits) {}
  ~Runtime();

  Budget budget;
  const python_text::CivilTime* now = nullptr;  // null: strftime_now throws Error
  // Namespaces may refer to each other in cycles, so they are cleared when the render ends.
  std::vector<std::shared_ptr<NamespaceObject>> namespaces = {};
};

// Each function creates a value whose memory the budget counts.
Value make_undefined(std::string message, Budget* budget);
Value make_string(std::string text, Budget* budget, bool markup = false);
Value make_list(Values items, Budget* budget);
Value make_tuple(Values items, Budget* budget);
Value make_sequence(Kind list_or_tuple, Values items, Budget* budget);
Value make_iterator(std::function<bool(Value&)> next, int source_depth, Budget* budget);
Value make_function(std::string name, Callback call, int bound_depth, Budget* budget);

// The name of the type in Python: "str", "int", "NoneType".
std::string_view type_name(const Value& value);

// Throws the Error for using an undefined value for anything but printing.
[[noreturn]] void fail_undefined(const Value& value);
// Throws that Error if the value is undefined.
inline void require_defined(const Value& value) {
  if (value.is_undefined()) fail_undefined(value);
}

}  // namespace palimpsest::jinja
