// Python's dict: it keeps the order of insertion and compares keys by value (1, 1.0 and True are
// the same key). It is built once and then only read.
#pragma once

#include <utility>
#include <vector>

#include "palimpsest/jinja/internal/value.h"

namespace palimpsest::jinja {

struct DictObject : Object {
  using Entry = std::pair<Value, Value>;
  // A key that occurs twice keeps its first position and its last value. Throws Error for a value
  // that cannot be a key (a list or a dict) or is nested too deep.
  DictObject(std::vector<Entry> all, Budget* b);

  // The value of a key, or null if it is absent. Throws Error for a value that cannot be a key.
  const Value* find(const Value& key) const;
  const Value* find(std::string_view key) const;

  const std::vector<Entry>& entries() const { return entries_; }

 private:
  // The index of the entry, or -1.
  int64_t index_of(const Value& key, size_t hash) const;
  void insert(Entry entry);
  void rehash(size_t buckets);

  std::vector<Entry> entries_;
  std::vector<size_t> hashes_;
  std::vector<int32_t> buckets_;  // open addressing; the size is a power of two; -1 is free
};

inline const DictObject& Value::dict() const {
  return get<DictObject>();
}

Value make_dict(std::vector<DictObject::Entry> entries, Budget* budget);

// The named arguments of a call, **kwargs, with texts as keys.
std::vector<DictObject::Entry> named_entries(const Arguments& arguments, Budget* budget);

// Python's hash(). Throws Error for values that cannot be hashed.
size_t hash_value(const Value& value);

}  // namespace palimpsest::jinja
