// The filters that walk over items. Where Jinja gives a generator, so do these: nothing is
// computed before an item is asked for.
#include <fmt/format.h>

#include "palimpsest/jinja/internal/dict.h"
#include "palimpsest/jinja/internal/filters.h"
#include "palimpsest/jinja/internal/ops.h"

namespace palimpsest::jinja {
namespace {

Value length(const Value& value, Arguments& arguments, Runtime&) {
  const Parameters p("length", arguments, {}, 0);
  return Value::integer(require_length(value));
}

Value list(const Value& value, Arguments& arguments, Runtime& runtime) {
  const Parameters p("list", arguments, {}, 0);
  return make_list(collect(value, runtime.budget), &runtime.budget);
}

Value first(const Value& value, Arguments& arguments, Runtime& runtime) {
  const Parameters p("first", arguments, {}, 0);
  Cursor cursor(value, runtime.budget);
  Value item;
  if (cursor.next(item)) return item;
  return make_undefined("there is no first item, the sequence was empty", &runtime.budget);
}

Value last(const Value& value, Arguments& arguments, Runtime& runtime) {
  const Parameters p("last", arguments, {}, 0);
  if (value.is(Kind::kIterator) || !is_iterable(value)) {
    throw Error({.what = fmt::format("a value of type '{}' has no last item", type_name(value)),
                 .hint = "make a list of it with |list"});
  }
  if (const auto item = item_at(value, -1, runtime.budget)) return *item;
  const Values items = collect(value, runtime.budget);
  if (!items.empty()) return items.back();
  return make_undefined("there is no last item, the sequence was empty", &runtime.budget);
}

Value iterator_over(Values items, int depth, Runtime& runtime) {
  const Value source = make_list(std::move(items), &runtime.budget);
  auto cursor = std::make_shared<Cursor>(source, runtime.budget);
  return make_iterator([cursor](Value& item) { return cursor->next(item); }, depth + 1,
                       &runtime.budget);
}

Value reverse(const Value& value, Arguments& arguments, Runtime& runtime) {
  const Parameters p("reverse", arguments, {}, 0);
  if (value.is_string()) {
    return slice(value, Value(), Value(), Value::integer(-1), runtime.budget);
  }
  Values items = collect(value, runtime.budget);
  std::reverse(items.begin(), items.end());
  // Python cannot reverse a generator, so Jinja makes a list of it.
  if (value.is(Kind::kIterator)) return make_list(std::move(items), &runtime.budget);
  return iterator_over(std::move(items), value.depth(), runtime);
}

Value items(const Value& value, Arguments& arguments, Runtime& runtime) {
  const Parameters p("items", arguments, {}, 0);
  if (!value.is_dict() && !value.is_undefined()) {
    throw Error(fmt::format("only a dict has items, not '{}'", type_name(value)));
  }
  Values pairs;
  if (value.is_dict()) {
    for (const auto& [key, item] : value.dict().entries()) {
      pairs.push_back(make_tuple({key, item}, &runtime.budget));
    }
  }
  return iterator_over(std::move(pairs), value.depth() + 1, runtime);
}

Value sum(const Value& value, Arguments& arguments, Runtime& runtime) {
  const Parameters p("sum", arguments, {"attribute", "start"}, 0);
  const Getter getter = attribute_getter(p[0], Value(), runtime.budget);
  Value total = p.has(1) ? p[1] : Value::integer(0);
  if (total.is_string()) throw Error("sum does not add texts");
  Cursor cursor(value, runtime.budget);
  for (Value item; cursor.next(item);) {
    total = arithmetic(Operator::kAdd, total, p.given(0) ? getter(item, runtime) : item, runtime);
  }
  return total;
}

Value batch(const Value& value, Arguments& arguments, Runtime& runtime) {
  const Parameters p("batch", arguments, {"linecount", "fill_with"}, 1);
  auto cursor = std::make_shared<Cursor>(value, runtime.budget);
  auto pending = std::make_shared<Values>();
  auto next = [cursor, pending, p, &runtime](Value& batch_of) {
    const int64_t size = p[0].is_integral() ? p[0].as_int() : -1;
    Value item;
    while (cursor->next(item)) {
      const bool full = static_cast<int64_t>(pending->size()) == size;
      if (full) batch_of = make_list(std::exchange(*pending, {}), &runtime.budget);
      pending->push_back(item);
      if (full) return true;
    }
    if (pending->empty()) return false;
    const auto missing = size - static_cast<int64_t>(pending->size());
    if (p.given(1) && missing > 0) {
      runtime.budget.require(missing * static_cast<int64_t>(sizeof(Value)));
      pending->insert(pending->end(), static_cast<size_t>(missing), p[1]);
    }
    batch_of = make_list(std::exchange(*pending, {}), &runtime.budget);
    return true;
  };
  return make_iterator(std::move(next), value.depth() + 1, &runtime.budget);
}

Value slice_filter(const Value& value, Arguments& arguments, Runtime& runtime) {
  const Parameters p("slice", arguments, {"slices", "fill_with"}, 1);
  const Values all = collect(value, runtime.budget);
  const int64_t slices = p.integer(0, 0);
  if (slices == 0) throw Error("slice: division by zero");
  runtime.budget.require(slices * 128);
  const auto count = static_cast<int64_t>(all.size());
  Values out;
  int64_t begin = 0;
  for (int64_t i = 0; i < slices; ++i) {
    const bool longer = i < count % slices;
    const int64_t end = begin + count / slices + (longer ? 1 : 0);
    Values part(all.begin() + begin, all.begin() + end);
    if (p.given(1) && !longer) part.push_back(p[1]);
    out.push_back(make_list(std::move(part), &runtime.budget));
    begin = end;
  }
  return iterator_over(std::move(out), value.depth() + 1, runtime);
}

// Whether a filter keeps an item, which it may change.
using Keep = std::function<bool(Value&)>;

// What `map` does to an item: an attribute of it or a filter over it.
Keep mapping(const Arguments& arguments, Runtime& runtime) {
  if (arguments.positional.empty()) {
    const Parameters p("map", arguments, {"attribute", "default"}, 0);
    if (!p.has(0)) throw Error("map needs the name of a filter or an attribute");
    return [getter = attribute_getter(p[0], p[1], runtime.budget), &runtime](Value& item) {
      item = getter(item, runtime);
      return true;
    };
  }
  Arguments rest = arguments;
  const Value name = rest.positional[0];
  rest.positional.erase(rest.positional.begin());
  if (!name.is_string()) throw Error("map needs the name of a filter");
  return [name, rest, &runtime](Value& item) {
    Arguments copy = rest;
    item = call_filter(name.text(), item, copy, runtime);
    return true;
  };
}

// The condition of select, reject, selectattr and rejectattr.
template <bool wanted, bool of_attribute>
Keep condition(const Arguments& arguments, Runtime& runtime) {
  Arguments rest = arguments;
  Getter getter;
  if (of_attribute) {
    if (rest.positional.empty()) throw Error("selectattr and rejectattr need an attribute's name");
    getter = attribute_getter(rest.positional[0], Value(), runtime.budget);
    rest.positional.erase(rest.positional.begin());
  }
  Value name;
  if (!rest.positional.empty()) {
    name = rest.positional[0];
    rest.positional.erase(rest.positional.begin());
    if (!name.is_string()) throw Error("select and reject need the name of a test");
  }
  return [getter, name, rest, &runtime](const Value& item) {
    const Value tested = getter ? getter(item, runtime) : item;
    if (name.is_missing()) return truth(tested) == wanted;
    Arguments copy = rest;
    return call_test(name.text(), tested, copy, runtime) == wanted;
  };
}

int depth_of(const Value& value, const Arguments& arguments) {
  int depth = value.depth();
  for (const Value& argument : arguments.positional) depth = std::max(depth, argument.depth());
  for (const auto& [name, argument] : arguments.named) depth = std::max(depth, argument.depth());
  return depth;
}

// The items that are kept. The arguments are looked at when the first of them is asked for.
template <Keep (*make_keep)(const Arguments&, Runtime&)>
Value keep_items(const Value& value, Arguments& arguments, Runtime& runtime) {
  auto cursor = std::make_shared<std::optional<Cursor>>();
  auto keep = std::make_shared<Keep>();
  auto next = [value, arguments, cursor, keep, &runtime](Value& item) {
    if (!truth(value)) return false;
    if (!*cursor) {
      *keep = make_keep(arguments, runtime);
      cursor->emplace(value, runtime.budget);
    }
    while ((*cursor)->next(item)) {
      if ((*keep)(item)) return true;
    }
    return false;
  };
  return make_iterator(std::move(next), depth_of(value, arguments), &runtime.budget);
}

constexpr NamedMethod kSequenceFilters[] = {
    {"batch", batch},
    {"count", length},
    {"first", first},
    {"items", items},
    {"last", last},
    {"length", length},
    {"list", list},
    {"map", keep_items<mapping>},
    {"reject", keep_items<condition<false, false>>},
    {"rejectattr", keep_items<condition<false, true>>},
    {"reverse", reverse},
    {"select", keep_items<condition<true, false>>},
    {"selectattr", keep_items<condition<true, true>>},
    {"slice", slice_filter},
    {"sum", sum},
};

}  // namespace

std::span<const NamedMethod> sequence_filters() {
  return kSequenceFilters;
}

}  // namespace palimpsest::jinja
