// SentencePiece's Unigram model. Of all ways to divide a piece into tokens, it takes the one with
// the largest sum of scores.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "palimpsest/tokenizer/internal/flat_map.h"
#include "palimpsest/tokenizer/internal/token_model.h"

namespace palimpsest::tokenizer {

struct UnigramOptions {
  int64_t unk_id = -1;         // -1: none; then a text with unknown characters is an Error
  bool byte_fallback = false;  // unknown characters become tokens such as <0x0A>
};

class Unigram final : public TokenModel {
 public:
  // Throws Error if unk_id is outside the vocabulary. If a token occurs twice, the last entry
  // counts.
  Unigram(const UnigramOptions& options, ModelTables tables);

  void tokenize(std::string_view piece, std::vector<ModelToken>& tokens) const override;
  // For an unknown token, this is the text that is unknown.
  std::string token_text(std::string_view piece, const ModelToken& token) const override;

 private:
  // A trie over bytes. Children are found by hashing (node, byte).
  class Trie {
   public:
    explicit Trie(size_t bytes) : children_(bytes) {}
    void add(std::string_view token, int64_t id);
    // Returns null if the node has no such child.
    const uint32_t* child(uint32_t node, char byte) const;
    int64_t id(uint32_t node) const { return ids_[node]; }

   private:
    FlatMap<uint32_t> children_;
    std::vector<int64_t> ids_ = {-1};
  };

  // The best way to divide the text up to a position: the last token and its start.
  struct Step {
    double score = 0;
    uint32_t start = UINT32_MAX;
    int64_t id = 0;
  };
  std::vector<Step> best_steps(std::string_view piece) const;
  void add_token(std::string_view piece, uint32_t begin, uint32_t end,
                 std::vector<ModelToken>& tokens) const;

  bool byte_fallback_;
  std::vector<double> scores_;
  Trie trie_;
  double unk_score_ = 0;
  std::array<int64_t, 256> fallback_ids_{};
};

}  // namespace palimpsest::tokenizer
