#include "palimpsest/attack/internal/mia/informative_features.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "palimpsest/attack/internal/mia/text_features.h"

namespace palimpsest::attack {
namespace {

// What is summed up over the texts of one feature.
struct FeatureSums {
  double weight = 0;
  double forget_sum = 0;  // of its values
  double holdout_sum = 0;
  int64_t forget = 0;
  int64_t holdout = 0;
  size_t unit = 0;  // of the first text that has it
  bool several_units = false;

  void add_value(const BlindText& text, double coefficient, double value) {
    weight += coefficient * value;
    (text.is_forget ? forget_sum : holdout_sum) += value;
  }
  void count(const BlindText& text) {
    if (forget + holdout == 0) unit = text.unit;
    several_units = several_units || unit != text.unit;
    ++(text.is_forget ? forget : holdout);
  }
};

struct TextCounts {
  double forget = 0;
  double holdout = 0;
};

struct Candidate {
  InformativeFeature feature;
  double strength = 0;
};

void add_candidate(std::string name, bool is_word, const FeatureSums& sums, const TextCounts& texts,
                   std::vector<Candidate>& candidates) {
  const double strength =
      sums.weight * (sums.holdout_sum / texts.holdout - sums.forget_sum / texts.forget);
  if (!(strength > 0)) return;
  candidates.push_back({{.name = std::move(name),
                         .is_word = is_word,
                         .side = sums.weight > 0 ? "holdout" : "forget",
                         .forget = sums.forget,
                         .holdout = sums.holdout},
                        strength});
}

// "More than so many bytes" holds for the texts whose standardised length is above 0; it speaks for
// the set that has the longer texts.
void add_length(const std::vector<BlindText>& texts, std::span<const double> coefficients,
                std::span<const double> lengths, const TextCounts& counts,
                std::vector<Candidate>& candidates) {
  FeatureSums sums;
  size_t longest_short = 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    sums.add_value(texts[i], coefficients[i], lengths[i]);
    if (lengths[i] > 0) {
      sums.count(texts[i]);
    } else {
      longest_short = std::max(longest_short, texts[i].text->size());
    }
  }
  add_candidate(fmt::format("more than {} bytes", longest_short), false, sums, counts, candidates);
}

std::vector<std::string> parts_of(const std::string& name) {
  const size_t space = name.find(' ');
  if (space == std::string::npos) return {name};
  return {name.substr(0, space), name.substr(space + 1)};
}

}  // namespace

std::vector<InformativeFeature> informative_features(const std::vector<BlindText>& texts,
                                                     std::span<const double> coefficients,
                                                     std::span<const double> lengths,
                                                     size_t max_bytes, size_t most) {
  std::unordered_map<std::string, FeatureSums> words;
  TextCounts counts;
  for (size_t i = 0; i < texts.size(); ++i) {
    ++(texts[i].is_forget ? counts.forget : counts.holdout);
    for (const WeightedWord& word : weighted_words(*texts[i].text, max_bytes)) {
      FeatureSums& sums = words[word.word];
      sums.add_value(texts[i], coefficients[i], word.value);
      sums.count(texts[i]);
    }
  }
  std::vector<Candidate> candidates;
  for (const auto& [word, sums] : words) {
    if (sums.several_units) add_candidate(word, true, sums, counts, candidates);
  }
  add_length(texts, coefficients, lengths, counts, candidates);
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return a.strength != b.strength ? a.strength > b.strength : a.feature.name < b.feature.name;
  });
  std::vector<InformativeFeature> informative;
  std::set<std::pair<std::string, std::string>> named;  // side and word
  for (const Candidate& candidate : candidates) {
    if (informative.size() == most) break;
    const InformativeFeature& feature = candidate.feature;
    if (feature.is_word) {
      const std::vector<std::string> parts = parts_of(feature.name);
      if (std::any_of(parts.begin(), parts.end(), [&](const std::string& part) {
            return named.contains({feature.side, part});
          }))
        continue;
      for (const std::string& part : parts) named.insert({feature.side, part});
    }
    informative.push_back(feature);
  }
  return informative;
}

}  // namespace palimpsest::attack
