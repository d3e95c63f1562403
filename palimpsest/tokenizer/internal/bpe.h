// Byte-pair encoding. A piece of text is divided into characters (or bytes). Then the adjacent pair
// that comes first in the list of merges is joined, until no pair can be joined.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/tokenizer/internal/flat_map.h"
#include "palimpsest/tokenizer/internal/token_model.h"

namespace palimpsest::tokenizer {

struct BpeOptions {
  std::optional<std::string> unk_token = std::nullopt;
  std::string continuing_subword_prefix = {};  // put before every character but the first
  std::string end_of_word_suffix = {};         // put after the last character
  bool fuse_unk = false;                       // adjacent unknown characters become one token
  bool byte_fallback = false;                  // unknown characters become tokens such as <0x0A>
  bool ignore_merges = false;                  // a piece that is itself a token is not divided
};

class Bpe final : public TokenModel {
 public:
  // Throws Error if a merge uses a token that the vocabulary lacks.
  Bpe(BpeOptions options, const ModelTables& tables);

  void tokenize(std::string_view piece, std::vector<ModelToken>& tokens) const override;
  bool takes_raw_bytes() const override { return byte_ids_complete_; }
  void tokenize_bytes(std::string_view piece, std::vector<ModelToken>& tokens) const override;
  std::string_view word_start() const override { return word_start_; }

 private:
  struct Merge {
    uint32_t rank = 0;
    uint32_t id = 0;
  };
  struct Symbol {
    uint32_t id = 0;
    uint32_t length = 0;  // in bytes of the piece; 0: merged into the previous symbol
  };

  // Returns null if the two do not merge.
  const Merge* find_merge(uint32_t left, uint32_t right) const;
  void add_symbols(std::string_view piece, std::vector<Symbol>& symbols) const;
  void add_unknown(std::string_view text, uint32_t length, std::optional<Symbol>& unknown,
                   std::vector<Symbol>& symbols) const;
  bool add_fallback_bytes(std::string_view text, std::vector<Symbol>& symbols) const;
  void add_merges(const ModelTables& tables);
  void merge_few(std::vector<Symbol>& symbols) const;
  void merge_many(std::vector<Symbol>& symbols) const;
  void merge(std::vector<Symbol>& symbols, std::vector<ModelToken>& tokens) const;

  BpeOptions options_;
  FlatMap<Merge> merges_;                // by the pair of ids
  std::array<int64_t, 256> byte_ids_{};  // ids of the byte-level characters
  std::array<int64_t, 256> fallback_ids_{};
  bool byte_ids_complete_ = false;
  std::string word_start_;
};

}  // namespace palimpsest::tokenizer
