#include "palimpsest/run/team.h"

#include <fmt/format.h>

#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/run/internal/backoff.h"
#include "palimpsest/run/internal/team_link.h"
#include "palimpsest/run/internal/team_messages.h"

namespace palimpsest::run {

using Kind = TeamMessageKind;

Team::Team(std::unique_ptr<TeamTransport> transport, std::string host)
    : transport_(std::move(transport)), host_(std::move(host)) {}

// Whoever waits for a block must be told before anybody leaves, and whoever sends one must find the
// next rank listening: first nobody sends any more, and then all leave.
Team::~Team() {
  if (link_) link_->stop_sending();
  if (!is_leader()) {
    send(0, team_message(Kind::kBye));
    wait_for_shutdown();
    return;
  }
  send_to_followers(team_message(Kind::kOver));
  Backoff backoff;
  for (int left = size() - 1; left > 0;) {
    const std::optional<TeamMessage> received = receive();
    if (!received) {
      backoff.wait();
    } else if (TeamMessageReader(received->bytes).kind() == Kind::kBye) {
      --left;
    }
  }
  send_to_followers(team_message(Kind::kLeave));
}

void Team::send(int to, const std::string& bytes) {
  transport_->send(to, bytes, TeamChannel::kTeam);
}

void Team::send_to_followers(const std::string& bytes) {
  for (int rank = 1; rank < size(); ++rank) send(rank, bytes);
}

std::optional<TeamMessage> Team::receive() {
  if (early_.empty()) return transport_->receive(TeamChannel::kTeam);
  TeamMessage first = std::move(early_.front());
  early_.pop_front();
  return first;
}

TeamMessage Team::wait_for_leader() {
  Backoff backoff;
  for (;;) {
    std::optional<TeamMessage> received = receive();
    if (!received) {
      backoff.wait();
      continue;
    }
    if (TeamMessageReader(received->bytes).kind() == Kind::kOver) throw LeaderEnded();
    return std::move(*received);
  }
}

void Team::wait_for_shutdown() {
  Backoff backoff;
  for (;;) {
    const std::optional<TeamMessage> received = receive();
    if (!received) {
      backoff.wait();
    } else if (TeamMessageReader(received->bytes).kind() == Kind::kLeave) {
      return;
    }
  }
}

// Called by the thread that computes, while it waits for another rank.
void Team::throw_if_failed() {
  if (is_leader()) {
    if (has_failed_) throw LeaderEnded();
    return;
  }
  std::optional<TeamMessage> received = transport_->receive(TeamChannel::kTeam);
  if (!received) return;
  if (TeamMessageReader(received->bytes).kind() == Kind::kOver) throw LeaderEnded();
  early_.push_back(std::move(*received));
}

model::Stage Team::split_layers() {
  if (!link_) link_ = std::make_unique<TeamLink>(*transport_, [this] { throw_if_failed(); });
  return {.index = transport_->rank(), .count = size(), .link = link_.get()};
}

std::string Team::broadcast(const std::string& of_leader) {
  if (is_leader()) {
    std::string bytes = team_message(Kind::kTell);
    put_text(bytes, of_leader);
    send_to_followers(bytes);
    return of_leader;
  }
  const TeamMessage received = wait_for_leader();
  TeamMessageReader reader(received.bytes);
  PALIMPSEST_CHECK(reader.kind() == Kind::kTell);
  return reader.text();
}

std::set<size_t> Team::broadcast_numbers(const std::set<size_t>& of_leader) {
  std::string bytes;
  for (const size_t number : of_leader) put_number(bytes, number);
  const std::string told = broadcast(bytes);
  std::set<size_t> numbers;
  for (TeamMessageReader reader(told); reader.has_more();) numbers.insert(reader.number());
  return numbers;
}

void Team::report_failure(int status, const std::string& sentence) {
  std::string bytes = team_message(Kind::kFailed);
  put_number(bytes, static_cast<uint64_t>(status));
  put_text(bytes, fmt::format("{} (on {})", sentence, host_));
  send(0, bytes);
}

}  // namespace palimpsest::run
