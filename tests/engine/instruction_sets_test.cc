// Instruction sets round differently: scores differ by up to 1e-5 relative, as docs/models.md says.
#include <gtest/gtest.h>

#include <cmath>

#include "palimpsest/engine/engine_loader.h"
#include "tests/engine/same_scores.h"
#include "tests/support/with_instruction_set.h"

namespace palimpsest::engine {
namespace {

class InstructionSetsTest : public testing::TestWithParam<std::string> {};

constexpr double kError = 1e-5;

void expect_close(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], expected[i], kError * std::fabs(expected[i])) << i;
  }
}

TEST_P(InstructionSetsTest, ScoresAgree) {
  const std::vector<InstructionSet>& sets = available_instruction_sets();
  if (sets.size() < 2) GTEST_SKIP() << "this processor has only one set";
  const auto model = EngineLoader().load(golden_model_folder(GetParam()), {});
  const auto sequences = sequences_for(GetParam(), model->info().vocab_size);
  const model::ScoreOptions options{.gradient_norms = {model::NormOrder::kTwo}};
  const auto scores_in = [&](InstructionSet set) {
    const WithInstructionSet with(set);
    return model->score(sequences, options);
  };
  const std::vector<model::SequenceScores> expected = scores_in(sets.front());
  for (size_t s = 1; s < sets.size(); ++s) {
    SCOPED_TRACE(name_of(sets[s]));
    const std::vector<model::SequenceScores> found = scores_in(sets[s]);
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i) {
      SCOPED_TRACE(testing::Message() << "sequence " << i);
      EXPECT_EQ(found[i].argmax, expected[i].argmax);
      expect_close(found[i].logprob, expected[i].logprob);
      expect_close(found[i].mean, expected[i].mean);
      expect_close(found[i].var, expected[i].var);
      // The mean over tensors: some have no gradient but rounding errors (a bias of the keys, whose
      // scores all move alike), so that one by one they could not be compared.
      expect_close(found[i].gradient_norms, expected[i].gradient_norms);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, InstructionSetsTest, testing::ValuesIn(golden_model_names()),
                         [](const auto& model) { return model.param; });

}  // namespace
}  // namespace palimpsest::engine
