// Hidden states on their way through the ranks of a team, of which each has a part of the layers:
// from rank r to rank r + 1. Blocks are sent and received by threads of the link while the caller
// computes.
//
// A rank sends a block only if the next one has room for it, and says so when it has taken one. So
// a rank runs at most a few blocks ahead of the next, and a message that was begun always ends:
// whatever fails, the threads can be ended.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <thread>

#include "palimpsest/model/stage_link.h"
#include "palimpsest/run/team.h"

namespace palimpsest::run {

// send() and receive() must be called by one thread.
class TeamLink : public model::StageLink {
 public:
  // While a call waits, it calls throw_if_failed(), which throws if the team has ended.
  TeamLink(TeamTransport& transport, std::function<void()> throw_if_failed);
  // Nobody may send to this rank any more.
  ~TeamLink() override;

  void send(std::span<const float> block) override;
  void receive(std::span<float> block) override;

  // Blocks that wait are dropped. After the return, this rank sends nothing any more.
  void stop_sending();

 private:
  void deliver();
  void listen();
  void allow_next_block();
  template <class Ready>
  void wait_until(std::unique_lock<std::mutex>& lock, const Ready& ready);

  TeamTransport& transport_;
  std::function<void()> throw_if_failed_;
  std::mutex mutex_;  // of all that follows
  std::condition_variable changed_;
  std::deque<std::string> outgoing_;
  std::deque<std::string> incoming_;
  int allowed_ = 0;  // blocks that the next rank has room for
  bool sends_ = true;
  bool listens_ = true;
  std::thread sender_;
  std::thread listener_;
};

}  // namespace palimpsest::run
