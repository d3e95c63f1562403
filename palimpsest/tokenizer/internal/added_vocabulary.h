// Tokens in addition to the model's vocabulary: special tokens and other added ones. They are found
// in the text before the model sees it. The leftmost match counts and, among several there, the
// longest.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/tokenizer/internal/normalizers.h"
#include "palimpsest/tokenizer/internal/pre_tokenized_string.h"
#include "palimpsest/tokenizer/internal/vocabulary.h"

namespace palimpsest::tokenizer {

// Files with more added tokens are refused. Real models that add codes of sounds or pictures have
// up to about 70,000.
inline constexpr size_t kMaxAddedTokens = 200'000;

struct AddedToken {
  std::string content = {};
  bool single_word = false;  // matches only if no word character is next to it
  bool lstrip = false;       // takes in the white space before it
  bool rstrip = false;       // takes in the white space after it
  bool normalized = true;    // its normalized form is searched in the normalized text
  bool special = false;      // decode() leaves it out if skip_special_tokens is set

  friend bool operator==(const AddedToken&, const AddedToken&) = default;
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy misreads generated comparisons
  friend auto operator<=>(const AddedToken&, const AddedToken&) = default;
};

// After add() and finish() it is immutable, and threads may share it.
class AddedVocabulary {
 public:
  // Adds tokens in this order, as the `tokenizers` package does. A token that the model or this
  // vocabulary already has keeps its id; the others get the next ids. A token that is already here
  // takes the new properties.
  void add(const std::vector<AddedToken>& tokens, const Vocabulary& model);

  // Prepares the search. Throws Error if the normalizer makes a token empty.
  void finish(const Normalizer& normalizer, const Vocabulary& model);

  // Returns -1 if it is not an added token.
  int64_t id_of(std::string_view token) const;
  // The id of an added token or, if it is not one, in the model's vocabulary; -1 if it is in
  // neither.
  int64_t id_in(std::string_view token, const Vocabulary& model) const;
  // Returns null if no added token has this id.
  const AddedToken* token_of(int64_t id) const;
  bool is_special(std::string_view token) const { return special_contents_.contains(token); }
  const std::map<int64_t, AddedToken>& by_id() const { return by_id_; }

  // If true, special tokens in a text are treated as ordinary text (split_special_tokens of
  // tokenizer_config.json).
  void set_split_special_tokens(bool value) { split_special_tokens_ = value; }

  // Cuts the added tokens out of the text and normalizes the text between them.
  void extract(const Normalizer& normalizer, PreTokenizedString& text) const;

 private:
  // A trie with compressed edges: an edge may hold several bytes, so the size grows with the number
  // of patterns and not with their length.
  class Matcher {
   public:
    // If two patterns are equal, the first one counts.
    explicit Matcher(std::vector<std::pair<std::string, int64_t>> patterns = {});
    // The leftmost match at or after `from`; of several that begin there, the longest.
    struct Match {
      size_t begin = 0;
      size_t end = 0;
      int64_t id = -1;
    };
    std::optional<Match> find(std::string_view text, size_t from) const;
    bool empty() const { return nodes_.size() == 1; }

   private:
    struct Node {
      size_t label = 0;  // where the bytes of the edge to this node begin in labels_
      uint32_t length = 0;
      uint32_t first_child = 0;  // children are adjacent, ordered by their first bytes
      uint32_t num_children = 0;
      int64_t id = -1;
    };
    std::string_view label_of(const Node& node) const {
      return std::string_view(labels_).substr(node.label, node.length);
    }
    // The child whose label begins with this byte; 0 if there is none.
    uint32_t child(const Node& node, char byte) const;

    std::string labels_;
    std::vector<Node> nodes_ = {Node{}};
    std::vector<uint32_t> first_ = std::vector<uint32_t>(256, 0);  // the root's children
  };

  void cut(const Matcher& matcher, std::string_view text,
           std::vector<PreTokenizedString::Part>& parts) const;

  std::map<std::string, int64_t, std::less<>> ids_;
  std::map<int64_t, AddedToken> by_id_;
  int64_t largest_id_ = -1;
  std::vector<AddedToken> special_tokens_;
  std::vector<AddedToken> other_tokens_;
  std::set<std::string, std::less<>> special_contents_;
  Matcher as_written_;
  Matcher as_normalized_;
  bool split_special_tokens_ = false;
};

}  // namespace palimpsest::tokenizer
