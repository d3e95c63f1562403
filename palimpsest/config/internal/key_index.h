// An index of the keys of a map, for code that sets many of them. Value::set() searches all keys
// every time, which is too slow for a map with a hundred thousand keys.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>

#include "palimpsest/config/value.h"

namespace palimpsest::config {

// Holds a reference to the map. While the index exists, keys must not be added or removed in any
// other way.
class KeyIndex {
 public:
  explicit KeyIndex(Value& map) : map_(map.as_map()) {
    for (size_t i = 0; i < map_.size(); ++i) indices_.emplace(map_[i].first, i);
  }

  Value* find(const std::string& key) {
    const auto found = indices_.find(key);
    return found == indices_.end() ? nullptr : &map_[found->second].second;
  }

  // Works like Value::set().
  void set(const std::string& key, Value value) {
    if (Value* found = find(key)) {
      *found = std::move(value);
    } else {
      indices_.emplace(key, map_.size());
      map_.emplace_back(key, std::move(value));
    }
  }

 private:
  Value::Map& map_;
  std::unordered_map<std::string, size_t> indices_;
};

}  // namespace palimpsest::config
