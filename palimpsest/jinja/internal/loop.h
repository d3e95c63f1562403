// Two objects that only a running template creates: the `loop` variable and macros.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "palimpsest/jinja/internal/ops.h"
#include "palimpsest/jinja/internal/value.h"

namespace palimpsest::jinja {

// The state of a running `for`. Like Jinja, it looks one item ahead only on request (loop.last,
// loop.nextitem), because a loop with a condition evaluates it while it advances.
struct LoopObject : Object {
  LoopObject(Value iterable, int64_t depth_from_0, Runtime& runtime);

  // Moves to the next item. Returns false at the end.
  bool advance(Value& item);
  // The next item; missing at the end.
  const Value& peek();
  int64_t length();
  // Releases all values, because a loop may contain itself. Called when the `for` ends.
  void close();

  Value source;
  std::optional<Cursor> cursor;
  Budget& steps;
  int64_t index0 = -1;
  int64_t depth0;
  Value before, current, after;  // missing if there is none
  Value changed;                 // the arguments of the last loop.changed(…)
  Callback recurse;              // only for a recursive loop
 private:
  std::optional<int64_t> known_length_;
};

std::optional<Value> loop_attribute(const Value& loop, std::string_view name, Runtime& runtime);
Value call_loop(const Value& loop, Arguments& arguments, Runtime& runtime);
std::string describe_loop(const Value& loop);

struct MacroObject : Object {
  explicit MacroObject(Budget* b) : Object(b, 256, 1) {}
  std::optional<std::string> name;  // absent for the body of a call block
  std::vector<std::string> parameters;
  bool catches_keywords = false;
  bool catches_positional = false;
  bool uses_caller = false;
  Callback call;
};

std::optional<Value> macro_attribute(const Value& macro, std::string_view name, Runtime& runtime);
std::string describe_macro(const Value& macro);

}  // namespace palimpsest::jinja
