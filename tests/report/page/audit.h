// A small audit with its trace files, for the tests of this folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "palimpsest/attack/mia.h"
#include "palimpsest/base/random.h"
#include "palimpsest/trace/trace_file.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::report {

struct TestSet {
  std::string name;    // of file and data set
  int64_t count = 30;  // examples "0", "1" …
  double loss = 2;     // mean of the tokens' -log p
  uint64_t seed = 1;
  std::string text = {};  // of every example; empty: words drawn at random, for each its own
};

// Words that tell nothing about the set that they stand in.
inline std::string random_words(Random& random) {
  constexpr int kWords = 12;
  std::string text;
  for (int i = 0; i < kWords; ++i)
    text += (i > 0 ? " " : "") + std::string("word") + std::to_string(random.next() % 40);
  return text;
}

// Six tokens per example.
inline std::filesystem::path write_traces(const TempFolder& folder, const TestSet& set) {
  std::filesystem::path path = folder.path() / (set.name + ".jsonl");
  trace::TraceWriter writer(path, {.model = "m", .dataset = set.name});
  Random random(set.seed);
  Random words = random.split(1);
  for (int64_t i = 0; i < set.count; ++i) {
    trace::Trace trace{.index = std::to_string(i),
                       .text = set.text.empty() ? random_words(words) : set.text,
                       .num_labels = 6};
    trace.logprob.emplace();
    trace.tokens.emplace();
    for (int64_t t = 0; t < 6; ++t) {
      trace.logprob->push_back(-set.loss * (0.5 + random.uniform()));
      trace.tokens->push_back(" t" + std::to_string(t));
    }
    writer.write(trace);
  }
  writer.commit();
  return path;
}

inline attack::MiaReport audit_of(const std::filesystem::path& forget,
                                  const std::filesystem::path& holdout,
                                  const std::string& names = "loss,min_k") {
  const attack::AttackTable attacks = attack::select_attacks(attack::default_attack_table(), names);
  const attack::TraceScores sets[2] = {attack::score_traces(forget, attacks, {}),
                                       attack::score_traces(holdout, attacks, {})};
  return attack::mia({.attacks = attacks, .forget = sets[0], .holdout = sets[1]},
                     {.clusters = {.independent = true}});
}

}  // namespace palimpsest::report
