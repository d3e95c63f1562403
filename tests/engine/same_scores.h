// Scores that must not depend on how they were computed, and sequences that try everything that
// decides how: lengths, shared beginnings, labels here and there.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "palimpsest/base/random.h"
#include "palimpsest/model/language_model.h"
#include "tests/support/golden_models.h"

namespace palimpsest::engine {

// Scores to the last bit; gradient norms too, unless a relative error is allowed.
inline void expect_same(const model::SequenceScores& found, const model::SequenceScores& expected,
                        double norm_error = 0) {
  EXPECT_EQ(found.argmax, expected.argmax);
  EXPECT_EQ(found.logprob, expected.logprob);
  EXPECT_EQ(found.mean, expected.mean);
  EXPECT_EQ(found.var, expected.var);
  ASSERT_EQ(found.gradient_norms.size(), expected.gradient_norms.size());
  for (size_t o = 0; o < expected.gradient_norms.size(); ++o) {
    const double norm = expected.gradient_norms[o];
    EXPECT_NEAR(found.gradient_norms[o], norm, norm_error * norm) << o;
  }
}

inline void expect_same(const std::vector<model::SequenceScores>& found,
                        const std::vector<model::SequenceScores>& expected, double norm_error = 0) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    SCOPED_TRACE(testing::Message() << "sequence " << i);
    expect_same(found[i], expected[i], norm_error);
  }
}

// The golden file's sequences, texts of one to four tokens, a prompt of 25 tokens with eight
// answers of six tokens and more, and two texts that go on from one of these answers.
inline std::vector<model::Sequence> sequences_for(const std::string& name, int64_t vocabulary) {
  std::vector<model::Sequence> sequences = sequences_of(golden_of(name).at("sequences"));
  Random random(11);
  const auto token = [&] {
    return 5 + static_cast<int64_t>(random.below(static_cast<uint64_t>(vocabulary - 5)));
  };
  for (size_t length = 1; length <= 4; ++length) {
    model::Sequence sequence{.ids = std::vector<int64_t>(length)};
    std::ranges::generate(sequence.ids, token);
    sequence.labels = sequence.ids;
    sequences.push_back(sequence);
  }
  std::vector<int64_t> prompt(25);
  std::ranges::generate(prompt, token);
  for (int64_t answer = 6; answer <= 20; answer += 2) {
    model::Sequence sequence{.ids = prompt,
                             .labels = std::vector<int64_t>(prompt.size(), kIgnoredLabel)};
    for (int64_t i = 0; i < answer; ++i) {
      sequence.ids.push_back(token());
      sequence.labels.push_back(sequence.ids.back());
    }
    sequences.push_back(sequence);
  }
  for (int twin = 0; twin < 2; ++twin) {
    model::Sequence sequence = sequences.back();
    std::fill_n(sequence.labels.begin(), 37, kIgnoredLabel);
    sequence.ids.back() = token();
    sequences.push_back(sequence);
  }
  return sequences;
}

}  // namespace palimpsest::engine
