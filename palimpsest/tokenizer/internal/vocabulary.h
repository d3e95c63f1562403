// A map between tokens and ids, in both directions. It uses flat hash tables over one block of
// text, so a lookup does not allocate. The memory grows with the number of tokens and does not
// depend on the size of the ids.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace palimpsest::tokenizer {

// A fast hash for our own tables. It does not resist an attacker who searches for collisions.
uint64_t hash_bytes(std::string_view bytes);

class Vocabulary {
 public:
  void reserve(size_t tokens, size_t bytes);

  // A token that already exists gets the new id. The id must be in [0, 2^32).
  void add(std::string_view token, int64_t id);

  // Like add(), but a token that already exists also keeps its old id. id_of() returns the new one.
  void add_again(std::string_view token, int64_t id);

  // The number of distinct tokens.
  int64_t size() const { return static_cast<int64_t>(entries_.size()); }
  // The number of ids. It is greater than size() if some tokens have several.
  int64_t id_count() const { return size() + static_cast<int64_t>(old_ids_.size()); }

  // Returns -1 if the token does not exist.
  int64_t id_of(std::string_view token) const;
  // Returns nullopt if no token has this id. The view is valid until the vocabulary changes.
  std::optional<std::string_view> token_of(int64_t id) const;

  // The token that was added as number `index`.
  std::string_view token_at(int64_t index) const {
    const Entry& entry = entries_[static_cast<size_t>(index)];
    return std::string_view(text_).substr(entry.begin, entry.length);
  }

 private:
  struct Entry {
    uint32_t hash = 0;
    uint32_t id = 0;
    size_t begin = 0;
    uint32_t length = 0;
  };
  static constexpr uint32_t kEmpty = UINT32_MAX;

  void grow(size_t slots);
  void index_by_id(uint32_t id, uint32_t entry);

  std::string text_;
  std::vector<Entry> entries_;
  std::vector<uint32_t> slots_;  // open addressing; the size is a power of two
  std::vector<uint32_t> by_id_;  // the entry of each small id
  std::unordered_map<uint32_t, uint32_t> by_large_id_;
  std::unordered_set<uint32_t> old_ids_;  // old ids of tokens that also have a newer one
};

}  // namespace palimpsest::tokenizer
