// A team (run/team.h) whose ranks are threads of the test's own process.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "palimpsest/run/team.h"

namespace palimpsest::run {

// What waits for each rank.
class Mailboxes {
 public:
  explicit Mailboxes(int ranks) : ranks_(ranks) {}
  void put(int to, TeamChannel channel, TeamMessage message) {
    const std::lock_guard lock(mutex_);
    boxes_[{to, channel}].push_back(std::move(message));
  }
  std::optional<TeamMessage> take(int rank, TeamChannel channel) {
    const std::lock_guard lock(mutex_);
    auto& box = boxes_[{rank, channel}];
    if (box.empty()) return std::nullopt;
    TeamMessage message = std::move(box.front());
    box.pop_front();
    return message;
  }
  int size() const { return ranks_; }

 private:
  int ranks_;
  std::mutex mutex_;
  std::map<std::pair<int, TeamChannel>, std::deque<TeamMessage>> boxes_;
};

class ThreadTransport : public TeamTransport {
 public:
  ThreadTransport(Mailboxes& boxes, int rank) : boxes_(boxes), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return boxes_.size(); }
  void send(int to, std::string_view bytes, TeamChannel channel) override {
    boxes_.put(to, channel, {rank_, std::string(bytes)});
  }
  std::optional<TeamMessage> receive(TeamChannel channel) override {
    return boxes_.take(rank_, channel);
  }

 private:
  Mailboxes& boxes_;
  int rank_;
};

// Runs body(team) as every rank; returns what rank 0 threw, as text.
inline std::string run_ranks(int ranks, const std::function<void(Team&)>& body) {
  Mailboxes boxes(ranks);
  std::vector<std::thread> followers;
  for (int rank = 1; rank < ranks; ++rank) {
    followers.emplace_back([&boxes, &body, rank] {
      Team team(std::make_unique<ThreadTransport>(boxes, rank), "host" + std::to_string(rank));
      try {
        body(team);
      } catch (const LeaderEnded&) {
      } catch (const std::exception& error) {
        team.report_failure(1, error.what());
      }
    });
  }
  std::string thrown;
  {
    Team team(std::make_unique<ThreadTransport>(boxes, 0), "host0");
    try {
      body(team);
    } catch (const std::exception& error) {
      thrown = error.what();
    }
  }
  for (std::thread& follower : followers) follower.join();
  return thrown;
}

}  // namespace palimpsest::run
