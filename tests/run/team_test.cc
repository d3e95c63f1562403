#include "palimpsest/run/team.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <thread>

#include "palimpsest/run/internal/team_pass.h"
#include "tests/run/thread_team.h"
#include "tests/support/expect_error.h"

namespace palimpsest::run {
namespace {

const PartRequirement kPlan{.fingerprint = std::string(32, 'a'), .made_with = {{"model", "m"}}};

std::vector<size_t> numbers(size_t count) {
  std::vector<size_t> all;
  for (size_t i = 0; i < count; ++i) all.push_back(i);
  return all;
}

std::string square(size_t batch) {
  return std::to_string(batch * batch);
}

TEST(TeamTest, EveryBatchIsComputedOnceByWhoeverIsFree) {
  for (const int ranks : {1, 2, 3, 5}) {
    std::vector<std::string> results(200);
    std::set<std::thread::id> threads;
    std::mutex mutex;
    const std::string thrown = run_ranks(ranks, [&](Team& team) {
      for (int pass = 0; pass < 50; ++pass) {
        const auto compute = [&](size_t batch) {
          const std::lock_guard lock(mutex);
          threads.insert(std::this_thread::get_id());
          return square(batch);
        };
        if (!team.is_leader()) {
          TeamPass(team, kPlan).follow(compute);
          continue;
        }
        // In some passes there are fewer batches than ranks, and those who are done go ahead.
        const size_t count = pass % 3 == 0 ? 2 : 200;
        results.assign(200, "");
        for (size_t i = count; i < 200; ++i) results[i] = square(i);
        TeamPass(team, kPlan).lead(numbers(count), compute, [&](size_t batch, std::string payload) {
          EXPECT_EQ(results[batch], "");
          results[batch] = std::move(payload);
        });
        for (size_t i = 0; i < results.size(); ++i) EXPECT_EQ(results[i], square(i));
      }
    });
    EXPECT_EQ(thrown, "");
    EXPECT_LE(static_cast<int>(threads.size()), ranks);
  }
}

TEST(TeamTest, TheLeadersWordCounts) {
  const std::string thrown = run_ranks(3, [&](Team& team) {
    EXPECT_EQ(team.broadcast(team.is_leader() ? "left: a, b" : "something else"), "left: a, b");
    EXPECT_EQ(team.broadcast(team.is_leader() ? "" : "x"), "");
    const std::set<size_t> numbers = {0, 3, 70000};
    EXPECT_EQ(team.broadcast_numbers(team.is_leader() ? numbers : std::set<size_t>{1}), numbers);
  });
  EXPECT_EQ(thrown, "");
}

TEST(TeamTest, ARankWithAnotherModelIsNamed) {
  const std::string thrown = run_ranks(3, [&](Team& team) {
    if (team.is_leader()) {
      TeamPass(team, kPlan).lead(numbers(5), square, [](size_t, const std::string&) {});
      return;
    }
    PartRequirement other = kPlan;
    other.made_with[0].second = "another";
    TeamPass(team, other).follow(square);
  });
  expect_contains(thrown, "has a different model from process 0 (expected m, found another)");
}

// The error of a follower ends the run; what was committed before stays.
TEST(TeamTest, ARankThatFailsEndsTheRunWithItsSentence) {
  size_t committed = 0;
  const std::string thrown = run_ranks(2, [&](Team& team) {
    if (team.is_leader()) {
      TeamPass(team, kPlan)
          .lead(
              numbers(1000),
              [](size_t batch) {
                std::this_thread::yield();
                return square(batch);
              },
              [&](size_t, const std::string&) { ++committed; });
      // The leader may have computed all itself before the other came.
      TeamPass(team, kPlan).lead({}, square, [](size_t, const std::string&) {});
      return;
    }
    TeamPass(team, kPlan).follow([](size_t) -> std::string {
      throw SystemError("memory ran out");
    });
    throw SystemError("memory ran out");
  });
  expect_contains(thrown, "process 1 failed: memory ran out (on host1)");
}

TEST(TeamTest, ALeaderThatFailsReleasesTheOthers) {
  const std::string thrown = run_ranks(4, [&](Team& team) {
    if (team.is_leader()) {
      TeamPass(team, kPlan)
          .lead(
              numbers(10), [](size_t) -> std::string { throw SystemError("the disk is full"); },
              [](size_t, const std::string&) {});
      return;
    }
    TeamPass(team, kPlan).follow(square);
    TeamPass(team, kPlan).follow(square);
  });
  EXPECT_EQ(thrown, "the disk is full");
}

}  // namespace
}  // namespace palimpsest::run
