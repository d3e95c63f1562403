#include "palimpsest/tokenizer/internal/bpe.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/text/internal/utf8.h"
#include "palimpsest/tokenizer/internal/byte_level.h"

namespace palimpsest::tokenizer {
namespace {

constexpr std::string_view kMetaspace = "\u2581";
constexpr uint32_t kNoMerge = UINT32_MAX;
// Up to this many symbols a linear search for the best pair beats a heap.
constexpr size_t kFewSymbols = 48;

uint64_t pair_key(uint32_t left, uint32_t right) {
  return (static_cast<uint64_t>(left) << 32) | right;
}

}  // namespace

const Bpe::Merge* Bpe::find_merge(uint32_t left, uint32_t right) const {
  return merges_.find(pair_key(left, right));
}

Bpe::Bpe(BpeOptions options, const ModelTables& tables) : options_(std::move(options)) {
  vocabulary_ = make_vocabulary(tables);
  add_merges(tables);
  if (options_.unk_token) unk_id_ = vocabulary_.id_of(*options_.unk_token);
  byte_ids_complete_ =
      options_.continuing_subword_prefix.empty() && options_.end_of_word_suffix.empty();
  fallback_ids_ = fallback_ids(vocabulary_);
  for (unsigned byte = 0; byte < 256; ++byte) {
    byte_ids_[byte] =
        vocabulary_.id_of(text::to_utf8(byte_level_character(static_cast<unsigned char>(byte))));
    byte_ids_complete_ = byte_ids_complete_ && byte_ids_[byte] >= 0;
  }
}

void Bpe::add_merges(const ModelTables& tables) {
  merges_ = FlatMap<Merge>(tables.merges.size());
  const size_t prefix = options_.continuing_subword_prefix.size();
  // A merge that joins a space to what stands before it would make words depend on each other.
  bool words_are_apart = vocabulary_.id_of(kMetaspace) >= 0 && prefix == 0 &&
                         options_.end_of_word_suffix.empty() && !options_.ignore_merges;
  std::string joined;
  for (size_t rank = 0; rank < tables.merges.size(); ++rank) {
    const std::string& left = tables.merges[rank].first;
    const std::string& right = tables.merges[rank].second;
    const auto fail = [&](std::string_view token) {
      throw Error({.what = fmt::format("merge {} ('{}' + '{}') needs the token '{}'", rank, left,
                                       right, token),
                   .where = "model (BPE)",
                   .hint = "the vocabulary lacks it"});
    };
    if (right.size() < prefix) fail(right);
    joined.assign(left).append(right, prefix);
    const int64_t left_id = vocabulary_.id_of(left);
    const int64_t right_id = vocabulary_.id_of(right);
    const int64_t joined_id = vocabulary_.id_of(joined);
    if (left_id < 0) fail(left);
    if (right_id < 0) fail(right);
    if (joined_id < 0) fail(joined);
    merges_.insert_or_assign(
        pair_key(static_cast<uint32_t>(left_id), static_cast<uint32_t>(right_id)),
        {static_cast<uint32_t>(rank), static_cast<uint32_t>(joined_id)});
    if (right.starts_with(kMetaspace) && !left.ends_with(kMetaspace)) words_are_apart = false;
  }
  if (words_are_apart) word_start_ = kMetaspace;
}

bool Bpe::add_fallback_bytes(std::string_view text, std::vector<Symbol>& symbols) const {
  const auto id_of = [&](char byte) { return fallback_ids_[static_cast<unsigned char>(byte)]; };
  if (std::any_of(text.begin(), text.end(), [&](char byte) { return id_of(byte) < 0; })) {
    return false;
  }
  for (const char byte : text) symbols.push_back({static_cast<uint32_t>(id_of(byte)), 1});
  return true;
}

void Bpe::add_unknown(std::string_view text, uint32_t length, std::optional<Symbol>& unknown,
                      std::vector<Symbol>& symbols) const {
  if (!options_.unk_token) return;  // the character is lost, as the file wants it
  if (unk_id_ < 0) {
    throw Error(
        {.what = fmt::format("the text has '{}', which is not in the vocabulary", text),
         .expected = fmt::format("the unknown token '{}' in the vocabulary", *options_.unk_token)});
  }
  if (unknown && options_.fuse_unk) {
    unknown->length += length;
    return;
  }
  if (unknown) symbols.push_back(*unknown);
  unknown = Symbol{static_cast<uint32_t>(unk_id_), length};
}

void Bpe::add_symbols(std::string_view piece, std::vector<Symbol>& symbols) const {
  std::optional<Symbol> unknown;
  std::string decorated;
  const bool plain =
      options_.continuing_subword_prefix.empty() && options_.end_of_word_suffix.empty();
  for (size_t begin = 0; begin < piece.size();) {
    const size_t length = text::utf8_length(piece[begin]);
    std::string_view text = piece.substr(begin, length);
    if (!plain) {
      decorated = begin == 0 ? "" : options_.continuing_subword_prefix;
      decorated += text;
      if (begin + length == piece.size()) decorated += options_.end_of_word_suffix;
      text = decorated;
    }
    const int64_t id = vocabulary_.id_of(text);
    if (id >= 0) {
      if (unknown) symbols.push_back(*std::exchange(unknown, std::nullopt));
      symbols.push_back({static_cast<uint32_t>(id), static_cast<uint32_t>(length)});
    } else if (!options_.byte_fallback || !add_fallback_bytes(text, symbols)) {
      add_unknown(text, static_cast<uint32_t>(length), unknown, symbols);
    }
    begin += length;
  }
  if (unknown) symbols.push_back(*unknown);
}

void Bpe::merge_few(std::vector<Symbol>& symbols) const {
  // ranks[i]: of the merge of symbols i and i + 1
  std::array<Merge, kFewSymbols> merges;
  size_t count = symbols.size();
  const auto look_up = [&](size_t i) {
    const Merge* merge = i + 1 < count ? find_merge(symbols[i].id, symbols[i + 1].id) : nullptr;
    merges[i] = merge == nullptr ? Merge{kNoMerge, 0} : *merge;
  };
  for (size_t i = 0; i < count; ++i) look_up(i);
  for (;;) {
    size_t best = 0;
    for (size_t i = 1; i < count; ++i) {
      if (merges[i].rank < merges[best].rank) best = i;
    }
    if (merges[best].rank == kNoMerge) break;
    symbols[best] = {merges[best].id, symbols[best].length + symbols[best + 1].length};
    std::copy(symbols.begin() + static_cast<std::ptrdiff_t>(best) + 2,
              symbols.begin() + static_cast<std::ptrdiff_t>(count),
              symbols.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    std::copy(merges.begin() + best + 2, merges.begin() + count, merges.begin() + best + 1);
    --count;
    look_up(best);
    if (best > 0) look_up(best - 1);
  }
  symbols.resize(count);
}

void Bpe::merge_many(std::vector<Symbol>& symbols) const {
  struct Link {
    int32_t previous;
    int32_t next;
  };
  const auto count = static_cast<int32_t>(symbols.size());
  std::vector<Link> links(symbols.size());
  for (int32_t i = 0; i < count; ++i) {
    links[static_cast<size_t>(i)] = {i - 1, i + 1 < count ? i + 1 : -1};
  }
  // The best merge on top: the lowest rank, then the leftmost position.
  std::vector<uint64_t> heap;
  heap.reserve(symbols.size());
  const auto offer = [&](int32_t left) {
    const auto i = static_cast<size_t>(left);
    const int32_t right = links[i].next;
    if (right < 0) return;
    const Merge* merge = find_merge(symbols[i].id, symbols[static_cast<size_t>(right)].id);
    if (merge == nullptr) return;
    heap.push_back(pair_key(merge->rank, static_cast<uint32_t>(left)));
    std::push_heap(heap.begin(), heap.end(), std::greater<>());
  };
  for (int32_t i = 0; i + 1 < count; ++i) offer(i);
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), std::greater<>());
    const uint64_t top = heap.back();
    heap.pop_back();
    const auto left = static_cast<size_t>(top & UINT32_MAX);
    if (symbols[left].length == 0 || links[left].next < 0) continue;
    const auto right = static_cast<size_t>(links[left].next);
    const Merge* merge = find_merge(symbols[left].id, symbols[right].id);
    if (merge == nullptr || merge->rank != top >> 32) continue;  // the pair is another by now
    symbols[left] = {merge->id, symbols[left].length + symbols[right].length};
    symbols[right].length = 0;
    links[left].next = links[right].next;
    if (links[left].next >= 0) {
      links[static_cast<size_t>(links[left].next)].previous = static_cast<int32_t>(left);
    }
    if (links[left].previous >= 0) offer(links[left].previous);
    offer(static_cast<int32_t>(left));
  }
  std::erase_if(symbols, [](const Symbol& symbol) { return symbol.length == 0; });
}

void Bpe::merge(std::vector<Symbol>& symbols, std::vector<ModelToken>& tokens) const {
  if (symbols.size() > kFewSymbols) {
    merge_many(symbols);
  } else if (!symbols.empty()) {
    merge_few(symbols);
  }
  uint32_t begin = 0;
  for (const Symbol& symbol : symbols) {
    tokens.push_back({symbol.id, begin, begin + symbol.length});
    begin += symbol.length;
  }
}

void Bpe::tokenize(std::string_view piece, std::vector<ModelToken>& tokens) const {
  if (options_.ignore_merges) {
    const int64_t id = vocabulary_.id_of(piece);
    if (id >= 0) {
      tokens.push_back({id, 0, static_cast<uint32_t>(piece.size())});
      return;
    }
  }
  std::vector<Symbol> symbols;
  symbols.reserve(piece.size());
  add_symbols(piece, symbols);
  merge(symbols, tokens);
}

void Bpe::tokenize_bytes(std::string_view piece, std::vector<ModelToken>& tokens) const {
  if (options_.ignore_merges) {
    std::string mapped;
    for (const char byte : piece) {
      text::append_utf8(mapped, byte_level_character(static_cast<unsigned char>(byte)));
    }
    const int64_t id = vocabulary_.id_of(mapped);
    if (id >= 0) {
      tokens.push_back({id, 0, static_cast<uint32_t>(piece.size())});
      return;
    }
  }
  std::vector<Symbol> symbols;
  symbols.reserve(piece.size());
  for (const char byte : piece) {
    symbols.push_back({static_cast<uint32_t>(byte_ids_[static_cast<unsigned char>(byte)]), 1});
  }
  merge(symbols, tokens);
}

}  // namespace palimpsest::tokenizer
