#include "palimpsest/run/internal/batch_run.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>

#include "tests/run/thread_team.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait_until.h"

namespace palimpsest::run {
namespace {

const std::string kFingerprint(32, 'f');

BatchPlan three_batches() {
  return {.fingerprint = kFingerprint,
          .batches = {{.items = 1, .work = 10}, {.items = 2, .work = 20}, {.items = 1, .work = 5}}};
}

// Remembers what it was shown.
class Display : public ProgressDisplay {
 public:
  double interval_seconds() const override { return 0; }
  void show(const ProgressState& state) override { states.push_back(state); }
  std::vector<ProgressState> states;
};

// Texts as results, so that a wrong one is seen: "made 1" of batch 1.
struct Maker {
  std::vector<size_t> made;

  BatchRun::RunBatch run() {
    return [this](size_t batch, const BatchRun::Advance& /*advance*/) {
      made.push_back(batch);
      return "made " + std::to_string(batch);
    };
  }
};

// A result that counts how often it is read back, and how many of it are in memory.
namespace counted {

struct Result {
  static inline int parsed = 0;
  static inline std::atomic<int> alive = 0;

  Result() { ++alive; }
  Result(const Result& /*other*/) : Result() {}
  Result& operator=(const Result& /*other*/) { return *this; }
  ~Result() { --alive; }
};

std::string to_payload(const std::vector<Result>& results) {
  return std::string(results.size(), 'x');
}

bool from_payload(std::string_view payload, std::vector<Result>& results) {
  ++Result::parsed;
  results.resize(payload.size());
  return true;
}

}  // namespace counted

bool anything(size_t /*batch*/, std::string_view /*payload*/) {
  return true;
}

TEST(BatchRunTest, MakesEveryBatchOnceAndInOrder) {
  const TempFolder folder;
  Maker maker;
  BatchRun run(three_batches(), {.folder = folder.path() / "journals"});
  EXPECT_EQ(run.run("", maker.run(), anything), 0);
  EXPECT_EQ(maker.made, (std::vector<size_t>{0, 1, 2}));
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(run.take_payload(i), "made " + std::to_string(i));
}

TEST(BatchRunTest, GoesOnWhereItWasInterrupted) {
  const TempFolder folder;
  const RunOptions options{.folder = folder.path()};
  EXPECT_THROW(BatchRun(three_batches(), options)
                   .run(
                       "",
                       [](size_t batch, const BatchRun::Advance& /*advance*/) -> std::string {
                         if (batch == 1) throw SystemError("the power went out");
                         return "from before";
                       },
                       anything),
               SystemError);
  Maker maker;
  BatchRun run(three_batches(), options);
  EXPECT_EQ(run.run("", maker.run(), anything), 1);
  EXPECT_EQ(maker.made, (std::vector<size_t>{1, 2}));
  EXPECT_EQ(run.take_payload(0), "from before");
}

TEST(BatchRunTest, WhatIsNoResultIsMadeAgain) {
  const TempFolder folder;
  const RunOptions options{.folder = folder.path()};
  Maker first;
  BatchRun(three_batches(), options).run("", first.run(), anything);
  Maker second;
  BatchRun run(three_batches(), options);
  EXPECT_EQ(run.run("", second.run(), [](size_t batch, std::string_view) { return batch != 1; }),
            2);
  EXPECT_EQ(second.made, (std::vector<size_t>{1}));
}

TEST(BatchRunTest, AnotherPlanHasAnotherJournal) {
  const TempFolder folder;
  const RunOptions options{.folder = folder.path()};
  Maker first;
  BatchRun(three_batches(), options).run("", first.run(), anything);
  BatchPlan other = three_batches();
  other.fingerprint = std::string(32, '0');
  Maker second;
  EXPECT_EQ(BatchRun(other, options).run("", second.run(), anything), 0);
  EXPECT_EQ(second.made.size(), 3U);
}

// A service may want to stop a run; what is finished is not lost.
TEST(BatchRunTest, StopsBeforeTheNextBatch) {
  const TempFolder folder;
  std::stop_source source;
  const RunOptions options{.folder = folder.path(), .stop = source.get_token()};
  EXPECT_THROW(BatchRun(three_batches(), options)
                   .run(
                       "",
                       [&](size_t batch, const BatchRun::Advance& /*advance*/) {
                         if (batch == 1) source.request_stop();
                         return std::string("x");
                       },
                       anything),
               Stopped);
  Maker maker;
  EXPECT_EQ(BatchRun(three_batches(), {.folder = folder.path()}).run("", maker.run(), anything), 3);
  EXPECT_EQ(maker.made, (std::vector<size_t>{2}));
}

// Nothing is left to do: there is nothing to stop.
TEST(BatchRunTest, AFinishedPlanIsNotStopped) {
  const TempFolder folder;
  Maker maker;
  BatchRun(three_batches(), {.folder = folder.path()}).run("", maker.run(), anything);
  std::stop_source source;
  source.request_stop();
  EXPECT_EQ(BatchRun(three_batches(), {.folder = folder.path(), .stop = source.get_token()})
                .run("", maker.run(), anything),
            4);
}

TEST(BatchRunTest, CallsBackFromTheCallingThreadOnly) {
  BatchRun run(three_batches(), {});
  const auto check = [](size_t, std::string_view) { return true; };
  run.run(
      "",
      [here = std::this_thread::get_id()](size_t, const BatchRun::Advance& /*advance*/) {
        EXPECT_EQ(std::this_thread::get_id(), here);
        return std::string();
      },
      check);
}

TEST(BatchRunTest, ProgressCountsTheWorkOfAllBatches) {
  const TempFolder folder;
  const auto half_told = [](size_t batch, const BatchRun::Advance& advance) {
    if (batch == 1) advance(12);  // of 20; the rest follows by itself
    return std::string("x");
  };
  Display first;
  BatchRun(three_batches(), {.folder = folder.path(), .display = &first})
      .run("tokens", half_told, anything);
  ASSERT_FALSE(first.states.empty());
  EXPECT_EQ(first.states.back().label, "tokens");
  EXPECT_EQ(first.states.back().total, 35);
  EXPECT_EQ(first.states.back().done, 35);
  Display second;
  BatchRun(three_batches(), {.folder = folder.path(), .display = &second})
      .run("tokens", half_told, anything);
  EXPECT_EQ(second.states.back().done, 35);
}

TEST(BatchRunTest, WithoutAFolderNothingIsWritten) {
  Maker maker;
  BatchRun run(three_batches(), {});
  EXPECT_EQ(run.run("", maker.run(), anything), 0);
  EXPECT_EQ(run.take_payload(2), "made 2");
  EXPECT_EQ(BatchRun(three_batches(), {}).run("", maker.run(), anything), 0);
}

TEST(BatchRunTest, ItemsComeInTheOrderOfThePlan) {
  const TempFolder folder;
  const auto make = [](size_t batch, const BatchRun::Advance& /*advance*/) {
    const auto id = static_cast<int64_t>(batch);
    return std::vector<model::Generation>(batch == 1 ? 2 : 1, model::Generation{.ids = {id}});
  };
  for (const int64_t resumed : {0, 4}) {
    const auto results =
        run_items<model::Generation>(three_batches(), {.folder = folder.path()}, "", make);
    EXPECT_EQ(results.resumed, resumed);
    ASSERT_EQ(results.items.size(), 4U);
    std::vector<int64_t> ids;
    for (const model::Generation& one : results.items) ids.push_back(one.ids.front());
    EXPECT_EQ(ids, (std::vector<int64_t>{0, 1, 1, 2}));
  }
}

TEST(BatchRunTest, AResultThatWasThereIsReadOnce) {
  const TempFolder folder;
  const auto make = [](size_t batch, const BatchRun::Advance& /*advance*/) {
    return std::vector<counted::Result>(batch == 1 ? 2 : 1);
  };
  for (const int64_t resumed : {0, 4}) {
    counted::Result::parsed = 0;
    const auto results =
        run_items<counted::Result>(three_batches(), {.folder = folder.path()}, "", make);
    EXPECT_EQ(results.resumed, resumed);
    EXPECT_EQ(results.items.size(), 4U);
    EXPECT_EQ(counted::Result::parsed, 3);
  }
}

// The model is loaded when the first batch is computed, and then sees how much memory is free.
TEST(BatchRunTest, NoResultIsInMemoryWhileBatchesAreComputed) {
  const TempFolder folder;
  const RunOptions options{.folder = folder.path()};
  bool fails = true;
  std::vector<int> alive;
  const auto make = [&](size_t batch, const BatchRun::Advance& /*advance*/) {
    alive.push_back(counted::Result::alive);
    if (fails && batch == 2) throw SystemError("the power went out");
    return std::vector<counted::Result>(batch == 1 ? 2 : 1);
  };
  EXPECT_THROW(run_items<counted::Result>(three_batches(), options, "", make), SystemError);
  fails = false;
  const auto results = run_items<counted::Result>(three_batches(), options, "", make);
  EXPECT_EQ(results.resumed, 3);
  EXPECT_EQ(results.items.size(), 4U);
  EXPECT_EQ(alive, (std::vector<int>{0, 0, 0, 0}));
}

// An entry that is there but holds something else, behind two that were already kept.
TEST(BatchRunTest, AnEntryThatIsNoResultIsComputedWithNoneInMemory) {
  const TempFolder folder;
  const RunOptions options{.folder = folder.path()};
  BatchRun(three_batches(), options)
      .run(
          "",
          [](size_t batch, const BatchRun::Advance& /*advance*/) {
            return std::string(batch == 2 ? 3 : batch + 1, 'x');
          },
          anything);
  int alive = -1;
  const auto make = [&](size_t /*batch*/, const BatchRun::Advance& /*advance*/) {
    alive = counted::Result::alive;
    return std::vector<counted::Result>(1);
  };
  const auto results = run_items<counted::Result>(three_batches(), options, "", make);
  EXPECT_EQ(results.resumed, 3);
  EXPECT_EQ(results.items.size(), 4U);
  EXPECT_EQ(alive, 0);
}

// The display is the caller's, so the batches of other ranks are shown from this thread, too.
TEST(BatchRunTest, TheProgressOfATeamIsShownFromTheCallingThread) {
  class ThreadDisplay : public Display {
   public:
    void show(const ProgressState& state) override {
      threads.insert(std::this_thread::get_id());
      Display::show(state);
    }
    std::set<std::thread::id> threads;
  };
  ThreadDisplay display;
  std::atomic<bool> has_helped = false;
  const std::string thrown = run_ranks(2, [&](Team& team) {
    const auto make = [&](size_t batch, const BatchRun::Advance& /*advance*/) {
      if (team.is_leader()) wait_until([&] { return has_helped.load(); });
      has_helped = true;
      return std::to_string(batch);
    };
    RunOptions options;
    options.work.team = &team;
    if (!team.is_leader()) {
      BatchRun(three_batches(), options).run("", make, anything);
      return;
    }
    options.display = &display;
    BatchRun run(three_batches(), options);
    run.run("", make, anything);
    for (size_t i = 0; i < 3; ++i) EXPECT_EQ(run.take_payload(i), std::to_string(i));
    EXPECT_EQ(display.threads, std::set<std::thread::id>{std::this_thread::get_id()});
  });
  EXPECT_EQ(thrown, "");
  ASSERT_FALSE(display.states.empty());
  EXPECT_EQ(display.states.back().done, 35);
}

TEST(BatchRunTest, ABatchHasOneResultPerItem) {
  const auto too_few = [](size_t, const BatchRun::Advance& /*advance*/) {
    return std::vector<model::Generation>(1);
  };
  EXPECT_THROW(run_items<model::Generation>(three_batches(), {}, "", too_few), BugError);
}

}  // namespace
}  // namespace palimpsest::run
