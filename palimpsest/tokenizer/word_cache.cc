#include "palimpsest/tokenizer/internal/word_cache.h"

namespace palimpsest::tokenizer {

std::optional<std::span<const ModelToken>> WordCache::find(std::string_view word,
                                                           uint64_t hash) const {
  if (slots_.empty()) return std::nullopt;
  for (size_t i = hash % kSlots; slots_[i].text_size != 0; i = (i + 1) % kSlots) {
    const Slot& slot = slots_[i];
    if (slot.hash == hash && slot.text_size == word.size() &&
        std::string_view(texts_).substr(slot.text, slot.text_size) == word) {
      return std::span(tokens_).subspan(slot.tokens, slot.token_count);
    }
  }
  return std::nullopt;
}

void WordCache::insert(std::string_view word, uint64_t hash, std::span<const ModelToken> tokens) {
  if (word.empty() || word.size() > kMaxWordBytes || tokens.size() > kMaxWordBytes) return;
  if (slots_.empty() || words_ == kMaxWords || tokens_.size() + tokens.size() > kMaxTokens ||
      texts_.size() + word.size() > kMaxBytes) {
    slots_.assign(kSlots, Slot{});
    texts_.clear();
    tokens_.clear();
    words_ = 0;
  }
  size_t i = hash % kSlots;
  while (slots_[i].text_size != 0) i = (i + 1) % kSlots;
  slots_[i] = {hash, static_cast<uint32_t>(texts_.size()), static_cast<uint32_t>(tokens_.size()),
               static_cast<uint16_t>(word.size()), static_cast<uint16_t>(tokens.size())};
  texts_ += word;
  tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
  ++words_;
}

}  // namespace palimpsest::tokenizer
