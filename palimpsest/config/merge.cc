#include "palimpsest/config/internal/merge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/config/internal/key_index.h"
#include "palimpsest/config/internal/key_path.h"
#include "palimpsest/config/internal/resolver.h"

namespace palimpsest::config {
namespace {

class Merger {
 public:
  Merger(Value& root, NewKeys new_keys, const ConfigContext& context)
      : root_(root), new_keys_(new_keys), context_(context) {}

  // `keys` lead from the root to `target`.
  void merge(Value& target, const Value& source, std::vector<std::string> keys) {
    if (target.is_list() && source.is_list()) {
      target = source;
    } else if (target.is_map() && source.is_map()) {
      // A map that only leads to the content of another file gets the position of its own file.
      if (target.location().empty()) target.locate(source.location(), target.key());
      KeyIndex index(target);
      for (const auto& [key, value] : source.as_map()) {
        keys.push_back(key);
        merge_key(index, value, keys);
        keys.pop_back();
      }
    } else if (keys.empty()) {
      throw Error({.what = fmt::format("the file is {} and not a map of keys", source.kind()),
                   .where = source.location(),
                   .expected = "key: value",
                   .hint = "put it under a key, or into the folder of a group"});
    } else {
      throw Error({.what = fmt::format("'{}' cannot be merged", fmt::join(keys, ".")),
                   .where = source.location(),
                   .expected = fmt::format("{}, as at {}", target.kind(), target.location()),
                   .found = std::string(source.kind())});
    }
  }

 private:
  // The last of `keys` in the map of the index.
  void merge_key(KeyIndex& index, const Value& source, const std::vector<std::string>& keys) {
    Value* target = index.find(keys.back());
    if (target == nullptr) {
      if (new_keys_ == NewKeys::kRefuse) refuse_new_key(keys, source);
      index.set(keys.back(), source);
      return;
    }
    if (target->is_interpolation()) {
      const Value* leads_to = Resolver(root_, nullptr, context_).follow(keys);
      if (leads_to != nullptr && leads_to->is_container()) {
        Value copy = *leads_to;
        *target = std::move(copy);
      }
    }
    if (target->is_container() && source.is_container()) {
      merge(*target, source, keys);
    } else if (!source.is_missing()) {
      *target = source;
    }
  }

  [[noreturn]] static void refuse_new_key(const std::vector<std::string>& keys,
                                          const Value& source) {
    throw Error({.what = fmt::format("there is no key '{}'", fmt::join(keys, ".")),
                 .where = source.location()});
  }

  Value& root_;
  NewKeys new_keys_;
  const ConfigContext& context_;
};

std::string keys_of(const Value& map) {
  std::string keys;
  for (const auto& [key, value] : map.as_map()) keys += (keys.empty() ? "" : ", ") + key;
  return keys.empty() ? "no keys" : "the keys " + keys;
}

// The value at a key of a list or a map; added where that is allowed.
Value& at_or_new(Value& container, const std::string& key, NewKeys new_keys) {
  if (Value* found = container.child(key)) return *found;
  if (container.is_list()) {
    throw Error(fmt::format("the list has {} items, there is no '{}' among them",
                            container.as_list().size(), key));
  }
  if (new_keys == NewKeys::kRefuse) {
    throw Error({.what = fmt::format("there is no key '{}'", key), .found = keys_of(container)});
  }
  container.set(key, Value());
  return *container.find(key);
}

}  // namespace

void merge(Value& root, const Value& source, const ConfigContext& context) {
  Merger(root, NewKeys::kAdd, context).merge(root, source, {});
}

void update(Value& root, const Update& update, const ConfigContext& context) {
  const std::vector<std::string> keys = split_key(update.path);
  Value* target = &root;
  for (const std::string& key : keys) {
    if (!target->is_container()) *target = Value(Value::Map{});
    target = &at_or_new(*target, key, update.new_keys);
  }
  if (target->is_container() && update.value.is_container()) {
    Merger(root, update.new_keys, context).merge(*target, update.value, keys);
  } else {
    *target = update.value;
  }
}

Value embed(Value value, const std::string& path) {
  if (path.empty()) return value;
  const std::vector<std::string> keys = split_key(path);
  for (auto key = keys.rbegin(); key != keys.rend(); ++key) {
    Value map{Value::Map{}};
    map.set(*key, std::move(value));
    value = std::move(map);
  }
  return value;
}

}  // namespace palimpsest::config
