// Ranks that have a part of the layers each: blocks go from rank to rank, the last one has the
// results, and whatever fails, nobody waits for ever.
#include "palimpsest/run/internal/team_link.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/run/internal/team_pass.h"
#include "tests/run/thread_team.h"
#include "tests/support/expect_error.h"

namespace palimpsest::run {
namespace {

const PartRequirement kSplitPlan{.fingerprint = std::string(32, 'b'),
                                 .made_with = {{"model", "m"}}};

// The part of a rank in a model whose "layers" each add one to every number: three blocks per
// batch, of different sizes.
std::string add_layers(const model::Stage& stage, size_t batch) {
  std::string result;
  for (size_t block = 0; block < 3; ++block) {
    std::vector<float> hidden(1 + (batch * 7 + block * 1000) % 5000, static_cast<float>(batch));
    if (stage.index > 0) stage.link->receive(hidden);
    for (float& number : hidden) number += 1;
    if (!stage.is_last()) {
      stage.link->send(hidden);
      continue;
    }
    for (const float number : hidden) EXPECT_EQ(number, static_cast<float>(batch + stage.count));
    result += std::to_string(hidden.size()) + " ";
  }
  return result;
}

TEST(TeamLinkTest, TheLastRankHasTheResults) {
  for (const int ranks : {2, 3, 5}) {
    std::vector<size_t> order;
    const std::string thrown = run_ranks(ranks, [&](Team& team) {
      const model::Stage stage = team.split_layers();
      EXPECT_EQ(stage.count, ranks);
      for (int pass = 0; pass < 3; ++pass) {
        const auto compute = [&](size_t batch) { return add_layers(stage, batch); };
        if (!team.is_leader()) {
          TeamPass(team, kSplitPlan).follow(compute);
          continue;
        }
        std::vector<size_t> batches;
        for (size_t i = 0; i < (pass == 1 ? 0U : 40U); ++i) batches.push_back(39 - i);
        order.clear();
        TeamPass(team, kSplitPlan).lead(batches, compute, [&](size_t batch, std::string payload) {
          order.push_back(batch);
          EXPECT_EQ(std::ranges::count(payload, ' '), 3);
        });
        EXPECT_EQ(order, batches);
      }
    });
    EXPECT_EQ(thrown, "");
  }
}

// The first rank does not compute the whole data set before the second has begun.
TEST(TeamLinkTest, ARankRunsOnlyAFewBlocksAhead) {
  std::atomic<int> sent = 0;
  std::atomic<int> taken = 0;
  std::atomic<int> most = 0;
  const std::string thrown = run_ranks(2, [&](Team& team) {
    const model::Stage stage = team.split_layers();
    std::vector<float> block(10);
    if (team.is_leader()) {
      const auto send = [&](size_t) {
        stage.link->send(block);
        most = std::max(most.load(), ++sent - taken.load());
        return std::string();
      };
      std::vector<size_t> batches(300);
      TeamPass(team, kSplitPlan).lead(batches, send, [](size_t, const std::string&) {});
      return;
    }
    TeamPass(team, kSplitPlan).follow([&](size_t) {
      stage.link->receive(block);
      ++taken;
      return std::string("done");
    });
  });
  EXPECT_EQ(thrown, "");
  EXPECT_EQ(taken, 300);
  EXPECT_LE(most, 8);
}

// In each of these runs one rank fails at one batch, and all others wait for it.
TEST(TeamLinkTest, ARankThatFailsEndsTheRun) {
  for (const int64_t bad : {0, 1, 2}) {
    for (const size_t at : {0, 5, 39}) {
      SCOPED_TRACE(testing::Message() << "rank " << bad << " at batch " << at);
      const std::string thrown = run_ranks(3, [&](Team& team) {
        const model::Stage stage = team.split_layers();
        const auto compute = [&](size_t batch) {
          if (batch == at && stage.index == bad) throw SystemError("memory ran out");
          return add_layers(stage, batch);
        };
        if (!team.is_leader()) return TeamPass(team, kSplitPlan).follow(compute);
        std::vector<size_t> batches(40);
        for (size_t i = 0; i < batches.size(); ++i) batches[i] = i;
        TeamPass(team, kSplitPlan).lead(batches, compute, [&](size_t batch, const std::string&) {
          EXPECT_LT(batch, at);
        });
      });
      expect_contains(thrown, "memory ran out");
      if (bad > 0) expect_contains(thrown, "process " + std::to_string(bad) + " failed");
    }
  }
}

TEST(TeamLinkTest, ARankWithAnotherModelOrWithoutTheOptionIsNamed) {
  for (const bool has_option : {true, false}) {
    const std::string thrown = run_ranks(2, [&](Team& team) {
      if (team.is_leader() || has_option) team.split_layers();
      std::vector<float> block(3);
      if (team.is_leader()) {
        const model::Stage stage = team.split_layers();
        const auto compute = [&](size_t) {
          stage.link->send(block);
          return std::string();
        };
        TeamPass(team, kSplitPlan)
            .lead(std::vector<size_t>(20), compute, [](size_t, const std::string&) {});
        return;
      }
      PartRequirement other = kSplitPlan;
      other.made_with[0].second = has_option ? "another" : "m";
      TeamPass(team, other).follow([](size_t) { return std::string("x"); });
    });
    expect_contains(thrown, has_option ? "has a different model from process 0"
                                       : "was started without --split-layers");
  }
}

}  // namespace
}  // namespace palimpsest::run
