// ROUGE (Lin, 2004) measures how much of a target text a generated text (the prediction) repeats.
// The numbers equal those of Google's rouge_score 0.1.2 with its default tokenizer. They range from
// 0 to 1; higher means that more of the target is repeated.
//
//   rougeN      counts common N-grams; one that occurs a times in one text and b times in the other
//               counts min(a, b) times
//   rougeL      takes the longest common subsequence of tokens
//   rougeLsum   takes, for each line of the target, the union of its longest common subsequences
//               with all lines of the prediction
//
// As in rouge_score by default, each line counts as a sentence. The optional sentence splitter of
// rouge_score (split_summaries, an NLTK model) is not offered.
//
//   RougeScorer scorer({.types = {"rouge1", "rougeL"}, .use_stemmer = true});
//   scorer.score("the quick brown foxes", "a quick fox").at("rouge1").recall;   // 0.5
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace palimpsest::text {

struct RougeScore {
  double precision = 0;  // the common part as a share of the prediction
  double recall = 0;     // the common part as a share of the target
  double fmeasure = 0;   // the harmonic mean of the two; 0 if both are 0

  friend bool operator==(const RougeScore&, const RougeScore&) = default;
};

// The scores, keyed by the ROUGE type.
using RougeScores = std::map<std::string, RougeScore, std::less<>>;

struct RougeOptions {
  // The ROUGE types to compute: "rougeL", "rougeLsum", and "rouge" followed by an N >= 1 without
  // leading zeros. (rouge_score itself allows N only up to 9.)
  std::vector<std::string> types = {"rouge1", "rougeL"};
  // Whether tokens of more than 3 characters are replaced by their Porter stems.
  bool use_stemmer = false;
};

// Computes the types that the options name. It compares tokens: a text is lower-cased as in Python,
// and then split at every character that is not a-z or 0-9. Invalid UTF-8 also splits it.
// Immutable; threads may share it.
class RougeScorer {
 public:
  // Throws Error for an unknown type.
  explicit RougeScorer(const RougeOptions& options);

  // A text without tokens scores 0, even against another text without tokens. The texts may be any
  // bytes; throws Error if one is longer than kMaxText. For rougeL and rougeLsum the time grows
  // with the product of the two lengths (one step handles 64 pairs of tokens). For rougeN it grows
  // almost linearly.
  RougeScores score(std::string_view target, std::string_view prediction) const;

  // Compares the prediction with every target. For each type, returns the score with the highest
  // F-measure; among equal ones, the first. Throws Error if there are no targets.
  RougeScores score_multi(std::span<const std::string> targets, std::string_view prediction) const;

  static constexpr int64_t kMaxText = int64_t{1} << 30;  // bytes

 private:
  enum class Kind { kNgrams, kLcs, kSummaryLcs };
  struct Type {
    std::string name;
    Kind kind;
    int64_t n = 0;  // only for kNgrams
  };
  static Type parse_type(const std::string& name);

  std::vector<Type> types_;
  bool use_stemmer_;
};

}  // namespace palimpsest::text
