#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "palimpsest/attack/attack.h"
#include "palimpsest/attack/example_facts.h"
#include "palimpsest/attack/internal/mia/blind_baseline.h"
#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/base/internal/parallel.h"
#include "tests/attack/made_up_authors.h"
#include "tests/attack/mia/answer_calibration.h"

namespace palimpsest::attack {
namespace {

// An interpolated trigram model of words: enough of a language model to find some authors easier
// than others, and small enough to train in a test.
class TrigramModel {
 public:
  void train(const std::vector<std::string>& words) {
    std::string one = "<";
    std::string two = "<";
    for (const std::string& word : words) {
      ++unigrams_[word];
      ++bigrams_[fmt::format("{} {}", one, word)];
      ++trigrams_[fmt::format("{} {} {}", two, one, word)];
      ++unigram_contexts_[one];
      ++bigram_contexts_[fmt::format("{} {}", two, one)];
      ++total_;
      two = std::exchange(one, word);
    }
  }

  std::vector<double> logprobs(const std::vector<std::string>& words) const {
    std::vector<double> result;
    std::string one = "<";
    std::string two = "<";
    for (const std::string& word : words) {
      const double unigram =
          (count(unigrams_, word) + 1) /
          (static_cast<double>(total_) + 2 * static_cast<double>(unigrams_.size()));
      const double bigram =
          share(count(bigrams_, fmt::format("{} {}", one, word)), count(unigram_contexts_, one));
      const double trigram = share(count(trigrams_, fmt::format("{} {} {}", two, one, word)),
                                   count(bigram_contexts_, fmt::format("{} {}", two, one)));
      result.push_back(std::log(0.2 * unigram + 0.3 * bigram + 0.5 * trigram));
      two = std::exchange(one, word);
    }
    return result;
  }

 private:
  using Counts = std::unordered_map<std::string, int64_t>;
  static double count(const Counts& counts, const std::string& key) {
    const auto found = counts.find(key);
    return found == counts.end() ? 0 : static_cast<double>(found->second);
  }
  static double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

  Counts unigrams_;
  Counts bigrams_;
  Counts trigrams_;
  Counts unigram_contexts_;
  Counts bigram_contexts_;
  int64_t total_ = 0;
};

}  // namespace

AuthorTexts made_up_authors(int64_t authors, int64_t questions) {
  AuthorTexts result;
  for (int64_t author = 0; author < authors; ++author) {
    for (std::string& text : author_texts(static_cast<uint64_t>(author), questions)) {
      result.texts.push_back(std::move(text));
      result.authors.push_back(author);
    }
  }
  return result;
}

AuthorTexts read_authors(const std::string& path, int64_t questions) {
  AuthorTexts result;
  const std::string bytes = read_file(path);
  for (size_t begin = 0; begin < bytes.size();) {
    const size_t end = std::min(bytes.find('\n', begin), bytes.size());
    if (end > begin) {
      const Json record = parse_json(bytes.substr(begin, end - begin), path);
      result.authors.push_back(static_cast<int64_t>(result.texts.size()) / questions);
      result.texts.push_back(record.at("question").get<std::string>() + " " +
                             record.at("answer").get<std::string>());
    }
    begin = end + 1;
  }
  return result;
}

ScoredAuthors score_authors(const AuthorTexts& texts, int64_t trained) {
  TrigramModel model;
  for (size_t i = 0; i < texts.texts.size(); ++i) {
    if (texts.authors[i] < trained) model.train(words_of(texts.texts[i]));
  }
  const AttackTable attacks = select_attacks(default_attack_table(), "loss,min_k,zlib");
  ScoredAuthors scored;
  scored.columns.resize(attacks.size());
  for (size_t i = 0; i < texts.texts.size(); ++i) {
    if (texts.authors[i] < trained) continue;
    trace::Trace trace;
    trace.text = texts.texts[i];
    trace.logprob = model.logprobs(words_of(texts.texts[i]));
    trace.num_labels = static_cast<int64_t>(trace.logprob->size());
    scored.texts.texts.push_back(texts.texts[i]);
    scored.texts.authors.push_back(texts.authors[i] - trained);
    for (size_t a = 0; a < attacks.size(); ++a)
      scored.columns[a].push_back(attacks[a].score(trace, attacks[a].values()));
  }
  return scored;
}

int64_t blind_alarms(const AuthorTexts& texts, int64_t each, int64_t splits) {
  const int64_t authors = texts.authors.back() + 1;
  std::vector<char> alarms(static_cast<size_t>(splits));
  parallel_for(splits, 0, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const std::vector<int> set_of =
          draw_split(authors, each, Random(13).split(static_cast<uint64_t>(i)));
      TraceScores sets[2];
      ExampleClusters clusters{.name = "author"};
      for (size_t t = 0; t < texts.texts.size(); ++t) {
        const int which = set_of[static_cast<size_t>(texts.authors[t])];
        if (which == 2) continue;
        TraceScores& set = sets[which];
        set.examples.push_back({std::to_string(set.examples.size()), 0});
        set.facts.push_back({.num_labels = 5, .text = texts.texts[t]});
        (which == 0 ? clusters.forget : clusters.holdout).push_back(texts.authors[t]);
      }
      const auto blind = blind_baseline(sets[0], sets[1], clusters,
                                        {.seed = static_cast<uint64_t>(i), .threads = 1});
      alarms[static_cast<size_t>(i)] = blind && blind->p_value <= 0.05 ? 1 : 0;
    }
  });
  return std::ranges::count(alarms, 1);
}

}  // namespace palimpsest::attack
