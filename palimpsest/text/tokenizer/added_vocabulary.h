// Tokens that stand beside the model's vocabulary: special tokens and others that were added. They
// are found in the text before the model sees it, the leftmost first and of several the longest.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/text/tokenizer/normalizers.h"
#include "palimpsest/text/tokenizer/pre_tokenized_string.h"
#include "palimpsest/text/tokenizer/vocabulary.h"

namespace palimpsest {

struct AddedToken {
  std::string content = {};
  bool single_word = false;  // only where no word character touches it
  bool lstrip = false;       // swallows the white space before it
  bool rstrip = false;       // and behind it
  bool normalized = true;    // is looked for in the normalized text, as it is after normalization
  bool special = false;      // is left out by decode(skip_special_tokens)

  friend bool operator==(const AddedToken&, const AddedToken&) = default;
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
  // A trie over bytes.
  class Matcher {
   public:
    void add(std::string_view pattern, int64_t id);
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
      std::vector<std::pair<unsigned char, uint32_t>> children;
      int64_t id = -1;
    };
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

}  // namespace palimpsest
