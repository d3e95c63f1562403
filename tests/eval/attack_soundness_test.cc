#include "palimpsest/eval/internal/attack_soundness.h"

#include <gtest/gtest.h>

#include "palimpsest/trace/trace_file.h"
#include "tests/eval/log_setup.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::eval {
namespace {

class AttackSoundnessTest : public testing::Test {
 protected:
  static constexpr size_t kCount = 200;

  // Scores of blocks of twenty that are alike, and texts that have nothing to do with each other
  // unless both sets get the same ones.
  AttackSoundness checked(const Json& settings, bool same_texts = false, bool with_files = true) {
    LogSetup setup({{"mia_loss", attack_config("mia_loss")}}, settings);
    setup.add_data("forget", kCount);
    setup.add_data("holdout", kCount);
    setup.add("mia_loss",
              ScoreMaker{.seed = 1, .shift = 0, .shared = 0.8, .size = 20}.attack(kCount));
    const AttackFamilyInput input = setup.input();
    const auto family = gather_attacks(input);
    if (with_files) {
      write_traces("forget", 1);
      write_traces("holdout", same_texts ? 1 : 2);
    }
    return check_attacks({.family = *family,
                          .traces = {.forget = folder_.path() / "forget.jsonl",
                                     .holdout = folder_.path() / "holdout.jsonl"}});
  }

  void write_traces(const std::string& name, uint64_t seed) const {
    trace::TraceWriter writer(folder_.path() / (name + ".jsonl"), {.model = "m", .dataset = name});
    Random random(seed);
    for (size_t i = 0; i < kCount; ++i) {
      trace::Trace trace{
          .index = std::to_string(i), .text = "", .num_labels = 1, .given_avg_loss = 1};
      if (name == "forget") *trace.text += forget_word_;
      for (int word = 0; word < 6; ++word) *trace.text += std::to_string(random.below(500)) + " ";
      writer.write(trace);
    }
    writer.commit();
  }

  const TempFolder folder_;
  std::string forget_word_;
};

// Nobody said what belongs together, and neighbours score alike: the user has to speak first.
TEST_F(AttackSoundnessTest, NeighboursThatScoreAlikeRaiseASuspicion) {
  const AttackSoundness found = checked(Json::object());
  EXPECT_TRUE(found.void_reasons.empty());
  ASSERT_TRUE(found.suspected_dependence);
  EXPECT_EQ(found.suspected_dependence->code, "dependence_suspected");
  expect_contains(found.suspected_dependence->text, "cluster_size");
  expect_contains(found.suspected_dependence->text, "independent: true");
  EXPECT_EQ(found.suspected_dependence->text.find("--"), std::string::npos);
}

TEST_F(AttackSoundnessTest, WhoeverSaidSoIsBelieved) {
  EXPECT_FALSE(checked({{"cluster_size", 20}}).suspected_dependence);
  EXPECT_FALSE(checked({{"independent", true}}).suspected_dependence);
}

// Every forget text begins with a word of its own.
TEST_F(AttackSoundnessTest, TextsThatTellTheSetsApartAreKeptForTheFlags) {
  EXPECT_FALSE(checked({{"cluster_size", 20}}).separating_texts);
  forget_word_ = "unicorn ";
  const AttackSoundness found = checked({{"cluster_size", 20}});
  ASSERT_TRUE(found.separating_texts);
  EXPECT_GT(found.separating_texts->auc, 0.9);
  EXPECT_EQ(found.void_reasons.at(0).code, "texts_differ");
}

// The evaluation has other numbers to give: the same texts in both sets do not end it.
TEST_F(AttackSoundnessTest, TheSameTextsInBothSetsAreVoid) {
  const AttackSoundness found = checked({{"cluster_size", 20}}, true);
  ASSERT_FALSE(found.void_reasons.empty());
  EXPECT_EQ(found.void_reasons.front().code, "overlap");
}

TEST_F(AttackSoundnessTest, WithoutTracesANoteSaysThatNothingWasChecked) {
  const AttackSoundness found = checked(Json::object(), false, false);
  EXPECT_TRUE(found.void_reasons.empty());
  EXPECT_FALSE(found.suspected_dependence);
  EXPECT_TRUE(any_contains(found.notes, "no longer exist"));
}

}  // namespace
}  // namespace palimpsest::eval
