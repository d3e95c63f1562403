// One pass of a team, seen from the leader: its own computing on the calling thread, and the others'
// messages on another.
#pragma once

#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "palimpsest/run/internal/parts.h"
#include "palimpsest/run/internal/team_messages.h"
#include "palimpsest/run/team.h"

namespace palimpsest::run {

class Team::Lead {
 public:
  Lead(Team& team, const PartRequirement& plan, const std::vector<size_t>& batches,
       const Commit& commit);

  void run(const Compute& compute);

 private:
  void compute_free_batches(const Compute& compute);
  void compute_layers(const Compute& compute);

  std::optional<size_t> take();
  void keep(size_t batch, std::string payload);
  void fail(std::exception_ptr failure);
  bool has_failed();

  void serve();
  void answer(const TeamMessage& received);
  void hand_out(int to);
  void advance_split_layers();
  void require_same_plan(int from, TeamMessageReader& reader) const;

  Team& team_;
  const PartRequirement& plan_;
  const std::vector<size_t>& batches_;
  const Commit& commit_;
  // Of the thread that serves.
  int greeted_ = 0;     // followers that are at this pass
  bool told_ = false;   // whether they know all batches; only if layers are split
  std::set<int> done_;  // followers that know that the pass is done
  std::mutex mutex_;    // of all that follows
  std::deque<size_t> waiting_;
  size_t left_;  // batches that are not committed
  std::exception_ptr failure_;
};

}  // namespace palimpsest::run
