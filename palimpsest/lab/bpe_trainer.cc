#include "palimpsest/lab/internal/bpe_trainer.h"

#include <map>
#include <optional>
#include <unordered_map>

#include "palimpsest/base/error.h"
#include "palimpsest/text/internal/utf8.h"
#include "palimpsest/tokenizer/internal/byte_level.h"
#include "palimpsest/tokenizer/internal/pattern.h"

namespace palimpsest::lab {

const char* const kByteLevelWords =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

namespace {

constexpr int64_t kBytes = 256;

struct Word {
  std::vector<int64_t> tokens;
  int64_t count = 0;  // how often it occurs
};

// A pair of neighbouring tokens in one number, the first one in the upper half: smaller keys are
// smaller pairs.
using PairKey = uint64_t;

PairKey key_of(int64_t first, int64_t second) {
  return static_cast<uint64_t>(first) << 32 | static_cast<uint64_t>(second);
}

std::vector<Word> count_words(std::span<const std::string> texts) {
  const tokenizer::Pattern pattern =
      tokenizer::Pattern::regex(kByteLevelWords, "the byte-level expression");
  std::map<std::string, int64_t> counts;
  std::vector<tokenizer::ByteSpan> matches;
  for (const std::string& text : texts) {
    text::validate_utf8(text);
    matches.clear();
    pattern.find_all(text, matches);
    for (const tokenizer::ByteSpan& match : matches) {
      ++counts[text.substr(match.begin, match.end - match.begin)];
    }
  }
  std::vector<Word> words;
  for (const auto& [text, count] : counts) {
    Word word{.count = count};
    for (const char c : text) word.tokens.push_back(static_cast<unsigned char>(c));
    words.push_back(std::move(word));
  }
  return words;
}

class Trainer {
 public:
  explicit Trainer(std::vector<Word> words) : words_(std::move(words)) {
    for (const Word& word : words_) count_pairs(word, +1);
  }

  // The most frequent pair that occurs at least twice.
  std::optional<PairKey> best() const {
    constexpr int64_t kMinFrequency = 2;
    std::optional<PairKey> found;
    int64_t most = kMinFrequency - 1;
    for (const auto& [key, count] : pairs_) {
      if (count > most || (count == most && found && key < *found)) {
        found = key;
        most = count;
      }
    }
    return found;
  }

  void join(PairKey key, int64_t joined) {
    const auto first = static_cast<int64_t>(key >> 32);
    const auto second = static_cast<int64_t>(key & 0xFFFF'FFFFU);
    for (Word& word : words_) {
      if (!holds(word, first, second)) continue;
      count_pairs(word, -1);
      join_in(word, first, second, joined);
      count_pairs(word, +1);
    }
    pairs_.erase(key);
  }

 private:
  static bool holds(const Word& word, int64_t first, int64_t second) {
    for (size_t i = 0; i + 1 < word.tokens.size(); ++i) {
      if (word.tokens[i] == first && word.tokens[i + 1] == second) return true;
    }
    return false;
  }

  static void join_in(Word& word, int64_t first, int64_t second, int64_t joined) {
    std::vector<int64_t> tokens;
    for (size_t i = 0; i < word.tokens.size(); ++i) {
      const bool here =
          i + 1 < word.tokens.size() && word.tokens[i] == first && word.tokens[i + 1] == second;
      tokens.push_back(here ? joined : word.tokens[i]);
      if (here) ++i;
    }
    word.tokens = std::move(tokens);
  }

  void count_pairs(const Word& word, int64_t sign) {
    for (size_t i = 0; i + 1 < word.tokens.size(); ++i) {
      pairs_[key_of(word.tokens[i], word.tokens[i + 1])] += sign * word.count;
    }
  }

  std::vector<Word> words_;
  std::unordered_map<PairKey, int64_t> pairs_;
};

}  // namespace

Bpe train_bpe(std::span<const std::string> texts, int64_t num_tokens, const std::stop_token& stop) {
  PALIMPSEST_CHECK(num_tokens >= kBytes && num_tokens <= int64_t{1} << 31);
  Bpe bpe;
  for (int64_t byte = 0; byte < kBytes; ++byte) {
    bpe.tokens.push_back(
        text::to_utf8(tokenizer::byte_level_character(static_cast<unsigned char>(byte))));
  }
  Trainer trainer(count_words(texts));
  while (static_cast<int64_t>(bpe.tokens.size()) < num_tokens) {
    if (stop.stop_requested()) throw Stopped();
    const std::optional<PairKey> best = trainer.best();
    if (!best) break;
    const auto first = static_cast<int64_t>(*best >> 32);
    const auto second = static_cast<int64_t>(*best & 0xFFFF'FFFFU);
    trainer.join(*best, std::ssize(bpe.tokens));
    bpe.merges.emplace_back(first, second);
    bpe.tokens.push_back(bpe.tokens[static_cast<size_t>(first)] +
                         bpe.tokens[static_cast<size_t>(second)]);
  }
  return bpe;
}

}  // namespace palimpsest::lab
