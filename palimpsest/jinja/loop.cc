#include "palimpsest/jinja/internal/loop.h"

#include <fmt/format.h>

#include <algorithm>

#include "palimpsest/jinja/internal/attributes.h"
#include "palimpsest/python_text/internal/repr.h"

namespace palimpsest::jinja {
namespace {

Value cycle(const Value& loop, Arguments& arguments, Runtime&) {
  if (!arguments.named.empty()) throw Error("loop.cycle takes no named arguments");
  if (arguments.positional.empty()) throw Error("loop.cycle has nothing to cycle through");
  const auto count = static_cast<int64_t>(arguments.positional.size());
  const int64_t index = loop.get<LoopObject>().index0 % count;
  return arguments.positional[static_cast<size_t>(index)];
}

Value changed(const Value& loop, Arguments& arguments, Runtime& runtime) {
  if (!arguments.named.empty()) throw Error("loop.changed takes no named arguments");
  auto& state = loop.get<LoopObject>();
  Value now = make_tuple(arguments.positional, &runtime.budget);
  if (!state.changed.is_missing() && equal(state.changed, now, &runtime.budget)) {
    return Value::boolean(false);
  }
  state.changed = std::move(now);
  return Value::boolean(true);
}

Value bind(const Value& loop, std::string_view name, Method method, Runtime& runtime) {
  return make_function(
      std::string(name),
      [loop, method](Runtime& r, Arguments& arguments) { return method(loop, arguments, r); },
      loop.depth(), &runtime.budget);
}

Value neighbour(const Value& item, std::string_view message, Runtime& runtime) {
  return item.is_missing() ? make_undefined(std::string(message), &runtime.budget) : item;
}

}  // namespace

LoopObject::LoopObject(Value iterable, int64_t depth_from_0, Runtime& runtime)
    : Object(&runtime.budget, 256, 1),
      source(std::move(iterable)),
      cursor(std::in_place, source, runtime.budget),
      steps(runtime.budget),
      depth0(depth_from_0) {}

bool LoopObject::advance(Value& item) {
  if (!after.is_missing()) {
    item = std::exchange(after, Value());
  } else if (!cursor || !cursor->next(item)) {
    return false;
  }
  ++index0;
  before = std::exchange(current, item);
  return true;
}

const Value& LoopObject::peek() {
  if (after.is_missing() && cursor) {
    Value item;
    if (cursor->next(item)) after = std::move(item);
  }
  return after;
}

int64_t LoopObject::length() {
  if (known_length_) return *known_length_;
  known_length_ = length_of(source);
  if (!known_length_) {
    // An iterator has to be run to its end to know how long it is.
    const bool ahead = !after.is_missing();
    Values rest = collect(source, steps);
    known_length_ = static_cast<int64_t>(rest.size()) + index0 + 1 + (ahead ? 1 : 0);
    source = make_list(std::move(rest), budget);
    cursor.emplace(source, steps);
  }
  return *known_length_;
}

void LoopObject::close() {
  cursor.reset();
  for (Value* value : {&source, &before, &current, &after, &changed}) *value = Value();
  recurse = nullptr;
}

std::optional<Value> loop_attribute(const Value& loop, std::string_view name, Runtime& runtime) {
  auto& state = loop.get<LoopObject>();
  if (name == "index") return Value::integer(state.index0 + 1);
  if (name == "index0") return Value::integer(state.index0);
  if (name == "first") return Value::boolean(state.index0 == 0);
  if (name == "last") return Value::boolean(state.peek().is_missing());
  if (name == "length") return Value::integer(state.length());
  if (name == "revindex") return Value::integer(state.length() - state.index0);
  if (name == "revindex0") return Value::integer(state.length() - state.index0 - 1);
  if (name == "depth") return Value::integer(state.depth0 + 1);
  if (name == "depth0") return Value::integer(state.depth0);
  if (name == "previtem") return neighbour(state.before, "there is no previous item", runtime);
  if (name == "nextitem") return neighbour(state.peek(), "there is no next item", runtime);
  if (name == "cycle") return bind(loop, name, cycle, runtime);
  if (name == "changed") return bind(loop, name, changed, runtime);
  return std::nullopt;
}

Value call_loop(const Value& loop, Arguments& arguments, Runtime& runtime) {
  auto& state = loop.get<LoopObject>();
  if (!state.recurse) {
    throw Error({.what = "this loop cannot be called",
                 .hint = "write `recursive` at the end of its `for`"});
  }
  const Parameters parameters("loop", arguments, {"iterable"}, 1);
  Arguments inner{.positional = {parameters[0], Value::integer(state.depth0 + 1)}};
  const Callback recurse = state.recurse;
  return recurse(runtime, inner);
}

std::string describe_loop(const Value& loop) {
  auto& state = loop.get<LoopObject>();
  return fmt::format("<LoopContext {}/{}>", state.index0 + 1, state.length());
}

std::optional<Value> macro_attribute(const Value& macro, std::string_view name, Runtime& runtime) {
  const auto& object = macro.get<MacroObject>();
  if (name == "name") {
    return object.name ? make_string(*object.name, &runtime.budget) : Value::none();
  }
  if (name == "arguments") {
    Values names;
    for (const auto& parameter : object.parameters) {
      names.push_back(make_string(parameter, &runtime.budget));
    }
    return make_tuple(std::move(names), &runtime.budget);
  }
  if (name == "catch_kwargs") return Value::boolean(object.catches_keywords);
  if (name == "catch_varargs") return Value::boolean(object.catches_positional);
  if (name == "caller") return Value::boolean(object.uses_caller);
  if (name == "explicit_caller") {
    return Value::boolean(std::count(object.parameters.begin(), object.parameters.end(), "caller") >
                          0);
  }
  return std::nullopt;
}

std::string describe_macro(const Value& macro) {
  const auto& name = macro.get<MacroObject>().name;
  return name ? fmt::format("<Macro {}>", python_text::quote(*name)) : "<Macro anonymous>";
}

}  // namespace palimpsest::jinja
