// Scored sets made by hand, for the tests of this folder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "palimpsest/attack/mia/score_columns.h"
#include "palimpsest/attack/trace_scores.h"
#include "palimpsest/base/random.h"

namespace palimpsest::attack {

// One attack's scores of examples "0", "1" …
inline TraceScores set_of(const ScoreColumn& scores, const std::string& model = "m") {
  TraceScores set{.header = {.model = model}, .columns = {scores}, .lacking = {""}};
  for (size_t i = 0; i < scores.size(); ++i) {
    set.examples.push_back({std::to_string(i), 0});
    set.facts.push_back({.num_labels = scores[i] ? 5 : 0});
  }
  return set;
}

inline TraceScores normal_set(uint64_t seed, int64_t count, double mean) {
  Random random(seed);
  ScoreColumn scores;
  for (int64_t i = 0; i < count; ++i) scores.push_back(mean + random.normal());
  return set_of(scores);
}

// The same examples with these texts.
inline TraceScores with_texts(TraceScores set, const std::vector<std::string>& texts) {
  for (size_t i = 0; i < texts.size(); ++i) set.facts[i].text = texts[i];
  return set;
}

// `words` words, the common ones more often.
inline std::string random_text(Random& random, int64_t words, uint64_t vocabulary = 400) {
  std::string text;
  for (int64_t i = 0; i < words; ++i) {
    const double u = random.uniform();
    const auto word = static_cast<uint64_t>(u * u * static_cast<double>(vocabulary));
    text += (i > 0 ? " " : "");
    Random letters(word + 1);
    for (uint64_t n = 0; n < 2 + word % 6; ++n) text += static_cast<char>('a' + letters.below(26));
  }
  return text;
}

}  // namespace palimpsest::attack
