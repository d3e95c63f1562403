#include "palimpsest/run/internal/parts.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <set>

#include "palimpsest/base/instruction_set.h"
#include "palimpsest/run/internal/batch_run.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::run {
namespace {

BatchPlan plan_of(size_t batches, const std::string& model = "m") {
  BatchPlan plan{.fingerprint = std::string(31, 'a') + model,
                 .batches = {},
                 .made_with = {{"model", model}, {"data", "d"}},
                 .model = [] {
                   return Properties{{"device", "cpu"}};
                 }};
  for (size_t i = 0; i < batches; ++i)
    plan.batches.push_back({.items = 1, .work = 100 + static_cast<int64_t>(i % 3)});
  return plan;
}

std::string result_of(size_t batch) {
  return "result " + std::to_string(batch);
}

struct Ran {
  std::vector<size_t> made;
  int64_t resumed = 0;
};

// Throws after so many batches, as a process that is killed does.
Ran run_plan(const BatchPlan& plan, const RunOptions& options, size_t kill_after = 1000) {
  Ran ran;
  std::set<size_t> found;
  BatchRun run(plan, options);
  ran.resumed = run.run(
      "",
      [&](size_t batch, const BatchRun::Advance& /*advance*/) {
        if (ran.made.size() == kill_after) throw SystemError("killed");
        ran.made.push_back(batch);
        return result_of(batch);
      },
      [&](size_t batch, std::string_view payload) {
        return payload == result_of(batch) && found.insert(batch).second;
      });
  if (options.work.shard) return ran;
  EXPECT_EQ(found.size() + ran.made.size(), plan.batches.size());
  for (const size_t batch : ran.made) EXPECT_EQ(run.take_payload(batch), result_of(batch));
  return ran;
}

RunOptions options_of(const TempFolder& folder, std::optional<Shard> shard = {}) {
  return {.folder = folder.path(), .work = {.shard = shard, .program_version = "1.0"}};
}

class PartsTest : public testing::Test {
 protected:
  TempFolder folder_;
};

TEST_F(PartsTest, ShardsDoTheirShareAndTheWholeRunNothingMore) {
  const BatchPlan plan = plan_of(20);
  for (const int64_t count : {1, 2, 3, 7}) {
    const TempFolder folder;
    size_t made = 0;
    for (int64_t number = count; number >= 1; --number)
      made += run_plan(plan, options_of(folder, Shard{number, count})).made.size();
    EXPECT_EQ(made, 20U);
    const Ran whole = run_plan(plan, options_of(folder));
    EXPECT_TRUE(whole.made.empty());
    EXPECT_EQ(whole.resumed, 20);
  }
}

// Killed after the k-th batch, for every k; then the same shard goes on.
TEST_F(PartsTest, AShardGoesOnWhereItWasKilled) {
  const BatchPlan plan = plan_of(9);
  const Shard shard{.number = 2, .count = 2};
  const size_t own = run_plan(plan, options_of(folder_, shard)).made.size();
  for (size_t kill_after = 0; kill_after < own; ++kill_after) {
    const TempFolder folder;
    EXPECT_THROW(run_plan(plan, options_of(folder, shard), kill_after), SystemError);
    const Ran again = run_plan(plan, options_of(folder, shard));
    EXPECT_EQ(again.made.size(), own - kill_after);
    EXPECT_EQ(again.resumed, static_cast<int64_t>(kill_after));
  }
}

TEST_F(PartsTest, GapsAreFilledAndOverlapsCountOnce) {
  const BatchPlan plan = plan_of(20);
  const size_t one = run_plan(plan, options_of(folder_, Shard{1, 3})).made.size();
  EXPECT_THROW(run_plan(plan, options_of(folder_, Shard{2, 3}), 1), SystemError);
  EXPECT_EQ(run_plan(plan, options_of(folder_)).made.size(), 20 - one - 1);
  // Parts of another count beside them.
  run_plan(plan, options_of(folder_, Shard{1, 1}));
  EXPECT_EQ(run_plan(plan, options_of(folder_)).resumed, 20);
}

TEST_F(PartsTest, WithoutComputingGapsAreReported) {
  const BatchPlan plan = plan_of(20);
  RunOptions options = options_of(folder_);
  options.work.computes = false;
  expect_contains(error_of([&] { run_plan(plan, options); }),
                  "20 of 20 batches have not been run;");
  run_plan(plan, options_of(folder_, Shard{1, 3}));
  run_plan(plan, options_of(folder_, Shard{3, 3}));
  expect_contains(error_of([&] { run_plan(plan, options); }),
                  "of 20 batches have not been run: those of 2/3; run these shards");
  run_plan(plan, options_of(folder_, Shard{2, 3}));
  EXPECT_EQ(run_plan(plan, options).resumed, 20);
}

TEST_F(PartsTest, WhatWasMadeWithSomethingElseIsRefusedByName) {
  run_plan(plan_of(5), options_of(folder_, Shard{1, 2}));
  expect_contains(
      error_of([&] { run_plan(plan_of(5, "n"), options_of(folder_)); }),
      "pass-1.shard-1-of-2.journal: this part of the run was made with a different model "
      "(expected n, found m)");
  // The shard itself does not overwrite its part.
  expect_contains(error_of([&] {
                    run_plan(plan_of(5, "n"), options_of(folder_, Shard{1, 2}));
                  }),
                  "made with a different model");
  RunOptions other = options_of(folder_);
  other.work.program_version = "2.0";
  expect_contains(error_of([&] { run_plan(plan_of(5), other); }),
                  "made with a different program (expected 2.0, found 1.0)");
  BatchPlan divided = plan_of(5);
  divided.fingerprint = std::string(32, 'f');
  expect_contains(error_of([&] { run_plan(divided, options_of(folder_)); }),
                  "divides its work differently");
  // Another pass has parts of its own.
  RunOptions second = options_of(folder_);
  second.pass = 2;
  EXPECT_EQ(run_plan(plan_of(5, "n"), second).made.size(), 5U);
}

TEST_F(PartsTest, AnotherInstructionSetIsNamed) {
  const std::vector<InstructionSet>& sets = available_instruction_sets();
  if (sets.size() < 2) GTEST_SKIP() << "this processor has one set only";
  const InstructionSet before = instruction_set();
  use_instruction_set(sets.front());
  run_plan(plan_of(5), options_of(folder_, Shard{1, 2}));
  use_instruction_set(sets.back());
  const std::string refusal = error_of([&] { run_plan(plan_of(5), options_of(folder_)); });
  use_instruction_set(before);
  expect_contains(refusal,
                  "a different instruction set (expected " + std::string(name_of(sets.back())));
  expect_contains(refusal, "run all shards with the same --isa");
}

TEST_F(PartsTest, APartTellsAboutTheModel) {
  run_plan(plan_of(5), options_of(folder_, Shard{1, 1}));
  const BatchRun run(plan_of(5), options_of(folder_));
  EXPECT_EQ(run.model_of_parts(), (Properties{{"device", "cpu"}}));
}

// Cut anywhere, a part gives the batches that are whole.
TEST_F(PartsTest, ADamagedPartLosesOnlyWhatIsDamaged) {
  run_plan(plan_of(3), options_of(folder_, Shard{1, 1}));
  const std::string name = "pass-1.shard-1-of-1.journal";
  const std::string whole = folder_.read(name);
  for (size_t length = 0; length <= whole.size(); length += 7) {
    const TempFolder folder;
    folder.write(name, whole.substr(0, length));
    const Ran ran = run_plan(plan_of(3), options_of(folder));
    EXPECT_EQ(ran.made.size() + static_cast<size_t>(ran.resumed), 3U) << length;
  }
}

TEST_F(PartsTest, NamesOfFiles) {
  const std::filesystem::path file = part_file("x.run", 3, {2, 7});
  EXPECT_EQ(file, "x.run/pass-3.shard-2-of-7.journal");
  const std::optional<PartName> name = part_name(file);
  ASSERT_TRUE(name.has_value());
  EXPECT_EQ(name->pass, 3);
  EXPECT_EQ(name->shard, (Shard{2, 7}));
  for (const char* other :
       {"0123456789abcdef.journal", "pass-1.shard-3-of-2.journal", "pass-0.shard-1-of-2.journal",
        "pass-1.shard-1-of-2.journal.old", "pass-1.shard--1-of-2.journal", "pass-1.journal"}) {
    EXPECT_FALSE(part_name(other).has_value()) << other;
  }
}

TEST_F(PartsTest, GatheringPutsMachinesTogether) {
  const BatchPlan plan = plan_of(20);
  const TempFolder one;
  const TempFolder two;
  const auto below = [](const TempFolder& folder, const Shard& shard) {
    RunOptions options = options_of(folder, shard);
    options.folder = folder.path() / "traces.run";
    return options;
  };
  run_plan(plan, below(one, {1, 2}));
  // The same shard on both, unfinished here: its batches are joined.
  EXPECT_THROW(run_plan(plan, below(two, {1, 2}), 3), SystemError);
  run_plan(plan, below(two, {2, 2}));
  const GatheredParts gathered = gather_parts({one.path(), two.path()}, folder_.path() / "audit");
  EXPECT_EQ(gathered.parts, 3);
  EXPECT_EQ(gathered.batches, 20);
  RunOptions options = options_of(folder_);
  options.folder = folder_.path() / "audit/traces.run";
  EXPECT_EQ(run_plan(plan, options).resumed, 20);
  EXPECT_EQ(gather_parts({two.path() / "traces.run"}, options.folder).batches, 0);
}

TEST_F(PartsTest, GatheringRefusesWhatDoesNotFit) {
  const TempFolder one;
  const TempFolder two;
  run_plan(plan_of(5), options_of(one, Shard{1, 2}));
  run_plan(plan_of(5, "n"), options_of(two, Shard{2, 2}));
  const std::filesystem::path out = folder_.path() / "out";
  expect_contains(error_of([&] {
                    gather_parts({one.path(), two.path()}, out);
                  }),
                  "made with a different model");
  EXPECT_FALSE(std::filesystem::exists(out));
  gather_parts({one.path()}, out);
  expect_contains(error_of([&] { gather_parts({two.path()}, out); }),
                  "made with a different model");
  expect_contains(error_of([&] { gather_parts({folder_.path() / "absent"}, out); }),
                  "absent: the folder cannot be read");
  std::filesystem::create_directory(folder_.path() / "empty");
  expect_contains(error_of([&] { gather_parts({folder_.path() / "empty"}, out); }),
                  "holds no part of a run");
}

// Parts that cannot be seen must not be forgotten, since gathering would seem complete.
TEST_F(PartsTest, GatheringRefusesAFolderThatItCannotReadWhole) {
  namespace fs = std::filesystem;
  run_plan(plan_of(5), options_of(folder_, Shard{1, 2}));
  const fs::path hidden = folder_.path() / "hidden";
  fs::create_directory(hidden);
  fs::permissions(folder_.path(), fs::perms::owner_all | fs::perms::others_all);
  fs::permissions(hidden, fs::perms::none);
  constexpr uid_t kOther = 54321;
  const bool is_root = ::geteuid() == 0;  // who may read everything
  if (is_root && ::seteuid(kOther) != 0) GTEST_SKIP() << "this process cannot become another user";
  const std::string said =
      error_of([&] { gather_parts({folder_.path()}, folder_.path() / "out"); });
  if (is_root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  fs::permissions(hidden, fs::perms::owner_all);
  expect_contains(said, "the folder cannot be read: Permission denied");
  EXPECT_FALSE(fs::exists(folder_.path() / "out"));
}

}  // namespace
}  // namespace palimpsest::run
