#include "palimpsest/jinja/internal/ops.h"

#include <fmt/format.h>

#include <algorithm>

#include "palimpsest/jinja/internal/dict.h"
#include "palimpsest/jinja/internal/loop.h"
#include "palimpsest/jinja/internal/repr.h"

namespace palimpsest::jinja {
namespace {

bool equal_items(const Values& a, const Values& b, Budget* budget) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](const Value& x, const Value& y) { return same_key(x, y, budget); });
}

bool equal_dicts(const DictObject& a, const DictObject& b, Budget* budget) {
  if (a.entries().size() != b.entries().size()) return false;
  for (const auto& [key, value] : a.entries()) {
    const Value* other = b.find(key);
    if (other == nullptr || !same_key(value, *other, budget)) return false;
  }
  return true;
}

bool equal_ranges(const RangeObject& a, const RangeObject& b) {
  const int64_t count = a.length();
  return count == b.length() &&
         (count == 0 || (a.start == b.start && (count == 1 || a.step == b.step)));
}

// -1, 0, 1; nullopt if one is NaN.
std::optional<int> order_numbers(const Value& a, const Value& b) {
  if (a.is_integral() && b.is_integral()) {
    return a.as_int() < b.as_int() ? -1 : a.as_int() > b.as_int() ? 1 : 0;
  }
  // An integer against a real number: exactly, not rounded to a double.
  const auto wide = [](const Value& v) {
    return v.is_integral() ? static_cast<long double>(v.as_int())
                           : static_cast<long double>(v.as_double());
  };
  const long double x = wide(a);
  const long double y = wide(b);
  if (x < y) return -1;
  if (x > y) return 1;
  if (x == y) return 0;
  return std::nullopt;
}

bool holds(Operator op, int order) {
  switch (op) {
    case Operator::kLess:
      return order < 0;
    case Operator::kLessEqual:
      return order <= 0;
    case Operator::kGreater:
      return order > 0;
    default:
      return order >= 0;
  }
}

bool compare_order(Operator op, const Value& a, const Value& b, Runtime& runtime);

bool compare_items(Operator op, const Values& a, const Values& b, Runtime& runtime) {
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (!same_key(a[i], b[i], &runtime.budget)) return compare_order(op, a[i], b[i], runtime);
  }
  return holds(op, a.size() < b.size() ? -1 : a.size() > b.size() ? 1 : 0);
}

bool compare_order(Operator op, const Value& a, const Value& b, Runtime& runtime) {
  runtime.budget.spend(1);
  require_defined(a);
  require_defined(b);
  if (a.is_number() && b.is_number()) {
    const std::optional<int> order = order_numbers(a, b);
    return order.has_value() && holds(op, *order);
  }
  if (a.is_string() && b.is_string()) {
    // The order of UTF-8 bytes is the order of code points.
    runtime.budget.spend_bytes(std::min(a.text().size(), b.text().size()));
    return holds(op, a.text().compare(b.text()));
  }
  if (a.is_sequence() && a.kind() == b.kind()) {
    return compare_items(op, a.items(), b.items(), runtime);
  }
  throw Error(fmt::format("'{}' is not supported between '{}' and '{}'", symbol_of(op),
                          type_name(a), type_name(b)));
}

bool view_contains(const ViewObject& view, const Value& item, Runtime& runtime) {
  const DictObject& dict = view.source.dict();
  if (view.view_kind == ViewKind::kKeys) return dict.find(item) != nullptr;
  if (view.view_kind == ViewKind::kItems) {
    if (!item.is(Kind::kTuple) || item.items().size() != 2) return false;
    const Value* value = dict.find(item.items()[0]);
    return value != nullptr && same_key(*value, item.items()[1], &runtime.budget);
  }
  for (const auto& entry : dict.entries()) {
    if (same_key(entry.second, item, &runtime.budget)) return true;
  }
  return false;
}

bool range_contains(const RangeObject& range, const Value& item) {
  if (!item.is_number()) return false;
  const double number = item.as_double();
  const auto value =
      item.is_integral() ? item.as_int() : static_cast<int64_t>(std::clamp(number, -9e18, 9e18));
  if (!item.is_integral() && static_cast<double>(value) != number) return false;
  if (range.step > 0 ? value < range.start || value >= range.stop
                     : value > range.start || value <= range.stop) {
    return false;
  }
  return (static_cast<__int128>(value) - range.start) % range.step == 0;
}

}  // namespace

std::string_view symbol_of(Operator op) {
  // In the order of Operator.
  constexpr std::string_view kSymbols[] = {
      "+", "-", "*", "/", "//", "%", "**", "==", "!=", "<", "<=", ">", ">=", "in", "not in"};
  return kSymbols[static_cast<size_t>(op)];
}

bool truth(const Value& value) {
  switch (value.kind()) {
    case Kind::kMissing:
    case Kind::kUndefined:
    case Kind::kNone:
      return false;
    case Kind::kBool:
    case Kind::kInt:
      return value.as_int() != 0;
    case Kind::kFloat:
      return value.as_double() != 0;
    case Kind::kString:
    case Kind::kList:
    case Kind::kTuple:
    case Kind::kDict:
    case Kind::kRange:
    case Kind::kView:
      return *length_of(value) > 0;
    default:
      return true;
  }
}

std::optional<int64_t> length_of(const Value& value) {
  switch (value.kind()) {
    case Kind::kUndefined:
      return 0;
    case Kind::kString:
      return value.string().length;
    case Kind::kList:
    case Kind::kTuple:
      return static_cast<int64_t>(value.items().size());
    case Kind::kDict:
      return static_cast<int64_t>(value.dict().entries().size());
    case Kind::kRange:
      return value.get<RangeObject>().length();
    case Kind::kView:
      return length_of(value.get<ViewObject>().source);
    case Kind::kLoop:
      return value.get<LoopObject>().length();
    default:
      return std::nullopt;
  }
}

int64_t require_length(const Value& value) {
  const std::optional<int64_t> length = length_of(value);
  if (!length) throw Error(fmt::format("a value of type '{}' has no length", type_name(value)));
  return *length;
}

bool identical(const Value& a, const Value& b) {
  if (a.kind() != b.kind()) return false;
  if (a.pointer() != nullptr || b.pointer() != nullptr) return a.pointer() == b.pointer();
  return a.is(Kind::kFloat) ? a.as_double() == b.as_double() : a.as_int() == b.as_int();
}

bool same_key(const Value& a, const Value& b, Budget* budget) {
  return (a.pointer() != nullptr && a.pointer() == b.pointer()) || equal(a, b, budget);
}

bool equal(const Value& a, const Value& b, Budget* budget) {
  if (budget != nullptr) budget->spend(1);
  if (a.is_number() && b.is_number()) return order_numbers(a, b) == 0;
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Kind::kString:
      return a.text() == b.text();
    case Kind::kList:
    case Kind::kTuple:
      return equal_items(a.items(), b.items(), budget);
    case Kind::kDict:
      return equal_dicts(a.dict(), b.dict(), budget);
    case Kind::kRange:
      return equal_ranges(a.get<RangeObject>(), b.get<RangeObject>());
    case Kind::kMissing:
    case Kind::kNone:
    case Kind::kUndefined:
      return true;
    default:
      return a.pointer() == b.pointer();
  }
}

bool compare(Operator op, const Value& a, const Value& b, Runtime& runtime) {
  switch (op) {
    case Operator::kEqual:
      return equal(a, b, &runtime.budget);
    case Operator::kNotEqual:
      return !equal(a, b, &runtime.budget);
    case Operator::kIn:
      return contains(b, a, runtime);
    case Operator::kNotIn:
      return !contains(b, a, runtime);
    default:
      return compare_order(op, a, b, runtime);
  }
}

bool contains(const Value& container, const Value& item, Runtime& runtime) {
  switch (container.kind()) {
    case Kind::kString:
      if (!item.is_string()) {
        throw Error(fmt::format("'in' a text needs a text on its left, not '{}'", type_name(item)));
      }
      runtime.budget.spend_bytes(container.text().size());
      return container.text().find(item.text()) != std::string::npos;
    case Kind::kDict:
      return container.dict().find(item) != nullptr;
    case Kind::kView:
      return view_contains(container.get<ViewObject>(), item, runtime);
    case Kind::kRange:
      return range_contains(container.get<RangeObject>(), item);
    default: {
      Cursor cursor(container, runtime.budget);
      Value candidate;
      while (cursor.next(candidate)) {
        if (same_key(candidate, item, &runtime.budget)) return true;
      }
      return false;
    }
  }
}

std::string escape_html(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&#34;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string escape_value(const Value& value, Budget& budget) {
  if (value.is_string() && value.string().markup) return value.text();
  const std::string text = to_text(value, budget);
  budget.require(static_cast<int64_t>(text.size()) * 5);
  return escape_html(text);
}

}  // namespace palimpsest::jinja
