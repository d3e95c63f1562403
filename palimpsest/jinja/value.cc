#include "palimpsest/jinja/internal/value.h"

#include <fmt/format.h>

#include <algorithm>

#include "palimpsest/text/internal/utf8.h"

namespace palimpsest::jinja {
namespace {

int deepest(const Values& values) {
  int depth = 0;
  for (const Value& value : values) depth = std::max(depth, value.depth());
  return depth;
}

int64_t bytes_of(const Values& values) {
  return static_cast<int64_t>(values.size() * sizeof(Value));
}

}  // namespace

void Budget::fail_steps() const {
  throw Error({.what = fmt::format("the template was stopped after {} steps", limits_.max_steps),
               .hint = "does it loop without end?"});
}

void Budget::fail_bytes() const {
  throw Error({.what = fmt::format("the template was stopped: it needs more than {} MiB of memory",
                                   limits_.max_bytes >> 20),
               .hint = "does it grow without end?"});
}

// The fixed part stands for the object itself and its control block.
Object::Object(Budget* the_budget, int64_t size, int nesting)
    : budget(the_budget), bytes(size + 96), depth(nesting) {
  if (depth > kMaxNesting) {
    throw Error(fmt::format("values are nested more than {} deep", kMaxNesting));
  }
  if (budget != nullptr) budget->acquire(bytes);
}

Object::~Object() {
  if (budget != nullptr) budget->release(bytes);
}

Value Value::real(double value) {
  Value result(Kind::kFloat);
  result.real_ = value;
  return result;
}

Value Value::object(Kind kind, std::shared_ptr<Object> object) {
  Value result(kind);
  result.object_ = std::move(object);
  return result;
}

const std::string& Value::text() const {
  return string().text;
}

const Values& Value::items() const {
  return get<SequenceObject>().items;
}

StringObject::StringObject(std::string content, bool is_markup, Budget* b)
    : Object(b, static_cast<int64_t>(content.size()), 1),
      text(std::move(content)),
      length(text::count_code_points(text)),
      markup(is_markup) {
  if (b != nullptr) b->spend_bytes(text.size());
}

SequenceObject::SequenceObject(Values values, Budget* b)
    : Object(b, bytes_of(values), 1 + deepest(values)), items(std::move(values)) {
  if (b != nullptr) b->spend(static_cast<int64_t>(items.size()));
}

RangeObject::RangeObject(int64_t first, int64_t end, int64_t increment, Budget* b)
    : Object(b, 0, 1), start(first), stop(end), step(increment) {}

int64_t RangeObject::length() const {
  // In 128 bits, since the ends may be as far apart as integers get.
  const auto span =
      step > 0 ? static_cast<__int128>(stop) - start : static_cast<__int128>(start) - stop;
  const auto width = step > 0 ? static_cast<__int128>(step) : -static_cast<__int128>(step);
  if (span <= 0) return 0;
  const __int128 count = (span + width - 1) / width;
  return count > INT64_MAX ? INT64_MAX : static_cast<int64_t>(count);
}

ViewObject::ViewObject(ViewKind view, Value of, Budget* b)
    : Object(b, 0, 1 + of.depth()), view_kind(view), source(std::move(of)) {}

IteratorObject::IteratorObject(std::function<bool(Value&)> step, int nesting, Budget* b)
    : Object(b, 128, nesting), next(std::move(step)) {}

FunctionObject::FunctionObject(std::string called, Callback callback, int nesting, Budget* b)
    : Object(b, 128, nesting), name(std::move(called)), call(std::move(callback)) {}

Value* NamespaceObject::find(std::string_view name) {
  for (auto& [key, value] : attributes) {
    if (key == name) return &value;
  }
  return nullptr;
}

void NamespaceObject::set(const std::string& name, Value value) {
  if (Value* existing = find(name)) {
    *existing = std::move(value);
    return;
  }
  const auto more = static_cast<int64_t>(name.size() + sizeof(attributes[0]));
  if (budget != nullptr) {
    budget->spend(static_cast<int64_t>(attributes.size()));
    budget->acquire(more);
    bytes += more;
  }
  attributes.emplace_back(name, std::move(value));
}

CyclerObject::CyclerObject(Value values, Budget* b)
    : Object(b, 0, 1 + values.depth()), items(std::move(values)) {}

JoinerObject::JoinerObject(Value text, Budget* b)
    : Object(b, 0, 1 + text.depth()), separator(std::move(text)) {}

Runtime::~Runtime() {
  for (const auto& space : namespaces) space->attributes.clear();
  namespaces.clear();
}

Value make_undefined(std::string message, Budget* budget) {
  return Value::object(Kind::kUndefined,
                       std::make_shared<UndefinedObject>(std::move(message), budget));
}

Value make_string(std::string text, Budget* budget, bool markup) {
  return Value::object(Kind::kString,
                       std::make_shared<StringObject>(std::move(text), markup, budget));
}

Value make_sequence(Kind kind, Values items, Budget* budget) {
  return Value::object(kind, std::make_shared<SequenceObject>(std::move(items), budget));
}

Value make_list(Values items, Budget* budget) {
  return make_sequence(Kind::kList, std::move(items), budget);
}

Value make_tuple(Values items, Budget* budget) {
  return make_sequence(Kind::kTuple, std::move(items), budget);
}

Value make_iterator(std::function<bool(Value&)> next, int source_depth, Budget* budget) {
  return Value::object(Kind::kIterator,
                       std::make_shared<IteratorObject>(std::move(next), 1 + source_depth, budget));
}

Value make_function(std::string name, Callback call, int bound_depth, Budget* budget) {
  return Value::object(
      Kind::kFunction,
      std::make_shared<FunctionObject>(std::move(name), std::move(call), 1 + bound_depth, budget));
}

std::string_view type_name(const Value& value) {
  // In the order of Kind.
  constexpr std::string_view kNames[] = {
      "Undefined", "Undefined", "NoneType",    "bool",   "int",       "float",     "str",
      "list",      "tuple",     "dict",        "range",  "dict view", "generator", "function",
      "Macro",     "Namespace", "LoopContext", "Cycler", "Joiner"};
  if (value.is_string() && value.string().markup) return "Markup";
  return kNames[static_cast<size_t>(value.kind())];
}

void fail_undefined(const Value& value) {
  throw Error(value.get<UndefinedObject>().message);
}

}  // namespace palimpsest::jinja
