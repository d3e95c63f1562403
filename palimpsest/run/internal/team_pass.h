// One pass of a team (team.h) over a plan. The leader computes on the calling thread and answers
// the others' messages on another.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "palimpsest/run/internal/parts.h"
#include "palimpsest/run/internal/team_messages.h"
#include "palimpsest/run/team.h"

namespace palimpsest::run {

class TeamPass {
 public:
  // Computes one batch. If layers are split, only the last rank's result counts. Called from the
  // calling thread alone.
  using Compute = std::function<std::string(size_t batch)>;
  // Keeps the result of a batch. Called from any thread, but never by two at once.
  using Commit = std::function<void(size_t batch, std::string payload)>;
  // Hears of each batch that was committed, from the calling thread alone: while that computes, the
  // batches of others wait.
  using OnCommitted = std::function<void(size_t batch)>;

  TeamPass(Team& team, const PartRequirement& plan) : team_(team), plan_(plan) {}

  // The leader's part. All ranks compute `batches`, which are handed out in this order. Throws
  // Error if another rank has a different plan. If another rank fails, its failure is thrown here.
  void lead(const std::vector<size_t>& batches, const Compute& compute, const Commit& commit,
            const OnCommitted& on_committed = {});
  // A follower's part.
  void follow(const Compute& compute);

 private:
  void compute_free_batches(const Compute& compute);
  void compute_layers(const Compute& compute);
  void wait_for_others();

  std::optional<size_t> take();
  void keep(size_t batch, std::string payload);
  void tell_committed();
  void fail(std::exception_ptr failure);
  bool has_failed();

  void serve();
  void answer(const TeamMessage& received);
  void hand_out(int to);
  void advance_split_layers();
  void require_same_plan(int from, TeamMessageReader& reader) const;

  Team& team_;
  const PartRequirement& plan_;
  std::vector<size_t> batches_;
  Commit commit_;
  OnCommitted on_committed_;
  // Of the thread that serves.
  int greeted_ = 0;     // followers that are at this pass
  bool told_ = false;   // whether they know all batches; only if layers are split
  std::set<int> done_;  // followers that know that the pass is done
  std::mutex mutex_;    // of all that follows
  std::condition_variable changed_;
  std::deque<size_t> waiting_;
  size_t left_ = 0;                // batches that are not committed
  std::vector<size_t> committed_;  // batches that on_committed_ has not heard of
  bool is_served_ = false;         // whether the thread that serves is done
  std::exception_ptr failure_;
};

}  // namespace palimpsest::run
