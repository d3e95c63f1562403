// The filters that compare items: sorting, grouping, the least and the greatest.
#include <fmt/format.h>

#include <algorithm>

#include "palimpsest/jinja/internal/dict.h"
#include "palimpsest/jinja/internal/filters.h"
#include "palimpsest/jinja/internal/ops.h"
#include "palimpsest/python_text/internal/text.h"
#include "palimpsest/python_text/internal/unicode.h"

namespace palimpsest::jinja {
namespace {

// A getter whose texts are in lower case, unless case counts.
Getter key_getter(const Value& attribute, bool case_sensitive, const Value& otherwise,
                  Runtime& runtime) {
  Getter getter = attribute_getter(attribute, otherwise, runtime.budget);
  if (case_sensitive) return getter;
  return [getter](const Value& item, Runtime& r) {
    Value key = getter(item, r);
    return key.is_string() ? make_string(python_text::to_lower(key.text()), &r.budget) : key;
  };
}

struct Keyed {
  Value key;
  Value item;
};

void sort_keyed(std::vector<Keyed>& items, bool reverse, Runtime& runtime) {
  std::stable_sort(items.begin(), items.end(), [&](const Keyed& a, const Keyed& b) {
    return reverse ? less(b.key, a.key, runtime) : less(a.key, b.key, runtime);
  });
}

Value items_of(std::vector<Keyed>& keyed, Runtime& runtime) {
  Values items;
  items.reserve(keyed.size());
  for (Keyed& entry : keyed) items.push_back(std::move(entry.item));
  return make_list(std::move(items), &runtime.budget);
}

Value sort(const Value& value, Arguments& arguments, Runtime& runtime) {
  const Parameters p("sort", arguments, {"reverse", "case_sensitive", "attribute"}, 0);
  // Several attributes may be given, separated by commas.
  std::vector<Getter> getters;
  if (p.given(2) && p[2].is_string()) {
    for (const std::string& name : python_text::split(p[2].text(), ",", -1)) {
      getters.push_back(
          key_getter(make_string(name, &runtime.budget), p.flag(1, false), Value(), runtime));
    }
  } else {
    getters.push_back(key_getter(p[2], p.flag(1, false), Value(), runtime));
  }
  std::vector<Keyed> keyed;
  for (Value& item : collect(value, runtime.budget)) {
    Values keys;
    for (const Getter& getter : getters) keys.push_back(getter(item, runtime));
    keyed.push_back({make_list(std::move(keys), &runtime.budget), std::move(item)});
  }
  sort_keyed(keyed, p.flag(0, false), runtime);
  return items_of(keyed, runtime);
}

Value dictsort(const Value& value, Arguments& arguments, Runtime& runtime) {
  const Parameters p("dictsort", arguments, {"case_sensitive", "by", "reverse"}, 0);
  const std::string by = p.has(1) ? p.text(1) : "key";
  if (by != "key" && by != "value") throw Error("dictsort sorts by key or by value");
  require_defined(value);
  if (!value.is_dict())
    throw Error(fmt::format("dictsort needs a dict, not '{}'", type_name(value)));
  const Getter getter = key_getter(Value(), p.flag(0, false), Value(), runtime);
  std::vector<Keyed> keyed;
  for (const auto& [key, item] : value.dict().entries()) {
    keyed.push_back(
        {getter(by == "key" ? key : item, runtime), make_tuple({key, item}, &runtime.budget)});
  }
  sort_keyed(keyed, p.flag(2, false), runtime);
  return items_of(keyed, runtime);
}

template <Operator better>
Value extreme(const Value& value, Arguments& arguments, Runtime& runtime) {
  const Parameters p("min and max", arguments, {"case_sensitive", "attribute"}, 0);
  const Getter getter = key_getter(p[1], p.flag(0, false), Value(), runtime);
  Cursor cursor(value, runtime.budget);
  Value best;
  if (!cursor.next(best)) {
    return make_undefined("the sequence was empty, it has no such item", &runtime.budget);
  }
  Value best_key = getter(best, runtime);
  for (Value item; cursor.next(item);) {
    Value key = getter(item, runtime);
    if (compare(better, key, best_key, runtime)) {
      best = item;
      best_key = std::move(key);
    }
  }
  return best;
}

Value groupby(const Value& value, Arguments& arguments, Runtime& runtime) {
  const Parameters p("groupby", arguments, {"attribute", "default", "case_sensitive"}, 1);
  const Getter key = key_getter(p[0], p.flag(2, false), p[1], runtime);
  const Getter exact = attribute_getter(p[0], p[1], runtime.budget);
  std::vector<Keyed> keyed;
  for (Value& item : collect(value, runtime.budget)) {
    Value item_key = key(item, runtime);
    keyed.push_back({std::move(item_key), std::move(item)});
  }
  sort_keyed(keyed, false, runtime);
  Values groups;
  for (size_t begin = 0; begin < keyed.size();) {
    Values members;
    size_t end = begin;
    while (end < keyed.size() && equal(keyed[end].key, keyed[begin].key, &runtime.budget)) {
      members.push_back(keyed[end++].item);
    }
    // A key that differs from itself (NaN) is a group of its own.
    if (end == begin) members.push_back(keyed[end++].item);
    Value grouper = exact(members[0], runtime);
    groups.push_back(Value::object(
        Kind::kTuple,
        std::make_shared<GroupObject>(
            std::move(grouper), make_list(std::move(members), &runtime.budget), &runtime.budget)));
    begin = end;
  }
  return make_list(std::move(groups), &runtime.budget);
}

Value unique(const Value& value, Arguments& arguments, Runtime& runtime) {
  const Parameters p("unique", arguments, {"case_sensitive", "attribute"}, 0);
  const Getter getter = key_getter(p[1], p.flag(0, false), Value(), runtime);
  auto cursor = std::make_shared<Cursor>(value, runtime.budget);
  auto seen = std::make_shared<std::unordered_multimap<size_t, Value>>();
  auto next = [getter, cursor, seen, &runtime](Value& item) {
    while (cursor->next(item)) {
      Value key = getter(item, runtime);
      const size_t hash = hash_value(key);
      const auto [begin, end] = seen->equal_range(hash);
      const bool known = std::any_of(begin, end, [&](const auto& entry) {
        return same_key(entry.second, key, &runtime.budget);
      });
      if (known) continue;
      runtime.budget.require(static_cast<int64_t>(seen->size() * 128));
      seen->emplace(hash, std::move(key));
      return true;
    }
    return false;
  };
  return make_iterator(std::move(next), value.depth(), &runtime.budget);
}

constexpr NamedMethod kOrderFilters[] = {
    {"dictsort", dictsort},
    {"groupby", groupby},
    {"max", extreme<Operator::kGreater>},
    {"min", extreme<Operator::kLess>},
    {"sort", sort},
    {"unique", unique},
};

}  // namespace

std::span<const NamedMethod> order_filters() {
  return kOrderFilters;
}

}  // namespace palimpsest::jinja
