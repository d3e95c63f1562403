// Tokens and their numbers, both ways. Flat hash tables over one block of text: a look-up allocates
// nothing. Memory follows the number of tokens, whatever their numbers are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace palimpsest::tokenizer {

// Fast and good enough for tables that only we fill; not meant to withstand an enemy.
uint64_t hash_bytes(std::string_view bytes);

class Vocabulary {
 public:
  void reserve(size_t tokens, size_t bytes);

  // A token that is there already gets the new number. The number must be within [0, 2^32).
  void add(std::string_view token, int64_t id);

  // The same, but a token that is there already keeps its old number too; id_of() gives the new
  // one.
  void add_again(std::string_view token, int64_t id);

  // The number of different tokens.
  int64_t size() const { return static_cast<int64_t>(entries_.size()); }
  // The number of numbers: more than size() if some tokens have several.
  int64_t id_count() const { return size() + static_cast<int64_t>(old_ids_.size()); }

  // -1 if the token is not there.
  int64_t id_of(std::string_view token) const;
  // Nothing if no token has this number. The view lives as long as the vocabulary is not changed.
  std::optional<std::string_view> token_of(int64_t id) const;

  // In the order of addition.
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
  std::vector<uint32_t> slots_;  // open addressing; a power of two
  std::vector<uint32_t> by_id_;  // the entry of each small number
  std::unordered_map<uint32_t, uint32_t> by_large_id_;
  std::unordered_set<uint32_t> old_ids_;  // of tokens that have a newer number too
};

}  // namespace palimpsest::tokenizer
