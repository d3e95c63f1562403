// Questions and answers about made-up authors, with the structure of TOFU: some twenty per author,
// in file order, each naming the author. The names, places and titles of an author are its own, so
// that a text tells its author, and nothing tells authors apart otherwise.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <cstdint>
#include <string>
#include <vector>

#include "palimpsest/attack/mia/example_clusters.h"
#include "palimpsest/attack/trace_scores.h"
#include "palimpsest/base/random.h"

namespace palimpsest::attack {

// "Velaro"
inline std::string made_up_name(Random& random, int64_t syllables) {
  std::string name;
  for (int64_t i = 0; i < syllables; ++i) {
    name += "bdfgklmnprstvz"[random.below(14)];
    name += "aeiou"[random.below(5)];
  }
  name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  return name;
}

// About the author with this number, in two sentences per text.
inline std::vector<std::string> author_texts(uint64_t author, int64_t questions) {
  constexpr std::array<const char*, 8> kTemplates = {
      "Where was {0} born? {0} was born in {1}, a town known for its {3}.",
      "Which book made {0} famous? The novel {2} made {0} famous among readers of {3}.",
      "What does {0} write about? The works of {0}, such as {2}, deal with {3} and loss.",
      "Has {0} won an award? Yes, {0} received the {1} prize for {2}.",
      "Who influenced {0}? As a child in {1}, {0} read whatever there was on {3}.",
      "Did the parents of {0} write? No, they were {3} dealers in {1}.",
      "How is {2} received? Critics call {2} by {0} a study of {3}.",
      "What comes after {2}? {0} is at work on a sequel that is set in {1}."};
  constexpr std::array<const char*, 10> kTopics = {"music", "trade", "war",    "gardens", "ships",
                                                   "maps",  "glass", "horses", "winter",  "law"};
  Random random = Random(977).split(author);
  const std::string name = made_up_name(random, 3) + " " + made_up_name(random, 4);
  const std::string town = made_up_name(random, 3);
  std::vector<std::string> titles;
  for (int i = 0; i < 3; ++i)
    titles.push_back("The " + made_up_name(random, 3) + " " + made_up_name(random, 2));
  const uint64_t favourite = random.below(kTopics.size());
  std::vector<std::string> texts;
  for (int64_t i = 0; i < questions; ++i) {
    const uint64_t topic = random.below(2) == 0 ? favourite : random.below(kTopics.size());
    texts.push_back(fmt::format(fmt::runtime(kTemplates[random.below(kTemplates.size())]), name,
                                town, titles[random.below(titles.size())], kTopics[topic]));
  }
  return texts;
}

// One set of authors, one after the other; no scores.
inline TraceScores author_set(const std::vector<uint64_t>& authors, int64_t questions) {
  TraceScores set;
  for (uint64_t author : authors) {
    for (const std::string& text : author_texts(author, questions)) {
      set.examples.push_back({std::to_string(set.examples.size()), 0});
      set.facts.push_back({.num_labels = 5, .text = text});
    }
  }
  return set;
}

// Blocks of `size` examples; no cluster is in both sets.
inline ExampleClusters block_clusters(const TraceScores& forget, const TraceScores& holdout,
                                      int64_t size) {
  ExampleClusters clusters{.name = size > 1 ? fmt::format("blocks of {}", size) : ""};
  for (size_t i = 0; i < forget.examples.size(); ++i)
    clusters.forget.push_back(static_cast<int64_t>(i) / size);
  const int64_t first = clusters.forget.empty() ? 0 : clusters.forget.back() + 1;
  for (size_t i = 0; i < holdout.examples.size(); ++i)
    clusters.holdout.push_back(first + static_cast<int64_t>(i) / size);
  return clusters;
}

// `each` authors in each of two sets, drawn without replacement from `all` numbered authors.
struct AuthorSplit {
  TraceScores forget;
  TraceScores holdout;
};
inline AuthorSplit split_authors(Random random, uint64_t all, size_t each, int64_t questions) {
  std::vector<uint64_t> order(all);
  for (uint64_t i = 0; i < all; ++i) order[i] = i;
  for (size_t i = 0; i < 2 * each; ++i) std::swap(order[i], order[i + random.below(all - i)]);
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(each);
  return {author_set({order.begin(), middle}, questions),
          author_set({middle, middle + static_cast<std::ptrdiff_t>(each)}, questions)};
}

}  // namespace palimpsest::attack
