// Several processes that run the same command together, for example under mpirun. Each reads the
// data, makes the same plan and loads the model. Rank 0 leads: it hands out the batches one by one,
// to whoever is free, computes batches itself, keeps the journal and has the results. The others
// follow: they compute what they are given and have no results.
//
// If a model is too large for any one machine, each rank has a part of its layers instead (pipeline
// parallelism; split_layers()). Then all ranks compute every batch. The last one has its result,
// and sends it to the leader.
//
// All ranks must go through the same passes in the same order. Where the leader's files decide what
// is left to do, the leader broadcasts it (broadcast()).
//
// A transport carries bytes from one rank to another. The transport for MPI is in
// cli/mpi_transport.h.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/model/stage_link.h"

namespace palimpsest::run {

struct TeamMessage {
  int from = 0;
  std::string bytes;
};

// Two kinds of messages that do not get in each other's way.
enum class TeamChannel {
  kTeam,    // messages between the leader and the followers
  kBlocks,  // hidden states, from each rank to the next
};

// Any thread may call these functions, and threads of the library do. So they must not throw: an
// exception would end the process. MPI ends the process itself if a message cannot be sent.
class TeamTransport {
 public:
  virtual ~TeamTransport() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // Returns when the caller may change or free the bytes. The messages of a channel between two
  // ranks arrive in order.
  virtual void send(int to, std::string_view bytes, TeamChannel channel) = 0;
  // The next message of the channel, if one has arrived. Does not wait.
  virtual std::optional<TeamMessage> receive(TeamChannel channel) = 0;
};

// The exception that ends a follower because the leader has ended.
class LeaderEnded : public std::runtime_error {
 public:
  LeaderEnded() : std::runtime_error("the leading process has ended") {}
};

class TeamLink;
class TeamPass;

// A Team is used by one thread. On a follower, functions that wait for the leader throw LeaderEnded
// if the leader has ended.
class Team {
 public:
  // `host` says in messages where this process runs. It need not be the name of a machine.
  Team(std::unique_ptr<TeamTransport> transport, std::string host);
  // The leader ends the others' work and waits until all have left.
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  bool is_leader() const { return transport_->rank() == 0; }
  int size() const { return transport_->size(); }

  // From now on each rank has a part of the layers. Returns the part of this rank, for
  // ModelOptions::stage. The team owns the link in the result (Stage::link).
  model::Stage split_layers();
  bool splits_layers() const { return link_ != nullptr; }

  // Gives the leader's text to all ranks, and returns it. A follower waits for the leader.
  std::string broadcast(const std::string& of_leader);
  std::set<size_t> broadcast_numbers(const std::set<size_t>& of_leader);

  // Tells the leader that this follower has failed, with the exit status and the sentence that it
  // would have ended with.
  void report_failure(int status, const std::string& sentence);

 private:
  friend class TeamPass;  // the ranks' work on one plan
  void send(int to, const std::string& bytes);
  void send_to_followers(const std::string& bytes);
  std::optional<TeamMessage> receive();
  TeamMessage wait_for_leader();
  void wait_for_shutdown();
  void throw_if_failed();

  std::unique_ptr<TeamTransport> transport_;
  std::string host_;
  // Messages that belong to the next step: those of followers that have finished a pass before
  // others have, and what the leader sends while this rank computes.
  std::deque<TeamMessage> early_;
  std::atomic<bool> has_failed_ = false;  // used by the leader: whether a pass has failed
  std::unique_ptr<TeamLink> link_;
};

}  // namespace palimpsest::run
