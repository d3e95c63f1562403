#include "palimpsest/base/instruction_set.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "palimpsest/base/error.h"
#include "tests/support/expect_error.h"
#include "tests/support/with_instruction_set.h"

namespace palimpsest {
namespace {

constexpr InstructionSet kAll[] = {InstructionSet::kBaseline, InstructionSet::kAvx2,
                                   InstructionSet::kAvx512};

TEST(InstructionSetTest, EveryProcessorHasTheBaseline) {
  const std::vector<InstructionSet>& sets = available_instruction_sets();
  ASSERT_FALSE(sets.empty());
  EXPECT_EQ(sets.front(), InstructionSet::kBaseline);
  EXPECT_TRUE(std::ranges::is_sorted(sets));
}

TEST(InstructionSetTest, TheWidestIsUsedUnlessToldOtherwise) {
  EXPECT_EQ(instruction_set(), available_instruction_sets().back());
  for (const InstructionSet set : available_instruction_sets()) {
    const WithInstructionSet with(set);
    EXPECT_EQ(instruction_set(), set);
  }
  EXPECT_EQ(instruction_set(), available_instruction_sets().back());
}

TEST(InstructionSetTest, NamesLeadBack) {
  EXPECT_EQ(name_of(InstructionSet::kBaseline), "baseline");
  EXPECT_EQ(name_of(InstructionSet::kAvx2), "avx2");
  EXPECT_EQ(name_of(InstructionSet::kAvx512), "avx512");
  for (const InstructionSet set : kAll) EXPECT_EQ(instruction_set_of(name_of(set), kAll), set);
  for (const InstructionSet set : available_instruction_sets()) {
    EXPECT_EQ(instruction_set_of(name_of(set)), set);
  }
}

TEST(InstructionSetTest, RefusesANameThatIsNone) {
  for (const char* name : {"", "AVX2", "avx", "sse2", "avx2 ", "baseline,avx2"}) {
    const std::string message = error_of([&] { instruction_set_of(name, kAll); });
    expect_contains(message, "there is no instruction set '" + std::string(name) + "'");
    expect_contains(message, "expected baseline, avx2, avx512");
  }
  expect_contains(error_of([&] { instruction_set_of("mmx"); }), "there is no instruction set");
}

TEST(InstructionSetTest, RefusesASetThatTheProcessorLacks) {
  const std::span<const InstructionSet> sets(kAll);
  const std::string none = error_of([&] { instruction_set_of("avx2", sets.first(1)); });
  expect_contains(none, "this processor lacks the instruction set 'avx2'");
  expect_contains(none, "expected baseline");
  const std::string wide = error_of([&] { instruction_set_of("avx512", sets.first(2)); });
  expect_contains(wide, "this processor lacks the instruction set 'avx512'");
  expect_contains(wide, "expected baseline, avx2");
}

TEST(InstructionSetTest, ASetThatIsNotThereCannotBeUsed) {
  for (const InstructionSet set : kAll) {
    if (std::ranges::find(available_instruction_sets(), set) !=
        available_instruction_sets().end()) {
      continue;
    }
    EXPECT_THROW(use_instruction_set(set), BugError);
    EXPECT_THROW(instruction_set_of(name_of(set)), Error);
  }
  EXPECT_EQ(instruction_set(), available_instruction_sets().back());
}

}  // namespace
}  // namespace palimpsest
