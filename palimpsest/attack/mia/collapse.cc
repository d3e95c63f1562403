#include "palimpsest/attack/internal/mia/collapse.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

namespace palimpsest::attack {
namespace {

using TokenCounts = std::unordered_map<int64_t, int64_t>;

struct UnigramCounts {
  TokenCounts tokens;
  int64_t total = 0;
  int64_t vocabulary = 0;  // one more than the highest id
};

void count(int64_t token, int64_t times, UnigramCounts& counts) {
  counts.tokens[token] += times;
  counts.total += times;
  counts.vocabulary = std::max(counts.vocabulary, token + 1);
}

UnigramCounts count_unigrams(const TraceScores& forget, const TraceScores& holdout) {
  UnigramCounts counts;
  for (const TraceScores* set : {&forget, &holdout}) {
    for (const ExampleFacts& facts : set->facts) {
      if (!facts.label) continue;
      for (int64_t token : *facts.label) count(token, 1, counts);
    }
    for (const auto& [token, times] : set->dropped.labels) count(token, times, counts);
    for (const auto& [token, count] : set->argmax_counts) {
      counts.vocabulary = std::max(counts.vocabulary, token + 1);
    }
  }
  return counts;
}

// Σ log p of a text under the counts of all other texts, add-one smoothed.
double unigram_logprob(const std::vector<int64_t>& text, const UnigramCounts& counts) {
  TokenCounts own;
  for (int64_t token : text) ++own[token];
  const auto others = static_cast<double>(counts.total - static_cast<int64_t>(text.size()));
  const double norm = std::log(others + static_cast<double>(counts.vocabulary));
  double sum = 0;
  for (const auto& [token, count] : own) {
    const auto seen = static_cast<double>(counts.tokens.at(token) - count);
    sum += static_cast<double>(count) * (std::log(seen + 1) - norm);
  }
  return sum;
}

// The same for all examples whose label was dropped, in ascending order of the ids.
double dropped_logprob(const DroppedTotals& dropped, const UnigramCounts& counts) {
  const auto log_seen = [&](int64_t token, int64_t own) {
    return std::log(static_cast<double>(counts.tokens.at(token) - own) + 1);
  };
  std::map<int64_t, int64_t> once(dropped.labels.begin(), dropped.labels.end());
  for (const auto& [token, times] : dropped.unscored) once[token] -= times;
  double sum = 0;
  for (const auto& [repeated, examples] : dropped.repeated) {
    const auto [token, times] = repeated;
    once[token] -= times * examples;
    sum += static_cast<double>(times * examples) * log_seen(token, times);
  }
  for (const auto& [token, examples] : once)
    sum += static_cast<double>(examples) * log_seen(token, 1);
  const std::map<int64_t, int64_t> lengths(dropped.lengths.begin(), dropped.lengths.end());
  for (const auto& [length, examples] : lengths) {
    const auto others = static_cast<double>(counts.total - length);
    sum -= static_cast<double>(length * examples) *
           std::log(others + static_cast<double>(counts.vocabulary));
  }
  return sum;
}

void compare_with_unigrams(const TraceScores& holdout, const UnigramCounts& counts,
                           Collapse& found) {
  double model = 0;
  double unigram = 0;
  int64_t positions = 0;
  for (const ExampleFacts& facts : holdout.facts) {
    const bool had_label = facts.dropped && facts.dropped->had_label;
    if ((!facts.label && !had_label) || !facts.logprob_sum) continue;
    model += *facts.logprob_sum;
    if (facts.label) unigram += unigram_logprob(*facts.label, counts);
    positions += facts.logprob_count;
  }
  unigram += dropped_logprob(holdout.dropped, counts);
  if (positions < kFewestPositions) return;
  found.mean_logprob = model / static_cast<double>(positions);
  found.unigram_logprob = unigram / static_cast<double>(positions);
}

void measure_argmax_share(const TraceScores& holdout, Collapse& found) {
  int64_t positions = 0;
  int64_t most = 0;
  for (const auto& [token, count] : holdout.argmax_counts) {
    positions += count;
    // The lowest id of equals, since the order of the map means nothing.
    if (count < most || (count == most && token > found.argmax_token)) continue;
    most = count;
    found.argmax_token = token;
  }
  if (positions < kFewestPositions) return;
  found.argmax_share = static_cast<double>(most) / static_cast<double>(positions);
  int64_t labels = 0;
  int64_t same = 0;
  for (const ExampleFacts& facts : holdout.facts) {
    if (!facts.label) continue;
    labels += static_cast<int64_t>(facts.label->size());
    same += std::count(facts.label->begin(), facts.label->end(), found.argmax_token);
  }
  for (const auto& [token, count] : holdout.dropped.labels) {
    labels += count;
    if (token == found.argmax_token) same += count;
  }
  if (labels > 0)
    found.argmax_label_share = static_cast<double>(same) / static_cast<double>(labels);
}

}  // namespace

std::string Collapse::evidence() const {
  std::string text;
  if (below_unigram()) {
    text = fmt::format(
        "The model predicts the holdout texts worse than token frequencies do: mean log p {:.2f} "
        "per "
        "token, {:.2f} by a unigram model of the same texts.",
        *mean_logprob, *unigram_logprob);
  }
  if (one_argmax()) {
    text += fmt::format("{}The model's first choice is the same token, id {}, at {:.0f}% of the {}",
                        text.empty() ? "" : " ", argmax_token, std::floor(100 * *argmax_share),
                        "holdout positions.");
  }
  return text;
}

Collapse detect_collapse(const TraceScores& forget, const TraceScores& holdout) {
  Collapse found;
  compare_with_unigrams(holdout, count_unigrams(forget, holdout), found);
  measure_argmax_share(holdout, found);
  return found;
}

}  // namespace palimpsest::attack
