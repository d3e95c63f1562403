// How sequences are packed, on how many threads and from where the weights come decides the time
// that a score takes, never the score.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "palimpsest/base/random.h"
#include "tests/engine/decoder_parts.h"
#include "tests/engine/same_scores.h"

namespace palimpsest::engine {
namespace {

// Tensor by tensor as well, to the last bit unless a relative error is allowed.
void expect_same_gradients(const GradientScores& found, const GradientScores& expected,
                           double norm_error = 0) {
  expect_same(found.scores, expected.scores, norm_error);
  ASSERT_EQ(found.tensor_norms.size(), expected.tensor_norms.size());
  for (size_t i = 0; i < expected.tensor_norms.size(); ++i) {
    ASSERT_EQ(found.tensor_norms[i].size(), expected.tensor_norms[i].size());
    for (size_t o = 0; o < expected.tensor_norms[i].size(); ++o) {
      ASSERT_EQ(found.tensor_norms[i][o].size(), expected.tensor_norms[i][o].size());
      for (size_t j = 0; j < expected.tensor_norms[i][o].size(); ++j) {
        const double norm = expected.tensor_norms[i][o][j];
        EXPECT_NEAR(found.tensor_norms[i][o][j], norm, norm_error * norm)
            << i << " " << o << " " << j;
      }
    }
  }
}

class InvarianceTest : public testing::TestWithParam<std::string> {
 protected:
  InvarianceTest()
      : resident_(GetParam(), false),
        sequences_(sequences_for(GetParam(), resident_.source->architecture().vocab_size)) {}

  std::vector<model::SequenceScores> expected(const model::ScoreOptions& options = {}) {
    return resident_.score(sequences_, {}, options);
  }

  DecoderParts resident_;
  std::vector<model::Sequence> sequences_;
};

TEST_P(InvarianceTest, TheOrderOfTheSequences) {
  std::vector<model::Sequence> reversed(sequences_.rbegin(), sequences_.rend());
  std::vector<model::SequenceScores> found = resident_.score(reversed, {});
  std::ranges::reverse(found);
  expect_same(found, expected());
}

// Nothing shared, nothing packed: the plainest way to score.
TEST_P(InvarianceTest, AloneOrTogether) {
  std::vector<model::SequenceScores> alone;
  for (const model::Sequence& sequence : sequences_) {
    alone.push_back(resident_.score({&sequence, 1}, {}).at(0));
  }
  expect_same(expected(), alone);
}

TEST_P(InvarianceTest, RowsOfABatch) {
  const std::vector<model::SequenceScores> whole = expected();
  for (const int64_t max_rows : {50, 64, 100}) {
    SCOPED_TRACE(max_rows);
    expect_same(resident_.score(sequences_, {.max_rows = max_rows}), whole);
  }
}

TEST_P(InvarianceTest, SmallPieces) {
  const std::vector<model::SequenceScores> whole = expected();
  for (const int64_t max_rows : {1, 2, 3, 4, 8}) {
    SCOPED_TRACE(max_rows);
    expect_same(resident_.score(sequences_, {.max_rows = max_rows}), whole);
  }
  DecoderParts streamed(GetParam(), true);
  for (const int64_t max_held_rows : {8, 40, 100000}) {
    SCOPED_TRACE(max_held_rows);
    expect_same(streamed.score(sequences_, {.max_rows = 8, .max_held_rows = max_held_rows}), whole);
  }
}

// More labelled rows than the head takes at once, by one.
TEST_P(InvarianceTest, OneRowMoreThanATile) {
  const int64_t vocabulary = resident_.source->architecture().vocab_size;
  Random random(3);
  std::vector<model::Sequence> many(67, {.ids = std::vector<int64_t>(17)});
  for (const size_t i : {0, 1, 2}) many[i].ids.resize(2);
  many[3].ids.resize(15);
  int64_t rows = 0;
  for (model::Sequence& sequence : many) {
    for (int64_t& id : sequence.ids) {
      id = static_cast<int64_t>(random.below(static_cast<uint64_t>(vocabulary)));
    }
    sequence.labels = sequence.ids;
    rows += static_cast<int64_t>(sequence.ids.size()) - 1;
  }
  ASSERT_EQ(rows, 1025);
  std::vector<model::SequenceScores> alone;
  for (const model::Sequence& sequence : many)
    alone.push_back(resident_.score({&sequence, 1}, {}).at(0));
  expect_same(resident_.score(many, {}), alone);
}

TEST_P(InvarianceTest, Streamed) {
  const std::vector<model::SequenceScores> whole = expected();
  DecoderParts streamed(GetParam(), true);
  for (const auto& [max_rows, max_held_rows] :
       {std::pair<int64_t, int64_t>{4096, 4096}, {64, 64}, {64, 200}, {64, 100000}}) {
    SCOPED_TRACE(testing::Message() << max_rows << " " << max_held_rows);
    expect_same(streamed.score(sequences_, {.max_rows = max_rows, .max_held_rows = max_held_rows}),
                whole);
  }
}

TEST_P(InvarianceTest, Threads) {
  const std::vector<model::SequenceScores> two = expected();
  DecoderParts one(GetParam(), false, 1);
  expect_same(one.score(sequences_, {}), two);
}

TEST_P(InvarianceTest, MaskedTokens) {
  model::ScoreOptions options{.masked_token = sequences_.back().ids[3]};
  const std::vector<model::SequenceScores> whole = expected(options);
  expect_same(resident_.score(sequences_, {.max_rows = 64}, options), whole);
  expect_same(resident_.score(sequences_, {.max_rows = 8}, options), whole);
  for (size_t i = 0; i < sequences_.size(); ++i) {
    SCOPED_TRACE(testing::Message() << "sequence " << i << " alone");
    expect_same(resident_.score({&sequences_[i], 1}, {}, options).at(0), whole[i]);
  }
  // Masking means something here.
  EXPECT_GT(std::fabs(whole.back().logprob[0] - expected().back().logprob[0]), 1e-4);
}

// Gradients do not share prompts, so that their scores are a check of sharing as well.
TEST_P(InvarianceTest, GradientNorms) {
  for (const auto& orders :
       {std::vector{model::NormOrder::kTwo},
        {model::NormOrder::kOne, model::NormOrder::kTwo, model::NormOrder::kInfinity}}) {
    const model::ScoreOptions options{.masked_token = sequences_.back().ids[3],
                                      .gradient_norms = orders};
    const GradientScores whole = resident_.gradients(sequences_, 4096, options);
    GradientScores alone;
    for (const model::Sequence& sequence : sequences_) {
      const GradientScores one = resident_.gradients({&sequence, 1}, 4096, options);
      alone.scores.push_back(one.scores.at(0));
      alone.tensor_norms.push_back(one.tensor_norms.at(0));
    }
    expect_same_gradients(alone, whole);
    expect_same_gradients(resident_.gradients(sequences_, 70, options), whole);
    expect_same_gradients(DecoderParts(GetParam(), true).gradients(sequences_, 70, options), whole);
    expect_same_gradients(DecoderParts(GetParam(), false, 1).gradients(sequences_, 4096, options),
                          whole);
    expect_same_gradients(DecoderParts(GetParam(), false, 1).gradients(sequences_, 40, options),
                          whole);
    std::vector<model::SequenceScores> scores = whole.scores;
    for (model::SequenceScores& score : scores) score.gradient_norms.clear();
    expect_same(expected({.masked_token = options.masked_token}), scores);
  }
}

// Whichever way the norms are taken; Gram matrices and gradients round differently.
TEST_P(InvarianceTest, SquaresAloneOrWithOtherOrders) {
  const auto two =
      resident_.gradients(sequences_, 4096, {.gradient_norms = {model::NormOrder::kTwo}});
  auto both = resident_.gradients(
      sequences_, 4096, {.gradient_norms = {model::NormOrder::kTwo, model::NormOrder::kOne}});
  for (model::SequenceScores& scores : both.scores) {
    if (!scores.gradient_norms.empty()) scores.gradient_norms.resize(1);
  }
  for (TensorNorms& norms : both.tensor_norms) {
    if (!norms.empty()) norms.resize(1);
  }
  constexpr double kNormError = 1e-5;
  expect_same_gradients(both, two, kNormError);
}

INSTANTIATE_TEST_SUITE_P(Models, InvarianceTest,
                         testing::Values("llama_gqa_tied", "llama_rope_dynamic", "gemma2", "gpt2",
                                         "gpt_neox", "phi3_longrope", "olmo2"),
                         [](const auto& model) { return model.param; });

}  // namespace
}  // namespace palimpsest::engine
