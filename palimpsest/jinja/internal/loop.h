// The two objects that only a running template makes: the `loop` variable and macros.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "palimpsest/jinja/internal/ops.h"
#include "palimpsest/jinja/internal/value.h"

namespace palimpsest::jinja {

// The state of one running `for`. Looks one item ahead only when asked to (loop.last, nextitem), as
// Jinja does, since a filtered loop evaluates its condition while it advances.
struct LoopObject : Object {
  LoopObject(Value iterable, int64_t depth_from_0, Runtime& runtime);

  // Moves to the next item; false at the end.
  bool advance(Value& item);
  // The item after this one, missing at the end.
  const Value& peek();
  int64_t length();
  // Lets go of every value, since a loop may hold itself: called when the `for` ends.
  void close();

  Value source;
  std::optional<Cursor> cursor;
  Budget& steps;
  int64_t index0 = -1;
  int64_t depth0;
  Value before, current, after;  // missing where there is none
  Value changed;                 // the arguments of the last loop.changed(…)
  Callback recurse;              // of a recursive loop
 private:
  std::optional<int64_t> known_length_;
};

std::optional<Value> loop_attribute(const Value& loop, std::string_view name, Runtime& runtime);
Value call_loop(const Value& loop, Arguments& arguments, Runtime& runtime);
std::string describe_loop(const Value& loop);

struct MacroObject : Object {
  explicit MacroObject(Budget* b) : Object(b, 256, 1) {}
  std::optional<std::string> name;  // absent: the body of a call block
  std::vector<std::string> parameters;
  bool catches_keywords = false;
  bool catches_positional = false;
  bool uses_caller = false;
  Callback call;
};

std::optional<Value> macro_attribute(const Value& macro, std::string_view name, Runtime& runtime);
std::string describe_macro(const Value& macro);

}  // namespace palimpsest::jinja
