#include "palimpsest/run/internal/team_pass.h"

#include <fmt/format.h>

#include <iterator>
#include <thread>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/run/internal/backoff.h"
#include "palimpsest/run/internal/parts.h"

namespace palimpsest::run {

void TeamPass::lead(const std::vector<size_t>& batches, const Compute& compute,
                    const Commit& commit, const OnCommitted& on_committed) {
  PALIMPSEST_CHECK(team_.is_leader());
  batches_ = batches;
  commit_ = commit;
  on_committed_ = on_committed;
  waiting_.assign(batches.begin(), batches.end());
  left_ = batches.size();
  std::thread server([this] { serve(); });
  try {
    if (team_.splits_layers()) {
      compute_layers(compute);
    } else {
      compute_free_batches(compute);
    }
    wait_for_others();
  } catch (...) {
    fail(std::current_exception());
  }
  server.join();
  if (failure_) std::rethrow_exception(failure_);
}

void TeamPass::follow(const Compute& compute) {
  PALIMPSEST_CHECK(!team_.is_leader());
  std::string hello = team_message(TeamMessageKind::kHello);
  put_number(hello, team_.splits_layers() ? 1 : 0);
  put_text(hello, team_.host_);
  put_text(hello, plan_.fingerprint);
  for (const auto& [name, value] : plan_.made_with) {
    put_text(hello, name);
    put_text(hello, value);
  }
  team_.send(0, hello);
  const auto compute_and_send = [&](size_t batch) {
    const std::string payload = compute(batch);
    if (team_.splits_layers() && team_.transport_->rank() + 1 < team_.size()) return;
    std::string result = team_message(TeamMessageKind::kResult);
    put_number(result, batch);
    put_text(result, payload);
    team_.send(0, result);
  };
  for (;;) {
    const TeamMessage received = team_.wait_for_leader();
    TeamMessageReader reader(received.bytes);
    const TeamMessageKind kind = reader.kind();
    if (kind == TeamMessageKind::kDone) return;
    PALIMPSEST_CHECK(kind == TeamMessageKind::kBatch || kind == TeamMessageKind::kBatches);
    while (reader.has_more()) compute_and_send(static_cast<size_t>(reader.number()));
  }
}

void TeamPass::compute_free_batches(const Compute& compute) {
  while (const std::optional<size_t> batch = take()) {
    keep(*batch, compute(*batch));
    tell_committed();
  }
}

// The first layers of every batch. The last rank has the results.
void TeamPass::compute_layers(const Compute& compute) {
  for (const size_t batch : batches_) {
    if (has_failed()) return;
    compute(batch);
    tell_committed();
  }
}

void TeamPass::wait_for_others() {
  for (bool is_served = false; !is_served;) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return is_served_ || !committed_.empty(); });
      is_served = is_served_;
    }
    tell_committed();
  }
}

std::optional<size_t> TeamPass::take() {
  const std::lock_guard lock(mutex_);
  if (failure_ || waiting_.empty()) return std::nullopt;
  const size_t batch = waiting_.front();
  waiting_.pop_front();
  return batch;
}

void TeamPass::keep(size_t batch, std::string payload) {
  const std::lock_guard lock(mutex_);
  if (failure_) return;
  commit_(batch, std::move(payload));
  --left_;
  committed_.push_back(batch);
  changed_.notify_one();
}

void TeamPass::tell_committed() {
  std::vector<size_t> committed;
  {
    const std::lock_guard lock(mutex_);
    committed.swap(committed_);
  }
  if (!on_committed_) return;
  for (const size_t batch : committed) on_committed_(batch);
}

void TeamPass::fail(std::exception_ptr failure) {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::move(failure);
  team_.has_failed_ = true;
}

bool TeamPass::has_failed() {
  const std::lock_guard lock(mutex_);
  return failure_ != nullptr;
}

// Ends when every follower knows that the pass is done.
void TeamPass::serve() {
  std::vector<TeamMessage> early;
  Backoff backoff;
  while (static_cast<int>(done_.size()) < team_.size() - 1 && !has_failed()) {
    std::optional<TeamMessage> received = team_.receive();
    if (!received) {
      backoff.wait();
      continue;
    }
    backoff.reset();
    try {
      const bool has_left = TeamMessageReader(received->bytes).kind() != TeamMessageKind::kFailed &&
                            done_.contains(received->from);
      if (has_left) {
        early.push_back(std::move(*received));
      } else {
        answer(*received);
      }
    } catch (...) {
      fail(std::current_exception());
    }
  }
  team_.early_.insert(team_.early_.end(), std::make_move_iterator(early.begin()),
                      std::make_move_iterator(early.end()));
  const std::lock_guard lock(mutex_);
  is_served_ = true;
  changed_.notify_one();
}

void TeamPass::answer(const TeamMessage& received) {
  TeamMessageReader reader(received.bytes);
  switch (reader.kind()) {
    case TeamMessageKind::kHello:
      require_same_plan(received.from, reader);
      ++greeted_;
      break;
    case TeamMessageKind::kResult: {
      const auto batch = static_cast<size_t>(reader.number());
      keep(batch, reader.text());
      break;
    }
    case TeamMessageKind::kFailed: {
      const uint64_t status = reader.number();
      const std::string sentence =
          fmt::format("process {} failed: {}", received.from, reader.text());
      constexpr uint64_t kBadInput = 2;
      if (status == kBadInput) throw Error(sentence);
      throw SystemError(sentence);
    }
    default:
      return;
  }
  if (team_.splits_layers()) {
    advance_split_layers();
  } else {
    hand_out(received.from);
  }
}

// The next batch, or that there is none.
void TeamPass::hand_out(int to) {
  if (const std::optional<size_t> batch = take()) {
    std::string bytes = team_message(TeamMessageKind::kBatch);
    put_number(bytes, *batch);
    team_.send(to, bytes);
    return;
  }
  if (has_failed()) return;
  team_.send(to, team_message(TeamMessageKind::kDone));
  done_.insert(to);
}

// No hidden state may be sent before it is known that all ranks are at the same pass: then all
// learn which batches there are. The pass is done when the last rank has given all results.
void TeamPass::advance_split_layers() {
  if (greeted_ < team_.size() - 1) return;
  if (!told_) {
    std::string bytes = team_message(TeamMessageKind::kBatches);
    for (const size_t batch : batches_) put_number(bytes, batch);
    team_.send_to_followers(bytes);
    told_ = true;
  }
  const std::lock_guard lock(mutex_);
  if (left_ > 0) return;
  team_.send_to_followers(team_message(TeamMessageKind::kDone));
  for (int rank = 1; rank < team_.size(); ++rank) done_.insert(rank);
}

void TeamPass::require_same_plan(int from, TeamMessageReader& reader) const {
  const bool splits = reader.number() != 0;
  const std::string host = reader.text();
  if (splits != team_.splits_layers()) {
    throw Error({.what = fmt::format(
                     "process {} on {} was started {} --split-layers, and process 0 {}", from, host,
                     splits ? "with" : "without", splits ? "was not" : "with it"),
                 .hint = "start all processes with the same options"});
  }
  const std::string fingerprint = reader.text();
  Properties properties;
  while (reader.has_more()) {
    std::string name = reader.text();
    properties.emplace_back(std::move(name), reader.text());
  }
  for (size_t i = 0; i < plan_.made_with.size(); ++i) {
    const auto& [name, value] = plan_.made_with[i];
    const std::string found = i < properties.size() ? properties[i].second : "";
    if (found == value) continue;
    throw Error({.what = fmt::format("process {} on {} has a different {} from process 0", from,
                                     host, name),
                 .expected = value.empty() ? "none" : value,
                 .found = found.empty() ? "none" : found,
                 .hint = "start all processes with the same program, model and data"});
  }
  if (fingerprint != plan_.fingerprint) {
    throw Error(
        fmt::format("process {} on {} divides its work differently from process 0", from, host));
  }
}

}  // namespace palimpsest::run
