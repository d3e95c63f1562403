#include "palimpsest/text/rouge.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <unordered_map>

#include "palimpsest/base/error.h"
#include "palimpsest/text/internal/lcs.h"
#include "palimpsest/text/internal/rouge_tokens.h"

namespace palimpsest::text {
namespace {

// A text as numbers: equal tokens have equal numbers.
struct NumberedWords {
  std::vector<uint32_t> ids;
  std::vector<size_t> line_ends;  // in ids; the last one is its size

  int64_t size() const { return static_cast<int64_t>(ids.size()); }

  // Calls body(tokens) for each line in order.
  template <class Body>
  void for_each_line(Body body) const {
    size_t begin = 0;
    for (const size_t end : line_ends) {
      body(std::span(ids).subspan(begin, end - begin));
      begin = end;
    }
  }
};

// Numbers tokens in the order of their first appearance.
class WordNumbers {
 public:
  NumberedWords number(std::string_view text, bool use_stemmer) {
    NumberedWords tokens;
    scan_rouge_tokens(
        text, use_stemmer,
        [&](const std::string& token) {
          tokens.ids.push_back(numbers_.try_emplace(token, size()).first->second);
        },
        [&] { tokens.line_ends.push_back(tokens.ids.size()); });
    tokens.line_ends.push_back(tokens.ids.size());
    return tokens;
  }

  uint32_t size() const { return static_cast<uint32_t>(numbers_.size()); }

 private:
  std::unordered_map<std::string, uint32_t> numbers_;
};

// `hits` is what both have in common of `target` and `prediction` things.
RougeScore score_of(int64_t hits, int64_t target, int64_t prediction) {
  RougeScore score;
  score.precision =
      static_cast<double>(hits) / static_cast<double>(std::max<int64_t>(prediction, 1));
  score.recall = static_cast<double>(hits) / static_cast<double>(std::max<int64_t>(target, 1));
  const double sum = score.precision + score.recall;
  if (sum > 0) score.fmeasure = 2 * score.precision * score.recall / sum;
  return score;
}

// Replaces the numbers by their ranks among the distinct ones of both, so that two fit into 64
// bits.
void replace_by_ranks(std::vector<uint64_t>& a, std::vector<uint64_t>& b) {
  std::vector<uint64_t> sorted = a;
  sorted.insert(sorted.end(), b.begin(), b.end());
  std::ranges::sort(sorted);
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  auto rank = [&](uint64_t& number) {
    number = static_cast<uint64_t>(std::ranges::lower_bound(sorted, number) - sorted.begin());
  };
  std::ranges::for_each(a, rank);
  std::ranges::for_each(b, rank);
}

// Turns the numbers of k-grams into those of n-grams, k < n <= 2k: an n-gram is the k-gram that it
// begins with and the one that it ends with. There must be at least one n-gram.
void lengthen(std::vector<uint64_t>& grams, int64_t k, int64_t n) {
  const auto shift = static_cast<size_t>(n - k);
  for (size_t i = 0; i + shift < grams.size(); ++i) grams[i] = grams[i] << 32 | grams[i + shift];
  grams.resize(grams.size() - shift);
}

RougeScore score_ngrams(const NumberedWords& target, const NumberedWords& prediction, int64_t n) {
  const int64_t target_count = std::max<int64_t>(target.size() - n + 1, 0);
  const int64_t prediction_count = std::max<int64_t>(prediction.size() - n + 1, 0);
  if (target_count == 0 || prediction_count == 0) return {};
  std::vector<uint64_t> a(target.ids.begin(), target.ids.end());
  std::vector<uint64_t> b(prediction.ids.begin(), prediction.ids.end());
  for (int64_t k = 1; k < n;) {
    const int64_t longer = std::min(2 * k, n);
    lengthen(a, k, longer);
    lengthen(b, k, longer);
    if (longer < n) replace_by_ranks(a, b);
    k = longer;
  }
  std::ranges::sort(a);
  std::ranges::sort(b);
  std::vector<uint64_t> common;  // each as often as in both
  std::ranges::set_intersection(a, b, std::back_inserter(common));
  return score_of(static_cast<int64_t>(common.size()), target_count, prediction_count);
}

RougeScore score_lcs(const NumberedWords& target, const NumberedWords& prediction,
                     uint32_t vocabulary) {
  if (target.ids.empty() || prediction.ids.empty()) return {};
  const bool target_is_longer = target.size() > prediction.size();
  const NumberedWords& longer = target_is_longer ? target : prediction;
  const NumberedWords& shorter = target_is_longer ? prediction : target;
  LcsMatcher matcher(vocabulary);
  matcher.set_columns(longer.ids);  // the columns go 64 at a time
  return score_of(matcher.length(shorter.ids), target.size(), prediction.size());
}

RougeScore score_summary_lcs(const NumberedWords& target, const NumberedWords& prediction,
                             uint32_t vocabulary) {
  if (target.ids.empty() || prediction.ids.empty()) return {};
  // Which tokens of the target some line of the prediction has in common with their own line.
  std::vector<bool> in_union(target.ids.size(), false);
  LcsMatcher matcher(vocabulary);
  prediction.for_each_line([&](std::span<const uint32_t> prediction_line) {
    if (prediction_line.empty()) return;
    matcher.set_columns(prediction_line);
    size_t begin = 0;
    target.for_each_line([&](std::span<const uint32_t> target_line) {
      for (const int64_t position : matcher.positions(target_line)) {
        in_union[begin + static_cast<size_t>(position)] = true;
      }
      begin += target_line.size();
    });
  });
  // A token is hit no more often than the prediction has it.
  std::vector<int64_t> left(vocabulary, 0);
  for (const uint32_t token : prediction.ids) ++left[token];
  int64_t hits = 0;
  for (size_t i = 0; i < in_union.size(); ++i) {
    if (in_union[i] && left[target.ids[i]]-- > 0) ++hits;
  }
  return score_of(hits, target.size(), prediction.size());
}

void check_length(std::string_view text, const char* which) {
  if (static_cast<int64_t>(text.size()) <= RougeScorer::kMaxText) return;
  throw Error({.what = fmt::format("the {} is too long for ROUGE", which),
               .expected = fmt::format("at most {} bytes", RougeScorer::kMaxText),
               .found = fmt::format("{}", text.size()),
               .hint = "cut it"});
}

}  // namespace

RougeScorer::RougeScorer(const RougeOptions& options) : use_stemmer_(options.use_stemmer) {
  for (const std::string& name : options.types) types_.push_back(parse_type(name));
}

RougeScorer::Type RougeScorer::parse_type(const std::string& name) {
  if (name == "rougeL") return {.name = name, .kind = Kind::kLcs};
  if (name == "rougeLsum") return {.name = name, .kind = Kind::kSummaryLcs};
  static constexpr std::string_view kPrefix = "rouge";
  Type type{.name = name, .kind = Kind::kNgrams};
  const char* end = name.data() + name.size();
  if (name.starts_with(kPrefix) && name.size() > kPrefix.size() && name[kPrefix.size()] != '0') {
    const auto [stop, code] = std::from_chars(name.data() + kPrefix.size(), end, type.n);
    if (code == std::errc() && stop == end && type.n > 0) return type;
  }
  throw Error({.what = fmt::format("'{}' is not a type of ROUGE", name),
               .expected = "rouge1, rouge2 …, rougeL or rougeLsum"});
}

RougeScores RougeScorer::score(std::string_view target, std::string_view prediction) const {
  check_length(target, "target");
  check_length(prediction, "prediction");
  WordNumbers vocabulary;
  const NumberedWords target_tokens = vocabulary.number(target, use_stemmer_);
  const NumberedWords prediction_tokens = vocabulary.number(prediction, use_stemmer_);
  RougeScores scores;
  for (const Type& type : types_) {
    RougeScore& score = scores[type.name];
    switch (type.kind) {
      case Kind::kNgrams:
        score = score_ngrams(target_tokens, prediction_tokens, type.n);
        break;
      case Kind::kLcs:
        score = score_lcs(target_tokens, prediction_tokens, vocabulary.size());
        break;
      case Kind::kSummaryLcs:
        score = score_summary_lcs(target_tokens, prediction_tokens, vocabulary.size());
        break;
    }
  }
  return scores;
}

RougeScores RougeScorer::score_multi(std::span<const std::string> targets,
                                     std::string_view prediction) const {
  if (targets.empty()) throw Error("ROUGE needs at least one target to compare with");
  RougeScores best = score(targets[0], prediction);
  for (const std::string& target : targets.subspan(1)) {
    for (const auto& [type, found] : score(target, prediction)) {
      RougeScore& so_far = best[type];
      if (found.fmeasure > so_far.fmeasure) so_far = found;
    }
  }
  return best;
}

}  // namespace palimpsest::text
