// The half of ops.h that is about items: iteration, indexing and slices.
#include <fmt/format.h>

#include <algorithm>

#include "palimpsest/base/internal/checked.h"
#include "palimpsest/jinja/internal/dict.h"
#include "palimpsest/jinja/internal/ops.h"
#include "palimpsest/python_text/internal/unicode.h"
#include "palimpsest/text/internal/utf8.h"

namespace palimpsest::jinja {
namespace {

Value view_item(const ViewObject& view, size_t index, Budget& budget) {
  const auto& [key, value] = view.source.dict().entries()[index];
  switch (view.view_kind) {
    case ViewKind::kKeys:
      return key;
    case ViewKind::kValues:
      return value;
    default:
      return make_tuple({key, value}, &budget);
  }
}

Value range_item(const RangeObject& range, int64_t index) {
  return Value::integer(range.start + index * range.step);
}

// The first index, the increment and the number of items of a slice, as Python resolves them.
struct Bounds {
  int64_t start;
  int64_t stop;
  int64_t step;
  int64_t count;
};

std::optional<int64_t> slice_bound(const Value& value) {
  if (value.is_missing() || value.is_none()) return std::nullopt;
  if (!value.is_integral()) {
    throw Error(fmt::format("a slice needs integers, not '{}'", type_name(value)));
  }
  return value.as_int();
}

Bounds resolve(const Value& start, const Value& stop, const Value& step, int64_t length) {
  const int64_t increment = slice_bound(step).value_or(1);
  if (increment == 0) throw Error("the step of a slice cannot be zero");
  const bool backwards = increment < 0;
  const int64_t lowest = backwards ? -1 : 0;
  const int64_t highest = backwards ? length - 1 : length;
  const auto clamped = [&](const Value& bound, int64_t open) {
    const std::optional<int64_t> given = slice_bound(bound);
    if (!given) return open;
    const int64_t index = *given < 0 ? std::max(*given, -length - 1) + length : *given;
    return std::clamp(index, lowest, highest);
  };
  const int64_t first = clamped(start, backwards ? highest : lowest);
  const int64_t end = clamped(stop, backwards ? lowest : highest);
  const RangeObject range(first, end, increment, nullptr);
  return {first, end, increment, range.length()};
}

Value slice_text(const Value& value, const Bounds& bounds, Budget& budget) {
  const StringObject& source = value.string();
  budget.spend_bytes(source.text.size());
  if (bounds.step == 1) {
    const size_t begin = python_text::byte_offset(source.text, bounds.start);
    const std::string_view rest = std::string_view(source.text).substr(begin);
    const size_t size = python_text::byte_offset(rest, bounds.count);
    return make_string(std::string(rest.substr(0, size)), &budget, source.markup);
  }
  const std::u32string points = text::to_code_points(source.text);
  std::u32string picked;
  for (int64_t i = 0; i < bounds.count; ++i) {
    picked += points[static_cast<size_t>(bounds.start + i * bounds.step)];
  }
  return make_string(text::to_utf8(picked), &budget, source.markup);
}

}  // namespace

bool is_iterable(const Value& value) {
  switch (value.kind()) {
    case Kind::kUndefined:
    case Kind::kString:
    case Kind::kList:
    case Kind::kTuple:
    case Kind::kDict:
    case Kind::kRange:
    case Kind::kView:
    case Kind::kIterator:
      return true;
    default:
      return false;
  }
}

Cursor::Cursor(Value source, Budget& budget) : source_(std::move(source)), budget_(budget) {
  if (!is_iterable(source_)) {
    throw Error(fmt::format("a value of type '{}' cannot be iterated over", type_name(source_)));
  }
}

bool Cursor::next(Value& item) {
  budget_.spend(1);
  switch (source_.kind()) {
    case Kind::kString: {
      const StringObject& string = source_.string();
      if (position_ >= string.text.size()) return false;
      const size_t begin = position_;
      text::next_code_point(string.text, position_);
      item = make_string(string.text.substr(begin, position_ - begin), &budget_, false);
      return true;
    }
    case Kind::kList:
    case Kind::kTuple:
      if (position_ >= source_.items().size()) return false;
      item = source_.items()[position_++];
      return true;
    case Kind::kDict:
      if (position_ >= source_.dict().entries().size()) return false;
      item = source_.dict().entries()[position_++].first;
      return true;
    case Kind::kView:
      if (static_cast<int64_t>(position_) >= *length_of(source_)) return false;
      item = view_item(source_.get<ViewObject>(), position_++, budget_);
      return true;
    case Kind::kRange:
      if (static_cast<int64_t>(position_) >= *length_of(source_)) return false;
      item = range_item(source_.get<RangeObject>(), static_cast<int64_t>(position_++));
      return true;
    case Kind::kIterator:
      return source_.get<IteratorObject>().next(item);
    default:
      return false;
  }
}

Values collect(const Value& value, Budget& budget) {
  Values items;
  Cursor cursor(value, budget);
  Value item;
  while (cursor.next(item)) {
    if (items.size() == items.capacity()) {
      budget.require(static_cast<int64_t>(items.size() * 3 * sizeof(Value)));
    }
    items.push_back(std::move(item));
  }
  return items;
}

std::optional<Value> item_at(const Value& value, int64_t index, Budget& budget) {
  const std::optional<int64_t> length = length_of(value);
  if (!length) return std::nullopt;
  if (index < 0) index += *length;
  if (index < 0 || index >= *length) return std::nullopt;
  if (value.is_sequence()) return value.items()[static_cast<size_t>(index)];
  if (value.is(Kind::kRange)) return range_item(value.get<RangeObject>(), index);
  if (!value.is_string()) return std::nullopt;
  return slice_text(value, {index, index + 1, 1, 1}, budget);
}

Value slice(const Value& value, const Value& start, const Value& stop, const Value& step,
            Budget& budget) {
  require_defined(value);
  if (!value.is_string() && !value.is_sequence() && !value.is(Kind::kRange)) {
    throw Error(fmt::format("a value of type '{}' cannot be sliced", type_name(value)));
  }
  const Bounds bounds = resolve(start, stop, step, *length_of(value));
  if (value.is_string()) return slice_text(value, bounds, budget);
  if (value.is(Kind::kRange)) {
    const auto& range = value.get<RangeObject>();
    const auto value_at = [&](int64_t index) {
      return checked_add(range.start, checked_mul(index, range.step));
    };
    return Value::object(
        Kind::kRange, std::make_shared<RangeObject>(value_at(bounds.start), value_at(bounds.stop),
                                                    checked_mul(range.step, bounds.step), &budget));
  }
  budget.require(bounds.count * static_cast<int64_t>(sizeof(Value)));
  Values items;
  items.reserve(static_cast<size_t>(bounds.count));
  for (int64_t i = 0; i < bounds.count; ++i) {
    items.push_back(value.items()[static_cast<size_t>(bounds.start + i * bounds.step)]);
  }
  return make_sequence(value.kind(), std::move(items), &budget);
}

}  // namespace palimpsest::jinja
