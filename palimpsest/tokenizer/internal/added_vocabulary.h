// Tokens that stand beside the model's vocabulary: special tokens and others that were added. They
// are found in the text before the model sees it, the leftmost first and of several the longest.
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

// Files with more added tokens are refused. The largest of real models, which add codes of sounds or
// pictures, have some 70,000.
inline constexpr size_t kMostAddedTokens = 200'000;

struct AddedToken {
  std::string content = {};
  bool single_word = false;  // only where no word character touches it
  bool lstrip = false;       // swallows the white space before it
  bool rstrip = false;       // and behind it
  bool normalized = true;    // is looked for in the normalized text, as it is after normalization
  bool special = false;      // is left out by decode(skip_special_tokens)

  friend bool operator==(const AddedToken&, const AddedToken&) = default;
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy misreads generated comparisons
  friend auto operator<=>(const AddedToken&, const AddedToken&) = default;
};

// Filled once, then immutable; threads may share it.
class AddedVocabulary {
 public:
  // Adds tokens in this order, as the `tokenizers` package does: a token that the model or this
  // vocabulary knows keeps its id, others get the next ones. A token that is there already takes on
  // the new properties.
  void add(const std::vector<AddedToken>& tokens, const Vocabulary& model);

  // Makes ready to search. Throws Error if a token becomes empty under the normalizer.
  void finish(const Normalizer* normalizer, const Vocabulary& model);

  // -1 if it is not an added token.
  int64_t id_of(std::string_view token) const;
  // Null if no added token has this id.
  const AddedToken* token_of(int64_t id) const;
  bool is_special(std::string_view token) const { return special_contents_.contains(token); }
  const std::map<int64_t, AddedToken>& by_id() const { return by_id_; }

  // Special tokens in a text are text, not tokens (tokenizer_config's split_special_tokens).
  void set_split_special_tokens(bool value) { split_special_tokens_ = value; }

  // Cuts the tokens out of the text, normalizing what is between them. `normalizer` may be null.
  void extract(const Normalizer* normalizer, PreTokenizedString& text) const;

 private:
  // A trie whose edges hold as many bytes as belong together, so that its size follows the number
  // of patterns and not that of their bytes.
  class Matcher {
   public:
    // Of equal patterns the first counts.
    explicit Matcher(std::vector<std::pair<std::string, int64_t>> patterns = {});
    // The longest pattern at or behind `from`, the leftmost first.
    struct Match {
      size_t begin = 0;
      size_t end = 0;
      int64_t id = -1;
    };
    std::optional<Match> find(std::string_view text, size_t from) const;
    bool empty() const { return nodes_.size() == 1; }

   private:
    struct Node {
      size_t label = 0;  // where the bytes that lead here begin in labels_
      uint32_t length = 0;
      uint32_t first_child = 0;  // children stand together, in the order of their first bytes
      uint32_t num_children = 0;
      int64_t id = -1;
    };
    std::string_view label_of(const Node& node) const {
      return std::string_view(labels_).substr(node.label, node.length);
    }
    // The child whose label begins with this byte; 0: none.
    uint32_t child(const Node& node, char byte) const;

    std::string labels_;
    std::vector<Node> nodes_ = {Node{}};
    std::vector<uint32_t> first_ = std::vector<uint32_t>(256, 0);  // the root's children
  };

  void cut(const Matcher& matcher, std::string_view text,
           std::vector<PreTokenizedString::Part>& parts) const;
  int64_t id_in(std::string_view token, const Vocabulary& model) const;

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
