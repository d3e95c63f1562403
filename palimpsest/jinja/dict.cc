#include "palimpsest/jinja/internal/dict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "palimpsest/jinja/internal/ops.h"

namespace palimpsest::jinja {
namespace {

// Below this a scan is faster than an index.
constexpr size_t kScanned = 8;

int deepest(const std::vector<DictObject::Entry>& entries) {
  int depth = 0;
  for (const auto& [key, value] : entries) {
    depth = std::max({depth, key.depth(), value.depth()});
  }
  return depth;
}

// Spreads integers over all bits, since the index takes the lowest ones.
size_t hash_integer(int64_t value) {
  const auto mixed = static_cast<uint64_t>(value) * 0x9e3779b97f4a7c15u;
  return static_cast<size_t>(mixed ^ (mixed >> 32));
}

}  // namespace

size_t hash_value(const Value& value) {
  switch (value.kind()) {
    case Kind::kString:
      return std::hash<std::string_view>()(value.text());
    case Kind::kBool:
    case Kind::kInt:
      return hash_integer(value.as_int());
    case Kind::kFloat: {
      const double number = value.as_double();
      // A whole number must hash as the integer that equals it.
      if (number == std::floor(number) && std::abs(number) < 9e18) {
        return hash_integer(static_cast<int64_t>(number));
      }
      return std::hash<double>()(number);
    }
    case Kind::kTuple: {
      size_t hash = value.items().size();
      // Tuples that share their parts may be far larger than their memory.
      if (Budget* budget = value.pointer()->budget) budget->spend(1);
      for (const Value& item : value.items()) hash = hash * 1000003 ^ hash_value(item);
      return hash;
    }
    case Kind::kList:
    case Kind::kDict:
    case Kind::kView:
      throw Error(fmt::format("unhashable type: '{}'", type_name(value)));
    case Kind::kUndefined:
    case Kind::kNone:
    case Kind::kMissing:
      return static_cast<size_t>(value.kind());
    default:
      return std::hash<const void*>()(value.pointer().get());
  }
}

DictObject::DictObject(std::vector<Entry> all, Budget* b)
    : Object(b, static_cast<int64_t>(all.size() * (sizeof(Entry) + 16)), 1 + deepest(all)) {
  if (b != nullptr) b->spend(static_cast<int64_t>(all.size()));
  entries_.reserve(all.size());
  hashes_.reserve(all.size());
  for (Entry& entry : all) insert(std::move(entry));
}

int64_t DictObject::index_of(const Value& key, size_t hash) const {
  if (buckets_.empty()) {
    for (size_t i = 0; i < entries_.size(); ++i) {
      if (hashes_[i] == hash && same_key(entries_[i].first, key, budget)) {
        return static_cast<int64_t>(i);
      }
    }
    return -1;
  }
  const size_t mask = buckets_.size() - 1;
  for (size_t at = hash & mask; buckets_[at] >= 0; at = (at + 1) & mask) {
    const auto i = static_cast<size_t>(buckets_[at]);
    if (hashes_[i] == hash && same_key(entries_[i].first, key, budget)) {
      return static_cast<int64_t>(i);
    }
  }
  return -1;
}

void DictObject::rehash(size_t buckets) {
  buckets_.assign(buckets, -1);
  const size_t mask = buckets - 1;
  for (size_t i = 0; i < entries_.size(); ++i) {
    size_t at = hashes_[i] & mask;
    while (buckets_[at] >= 0) at = (at + 1) & mask;
    buckets_[at] = static_cast<int32_t>(i);
  }
}

void DictObject::insert(Entry entry) {
  const size_t hash = hash_value(entry.first);
  const int64_t existing = index_of(entry.first, hash);
  if (existing >= 0) {
    entries_[static_cast<size_t>(existing)].second = std::move(entry.second);
    return;
  }
  entries_.push_back(std::move(entry));
  hashes_.push_back(hash);
  if (entries_.size() <= kScanned) return;
  if (entries_.size() * 2 > buckets_.size()) {
    rehash(std::max<size_t>(32, buckets_.size() * 4));
  } else {
    const size_t mask = buckets_.size() - 1;
    size_t at = hash & mask;
    while (buckets_[at] >= 0) at = (at + 1) & mask;
    buckets_[at] = static_cast<int32_t>(entries_.size() - 1);
  }
}

const Value* DictObject::find(const Value& key) const {
  const int64_t i = index_of(key, hash_value(key));
  return i < 0 ? nullptr : &entries_[static_cast<size_t>(i)].second;
}

const Value* DictObject::find(std::string_view key) const {
  return find(make_string(std::string(key), nullptr));
}

std::vector<DictObject::Entry> named_entries(const Arguments& arguments, Budget* budget) {
  std::vector<DictObject::Entry> entries;
  for (const auto& [name, value] : arguments.named)
    entries.emplace_back(make_string(name, budget), value);
  return entries;
}

Value make_dict(std::vector<DictObject::Entry> entries, Budget* budget) {
  return Value::object(Kind::kDict, std::make_shared<DictObject>(std::move(entries), budget));
}

}  // namespace palimpsest::jinja
