// Several processes that run the same command together, for example under mpirun. Each reads the
// data, makes the same plan and loads the model. Rank 0 leads: it hands out the batches one by one,
// to whoever is free, computes batches itself, keeps the journal and has the results. The others
// follow: they compute what they are given and have no results.
//
// All ranks must go through the same passes in the same order. Where the leader's files decide what
// is left to do, the leader broadcasts it (broadcast()).
//
// A transport carries bytes from one rank to another. The transport for MPI is in
// cli/mpi_transport.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/run/parts.h"

namespace palimpsest::run {

struct TeamMessage {
  int from = 0;
  std::string bytes;
};

// Any thread may call it.
class TeamTransport {
 public:
  virtual ~TeamTransport() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // Returns when the caller may change or free the bytes. Messages between two ranks arrive in
  // order.
  virtual void send(int to, std::string_view bytes) = 0;
  // The next message, if one has arrived. Does not wait.
  virtual std::optional<TeamMessage> receive() = 0;
};

// The exception that ends a follower because the leader has ended.
class LeaderEnded : public std::runtime_error {
 public:
  LeaderEnded() : std::runtime_error("the leading process has ended") {}
};

class Team {
 public:
  // `place` names this process in messages, for example by its host's name.
  Team(std::unique_ptr<TeamTransport> transport, std::string place);
  // The leader ends the others' work and waits until all have left.
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  bool is_leader() const { return transport_->rank() == 0; }
  int size() const { return transport_->size(); }

  // Gives the leader's text to all ranks, and returns it.
  std::string broadcast(const std::string& of_leader);
  std::set<size_t> broadcast_numbers(const std::set<size_t>& of_leader);

  // Computes one batch.
  using Compute = std::function<std::string(size_t batch)>;
  // Keeps the result of a batch. Never called by two threads at once.
  using Commit = std::function<void(size_t batch, std::string payload)>;
  // The leader's part in a pass. All ranks compute `batches`, which are handed out in this order.
  // Throws Error if another rank has a different plan. If another rank fails, its failure is thrown
  // here.
  void lead(const PartRequirement& plan, const std::vector<size_t>& batches, const Compute& compute,
            const Commit& commit);
  // A follower's part in a pass.
  void follow(const PartRequirement& plan, const Compute& compute);

  // Tells the leader that this follower has failed, with the exit status and the sentence that it
  // would have ended with.
  void report_failure(int status, const std::string& sentence);

 private:
  class Lead;
  TeamMessage wait_for_leader();

  std::optional<TeamMessage> receive();

  std::unique_ptr<TeamTransport> transport_;
  std::string place_;
  // For the leader: messages from followers that have finished a pass before others have. They
  // belong to the next step.
  std::deque<TeamMessage> early_;
};

}  // namespace palimpsest::run
