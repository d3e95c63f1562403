// ROUGE (Lin, 2004): how much of a reference text a generated text repeats. The same numbers as
// Google's rouge_score 0.1.2 with its default tokenizer. Orientation: higher = more of the target
// is repeated, from 0 to 1.
//
//   rougeN      N-grams in common, each counted as often as it occurs in both
//   rougeL      the longest common subsequence of tokens
//   rougeLsum   the same per line of the target, united over the lines of the prediction
//
// Its sentence splitter (split_summaries, an NLTK model) is not offered: lines are sentences, as by
// default there.
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
  double precision = 0;  // what is common, as a share of the prediction
  double recall = 0;     // and as a share of the target
  double fmeasure = 0;   // their harmonic mean; 0 where both are

  friend bool operator==(const RougeScore&, const RougeScore&) = default;
};

// By type.
using RougeScores = std::map<std::string, RougeScore, std::less<>>;

struct RougeOptions {
  // "rougeL", "rougeLsum" and "rouge" followed by N >= 1 without leading zeros (rouge_score stops
  // at 9).
  std::vector<std::string> types = {"rouge1", "rougeL"};
  // Whether tokens of more than 3 characters are replaced by their Porter stems.
  bool use_stemmer = false;
};

// The tokens that are compared: the text in lower case as Python lowers it, cut at everything that
// is not a-z or 0-9. Bytes that are not UTF-8 cut too, as the replacement character would.
std::vector<std::string> rouge_tokens(std::string_view text, bool use_stemmer);

// Immutable; threads may share it.
class RougeScorer {
 public:
  // Throws Error on a type that is not one of those above.
  explicit RougeScorer(const RougeOptions& options);

  // A text without tokens scores 0, even against another one. Takes any bytes; throws Error on a
  // text longer than kMaxText. Time follows the product of the lengths for rougeL and rougeLsum (a
  // 64th of it) and is nearly linear for rougeN.
  RougeScores score(std::string_view target, std::string_view prediction) const;

  // For each type the score with the target that gives the highest F, the first of equals. Throws
  // Error if there are no targets.
  RougeScores score_multi(std::span<const std::string> targets, std::string_view prediction) const;

  static constexpr int64_t kMaxText = int64_t{1} << 30;  // bytes

 private:
  enum class Kind { kNgrams, kLcs, kSummaryLcs };
  struct Type {
    std::string name;
    Kind kind;
    int64_t n = 0;  // of kNgrams
  };
  static Type parse_type(const std::string& name);

  std::vector<Type> types_;
  bool use_stemmer_;
};

}  // namespace palimpsest::text
