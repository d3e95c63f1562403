// A hash table from 64-bit keys to small values, for tables that are filled once and searched
// often. Its capacity is fixed when it is made. UINT64_MAX cannot be a key.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace palimpsest::tokenizer {

template <class T>
class FlatMap {
 public:
  explicit FlatMap(size_t capacity = 0) : slots_(std::bit_ceil(2 * capacity + 2)) {}

  // Returns null if the key is absent.
  const T* find(uint64_t key) const {
    const Slot& slot = slots_[slot_of(key)];
    return slot.key == key ? &slot.value : nullptr;
  }

  void insert_or_assign(uint64_t key, const T& value) { slots_[slot_of(key)] = {key, value}; }

 private:
  struct Slot {
    uint64_t key = UINT64_MAX;
    T value = {};
  };

  // Where the key is, or the free slot where it would be.
  size_t slot_of(uint64_t key) const {
    const size_t mask = slots_.size() - 1;
    size_t slot = ((key * 0x9E3779B97F4A7C15U) >> 32) & mask;
    while (slots_[slot].key != key && slots_[slot].key != UINT64_MAX) slot = (slot + 1) & mask;
    return slot;
  }

  std::vector<Slot> slots_;
};

}  // namespace palimpsest::tokenizer
