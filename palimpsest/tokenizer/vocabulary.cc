#include "palimpsest/tokenizer/internal/vocabulary.h"

#include <bit>
#include <cstring>

#include "palimpsest/base/error.h"

namespace palimpsest::tokenizer {
namespace {

constexpr uint64_t kMultiplier = 0x9E3779B97F4A7C15U;
constexpr size_t kMinSlots = 16;
// Numbers up to this many times the number of tokens are looked up in an array.
constexpr size_t kDensity = 4;
constexpr size_t kAlwaysDense = 1024;

uint64_t mix(uint64_t a, uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

}  // namespace

uint64_t hash_bytes(std::string_view bytes) {
  uint64_t hash = bytes.size() * kMultiplier;
  const char* data = bytes.data();
  size_t left = bytes.size();
  for (; left >= 8; left -= 8, data += 8) {
    uint64_t word;
    std::memcpy(&word, data, 8);
    hash = mix(hash ^ word, kMultiplier);
  }
  uint64_t tail = 0;
  std::memcpy(&tail, data, left);
  return mix(hash ^ tail, 0xD6E8FEB86659FD93U);
}

void Vocabulary::reserve(size_t tokens, size_t bytes) {
  text_.reserve(bytes);
  entries_.reserve(tokens);
  grow(std::bit_ceil(2 * tokens + kMinSlots));
}

void Vocabulary::grow(size_t slots) {
  if (slots <= slots_.size()) return;
  slots_.assign(slots, kEmpty);
  for (size_t i = 0; i < entries_.size(); ++i) {
    size_t slot = entries_[i].hash & (slots - 1);
    while (slots_[slot] != kEmpty) slot = (slot + 1) & (slots - 1);
    slots_[slot] = static_cast<uint32_t>(i);
  }
}

void Vocabulary::add(std::string_view token, int64_t id) {
  PALIMPSEST_CHECK(id >= 0 && id <= UINT32_MAX);
  if (2 * (entries_.size() + 1) > slots_.size()) {
    grow(std::max(kMinSlots, 2 * slots_.size()));
  }
  const auto hash = static_cast<uint32_t>(hash_bytes(token));
  size_t slot = hash & (slots_.size() - 1);
  for (; slots_[slot] != kEmpty; slot = (slot + 1) & (slots_.size() - 1)) {
    Entry& entry = entries_[slots_[slot]];
    if (entry.hash == hash && token_at(slots_[slot]) == token) {
      entry.id = static_cast<uint32_t>(id);
      index_by_id(entry.id, slots_[slot]);
      return;
    }
  }
  const auto index = static_cast<uint32_t>(entries_.size());
  slots_[slot] = index;
  entries_.push_back(
      {hash, static_cast<uint32_t>(id), text_.size(), static_cast<uint32_t>(token.size())});
  text_ += token;
  index_by_id(static_cast<uint32_t>(id), index);
}

void Vocabulary::add_again(std::string_view token, int64_t id) {
  const int64_t old = id_of(token);
  add(token, id);
  if (old < 0 || old == id) return;
  old_ids_.insert(static_cast<uint32_t>(old));
}

void Vocabulary::index_by_id(uint32_t id, uint32_t entry) {
  if (id < by_id_.size()) {
    by_id_[id] = entry;
  } else if (id < kAlwaysDense || id < kDensity * entries_.size()) {
    by_id_.resize(static_cast<size_t>(id) + 1, kEmpty);
    by_id_[id] = entry;
  } else {
    by_large_id_[id] = entry;
  }
}

int64_t Vocabulary::id_of(std::string_view token) const {
  if (slots_.empty()) return -1;
  const auto hash = static_cast<uint32_t>(hash_bytes(token));
  for (size_t slot = hash & (slots_.size() - 1); slots_[slot] != kEmpty;
       slot = (slot + 1) & (slots_.size() - 1)) {
    const Entry& entry = entries_[slots_[slot]];
    if (entry.hash == hash && token_at(slots_[slot]) == token) return entry.id;
  }
  return -1;
}

std::optional<std::string_view> Vocabulary::token_of(int64_t id) const {
  if (id < 0 || id > UINT32_MAX) return std::nullopt;
  const auto number = static_cast<uint32_t>(id);
  uint32_t index = number < by_id_.size() ? by_id_[number] : kEmpty;
  if (index == kEmpty) {
    const auto found = by_large_id_.find(number);
    if (found != by_large_id_.end()) index = found->second;
  }
  // A token that got another number later has left this one, unless it was to keep it.
  if (index == kEmpty || (entries_[index].id != number && !old_ids_.contains(number))) {
    return std::nullopt;
  }
  return token_at(index);
}

}  // namespace palimpsest::tokenizer
