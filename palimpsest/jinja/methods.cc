#include "palimpsest/jinja/internal/methods.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "palimpsest/jinja/internal/dict.h"
#include "palimpsest/jinja/internal/ops.h"

namespace palimpsest::jinja {
namespace {

template <ViewKind kind>
Value view_method(const Value& self, Arguments& arguments, Runtime& runtime) {
  const Parameters p("this method", arguments, {}, 0);
  return Value::object(Kind::kView, std::make_shared<ViewObject>(kind, self, &runtime.budget));
}

Value get_method(const Value& self, Arguments& arguments, Runtime&) {
  const Parameters p("get", arguments, {"", ""}, 1);
  if (const Value* found = self.dict().find(p[0])) return *found;
  return p.has(1) ? p[1] : Value::none();
}

Value copy_method(const Value& self, Arguments& arguments, Runtime& runtime) {
  const Parameters p("copy", arguments, {}, 0);
  return self.is_dict() ? make_dict(self.dict().entries(), &runtime.budget)
                        : make_list(self.items(), &runtime.budget);
}

Value count_method(const Value& self, Arguments& arguments, Runtime& runtime) {
  const Parameters p("count", arguments, {""}, 1);
  int64_t count = 0;
  Cursor cursor(self, runtime.budget);
  for (Value item; cursor.next(item);) {
    if (same_key(item, p[0], &runtime.budget)) ++count;
  }
  return Value::integer(count);
}

Value index_method(const Value& self, Arguments& arguments, Runtime& runtime) {
  const Parameters p("index", arguments, {"", "", ""}, 1);
  const int64_t length = require_length(self);
  const auto bound = [&](size_t i, int64_t otherwise) {
    const int64_t index = p.integer(i, otherwise);
    return index < 0 ? std::max<int64_t>(0, index + length) : index;
  };
  const int64_t start = bound(1, 0);
  const int64_t stop = bound(2, length);
  Cursor cursor(self, runtime.budget);
  int64_t at = 0;
  for (Value item; cursor.next(item); ++at) {
    if (at >= start && at < stop && same_key(item, p[0], &runtime.budget))
      return Value::integer(at);
  }
  throw Error("the item to look for is not in the list");
}

Value bit_length_method(const Value& self, Arguments& arguments, Runtime&) {
  const Parameters p("bit_length", arguments, {}, 0);
  return Value::integer(static_cast<int64_t>(std::bit_width(magnitude_of(self.as_int()))));
}

Value conjugate_method(const Value& self, Arguments& arguments, Runtime&) {
  const Parameters p("conjugate", arguments, {}, 0);
  return positive(self);
}

Value is_integer_method(const Value& self, Arguments& arguments, Runtime&) {
  const Parameters p("is_integer", arguments, {}, 0);
  const double value = self.as_double();
  return Value::boolean(std::isfinite(value) && value == std::floor(value));
}

Value cycler_next_method(const Value& self, Arguments& arguments, Runtime&) {
  const Parameters p("next", arguments, {}, 0);
  auto& cycler = self.get<CyclerObject>();
  const Values& items = cycler.items.items();
  Value current = items[static_cast<size_t>(cycler.position)];
  cycler.position = (cycler.position + 1) % static_cast<int64_t>(items.size());
  return current;
}

Value cycler_reset_method(const Value& self, Arguments& arguments, Runtime&) {
  const Parameters p("reset", arguments, {}, 0);
  self.get<CyclerObject>().position = 0;
  return Value::none();
}

constexpr NamedMethod kDictMethods[] = {
    {"copy", copy_method},
    {"get", get_method},
    {"items", view_method<ViewKind::kItems>},
    {"keys", view_method<ViewKind::kKeys>},
    {"values", view_method<ViewKind::kValues>},
};
constexpr NamedMethod kListMethods[] = {
    {"copy", copy_method}, {"count", count_method}, {"index", index_method}};
constexpr NamedMethod kTupleMethods[] = {{"count", count_method}, {"index", index_method}};
constexpr NamedMethod kIntegerMethods[] = {{"bit_length", bit_length_method},
                                           {"conjugate", conjugate_method}};
constexpr NamedMethod kRealMethods[] = {{"conjugate", conjugate_method},
                                        {"is_integer", is_integer_method}};
constexpr NamedMethod kCyclerMethods[] = {{"next", cycler_next_method},
                                          {"reset", cycler_reset_method}};

std::span<const NamedMethod> methods_of(Kind kind) {
  switch (kind) {
    case Kind::kString:
      return text_methods();
    case Kind::kDict:
      return kDictMethods;
    case Kind::kList:
      return kListMethods;
    case Kind::kTuple:
    case Kind::kRange:
      return kTupleMethods;
    case Kind::kBool:
    case Kind::kInt:
      return kIntegerMethods;
    case Kind::kFloat:
      return kRealMethods;
    case Kind::kCycler:
      return kCyclerMethods;
    default:
      return {};
  }
}

}  // namespace

Method find_method(const Value& value, std::string_view name) {
  return find_in(methods_of(value.kind()), name);
}

}  // namespace palimpsest::jinja
