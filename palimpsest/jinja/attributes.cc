#include "palimpsest/jinja/internal/attributes.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "palimpsest/jinja/internal/dict.h"
#include "palimpsest/jinja/internal/filters.h"
#include "palimpsest/jinja/internal/loop.h"
#include "palimpsest/jinja/internal/ops.h"
#include "palimpsest/jinja/internal/repr.h"

namespace palimpsest::jinja {
namespace {

constexpr std::string_view kListMutators[] = {"append", "clear",  "extend",  "insert",
                                              "pop",    "remove", "reverse", "sort"};
constexpr std::string_view kDictMutators[] = {"clear", "pop", "popitem", "setdefault", "update"};

// Attributes that Python's types have and no chat template needs: saying so beats calling them
// undefined.
constexpr std::string_view kUnsupportedText[] = {"encode", "maketrans", "translate", "expandtabs",
                                                 "casefold"};
constexpr std::string_view kUnsupportedNumber[] = {"as_integer_ratio", "bit_count", "from_bytes",
                                                   "to_bytes",         "fromhex",   "hex"};

template <size_t N>
bool is_one_of(std::string_view name, const std::string_view (&names)[N]) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

Value unsafe_undefined(const Value& value, std::string_view name, Runtime& runtime) {
  return make_undefined(
      fmt::format("the attribute '{}' of a value of type '{}' is out of reach for "
                  "templates: they run in a sandbox and change no lists or dicts",
                  name, type_name(value)),
      &runtime.budget);
}

Value no_attribute(const Value& value, std::string_view name, Runtime& runtime) {
  return make_undefined(
      fmt::format("a value of type '{}' has no attribute '{}'", type_name(value), name),
      &runtime.budget);
}

std::optional<Value> number_attribute(const Value& value, std::string_view name) {
  if (name == "real") return positive(value);
  if (name == "imag") return value.is_integral() ? Value::integer(0) : Value::real(0);
  if (value.is_integral() && name == "numerator") return positive(value);
  if (value.is_integral() && name == "denominator") return Value::integer(1);
  return std::nullopt;
}

std::optional<Value> range_attribute(const RangeObject& range, std::string_view name) {
  if (name == "start") return Value::integer(range.start);
  if (name == "stop") return Value::integer(range.stop);
  if (name == "step") return Value::integer(range.step);
  return std::nullopt;
}

std::optional<Value> cycler_attribute(const Value& value, std::string_view name) {
  const auto& cycler = value.get<CyclerObject>();
  if (name == "current") return cycler.items.items()[static_cast<size_t>(cycler.position)];
  if (name == "items") return cycler.items;
  if (name == "pos") return Value::integer(cycler.position);
  return std::nullopt;
}

std::optional<Value> plain_attribute(const Value& value, std::string_view name, Runtime& runtime) {
  switch (value.kind()) {
    case Kind::kBool:
    case Kind::kInt:
    case Kind::kFloat:
      return number_attribute(value, name);
    case Kind::kRange:
      return range_attribute(value.get<RangeObject>(), name);
    case Kind::kTuple:
      if (dynamic_cast<const GroupObject*>(value.pointer().get()) == nullptr) return std::nullopt;
      if (name == "grouper") return value.items()[0];
      if (name == "list") return value.items()[1];
      return std::nullopt;
    case Kind::kNamespace: {
      const Value* found = value.get<NamespaceObject>().find(name);
      return found == nullptr ? std::nullopt : std::optional<Value>(*found);
    }
    case Kind::kLoop:
      return loop_attribute(value, name, runtime);
    case Kind::kMacro:
      return macro_attribute(value, name, runtime);
    case Kind::kCycler:
      return cycler_attribute(value, name);
    case Kind::kJoiner:
      if (name == "sep") return value.get<JoinerObject>().separator;
      if (name == "used") return Value::boolean(value.get<JoinerObject>().used);
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

bool is_unsafe(const Value& value, std::string_view name) {
  if (value.is(Kind::kList)) return is_one_of(name, kListMutators);
  if (value.is_dict()) return is_one_of(name, kDictMutators);
  return false;
}

void refuse_unsupported(const Value& value, std::string_view name) {
  if ((value.is_string() && is_one_of(name, kUnsupportedText)) ||
      (value.is_number() && is_one_of(name, kUnsupportedNumber)) ||
      (value.is_dict() && name == "fromkeys") || value.is(Kind::kFunction)) {
    throw Error(fmt::format("the attribute '{}' of a value of type '{}' is not supported", name,
                            type_name(value)));
  }
}

// What getattr() gives in the sandbox; nullopt where it raises AttributeError.
std::optional<Value> attribute(const Value& value, const std::string& name, Runtime& runtime) {
  require_defined(value);
  if (name.starts_with("__")) {
    if (value.is_dict() || value.is(Kind::kNamespace)) return std::nullopt;
    return unsafe_undefined(value, name, runtime);
  }
  if (is_unsafe(value, name)) return unsafe_undefined(value, name, runtime);
  if (const std::optional<Value> found = plain_attribute(value, name, runtime)) {
    return name.starts_with('_') ? unsafe_undefined(value, name, runtime) : *found;
  }
  if (const Method method = find_method(value, name)) {
    return make_function(
        name,
        [value, method](Runtime& r, Arguments& arguments) { return method(value, arguments, r); },
        value.depth(), &runtime.budget);
  }
  refuse_unsupported(value, name);
  return std::nullopt;
}

std::optional<Value> item(const Value& value, const Value& key, Runtime& runtime) {
  require_defined(value);
  if (value.is_dict()) {
    if (key.is(Kind::kList) || key.is_dict() || key.is(Kind::kView)) return std::nullopt;
    const Value* found = value.dict().find(key);
    return found == nullptr ? std::nullopt : std::optional<Value>(*found);
  }
  if (!key.is_integral()) return std::nullopt;
  if (value.is_string() || value.is_sequence() || value.is(Kind::kRange)) {
    return item_at(value, key.as_int(), runtime.budget);
  }
  return std::nullopt;
}

}  // namespace

Value get_attribute(const Value& value, const std::string& name, Runtime& runtime) {
  if (const std::optional<Value> found = attribute(value, name, runtime)) return *found;
  if (value.is_dict()) {
    if (const Value* found = value.dict().find(name)) return *found;
  }
  return no_attribute(value, name, runtime);
}

Value get_only_attribute(const Value& value, const std::string& name, Runtime& runtime) {
  if (const std::optional<Value> found = attribute(value, name, runtime)) return *found;
  return no_attribute(value, name, runtime);
}

Value get_item(const Value& value, const Value& key, Runtime& runtime) {
  if (const std::optional<Value> found = item(value, key, runtime)) return *found;
  if (key.is_string()) {
    if (const std::optional<Value> found = attribute(value, key.text(), runtime)) return *found;
    return no_attribute(value, key.text(), runtime);
  }
  return make_undefined(fmt::format("a value of type '{}' has no element {}", type_name(value),
                                    key.is_number() ? to_repr(key, runtime.budget) : "of that key"),
                        &runtime.budget);
}

bool is_callable(const Value& value) {
  switch (value.kind()) {
    case Kind::kUndefined:
    case Kind::kFunction:
    case Kind::kMacro:
    case Kind::kLoop:
    case Kind::kJoiner:
      return true;
    default:
      return false;
  }
}

Value call_value(const Value& callee, Arguments& arguments, Runtime& runtime) {
  runtime.budget.spend(1);
  require_defined(callee);
  switch (callee.kind()) {
    case Kind::kFunction:
      return callee.get<FunctionObject>().call(runtime, arguments);
    case Kind::kMacro:
      return callee.get<MacroObject>().call(runtime, arguments);
    case Kind::kLoop:
      return call_loop(callee, arguments, runtime);
    case Kind::kJoiner: {
      auto& joiner = callee.get<JoinerObject>();
      const Parameters none("joiner", arguments, {}, 0);
      if (joiner.used) return joiner.separator;
      joiner.used = true;
      return make_string("", &runtime.budget);
    }
    default:
      throw Error(fmt::format("a value of type '{}' cannot be called", type_name(callee)));
  }
}

Parameters::Parameters(std::string_view callee, const Arguments& arguments,
                       std::initializer_list<std::string_view> names, size_t required)
    : callee_(callee), values_(names.size()) {
  if (arguments.positional.size() > names.size()) {
    throw Error({.what = fmt::format("{} is given too many arguments", callee_),
                 .expected = fmt::format("at most {}", names.size()),
                 .found = fmt::format("{}", arguments.positional.size())});
  }
  std::copy(arguments.positional.begin(), arguments.positional.end(), values_.begin());
  for (const auto& [name, value] : arguments.named) {
    const auto* found = std::find(names.begin(), names.end(), name);
    if (name.empty() || found == names.end()) {
      throw Error(fmt::format("{} takes no argument named '{}'", callee_, name));
    }
    Value& slot = values_[static_cast<size_t>(found - names.begin())];
    if (!slot.is_missing()) throw Error(fmt::format("{} is given '{}' twice", callee_, name));
    slot = value;
  }
  for (size_t i = 0; i < required; ++i) {
    if (values_[i].is_missing()) {
      throw Error({.what = fmt::format("{} is given too few arguments", callee_),
                   .expected = fmt::format("at least {}", required)});
    }
  }
}

int64_t Parameters::integer(size_t i, int64_t otherwise) const {
  if (!has(i)) return otherwise;
  require_defined(values_[i]);
  if (!values_[i].is_integral()) {
    throw Error(fmt::format("{} needs an integer here, not '{}'", callee_, type_name(values_[i])));
  }
  return values_[i].as_int();
}

bool Parameters::flag(size_t i, bool otherwise) const {
  return has(i) ? truth(values_[i]) : otherwise;
}

const std::string& Parameters::text(size_t i) const {
  if (!values_[i].is_string()) {
    throw Error(fmt::format("{} needs a text here, not '{}'", callee_, type_name(values_[i])));
  }
  return values_[i].text();
}

}  // namespace palimpsest::jinja
