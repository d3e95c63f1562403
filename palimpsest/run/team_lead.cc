#include "palimpsest/run/internal/team_lead.h"

#include <fmt/format.h>

#include <iterator>
#include <thread>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/run/internal/backoff.h"
#include "palimpsest/run/internal/parts.h"

namespace palimpsest::run {

Team::Lead::Lead(Team& team, const PartRequirement& plan, const std::vector<size_t>& batches,
                 const Commit& commit)
    : team_(team),
      plan_(plan),
      batches_(batches),
      commit_(commit),
      waiting_(batches.begin(), batches.end()),
      left_(batches.size()) {}

void Team::Lead::run(const Compute& compute) {
  std::thread server([this] { serve(); });
  try {
    if (team_.splits_layers()) {
      compute_layers(compute);
    } else {
      compute_free_batches(compute);
    }
  } catch (...) {
    fail(std::current_exception());
  }
  server.join();
  if (failure_) std::rethrow_exception(failure_);
}

void Team::Lead::compute_free_batches(const Compute& compute) {
  while (const std::optional<size_t> batch = take()) keep(*batch, compute(*batch));
}

// The first layers of every batch. The last rank has the results.
void Team::Lead::compute_layers(const Compute& compute) {
  for (const size_t batch : batches_) {
    if (has_failed()) return;
    compute(batch);
  }
}

std::optional<size_t> Team::Lead::take() {
  const std::lock_guard lock(mutex_);
  if (failure_ || waiting_.empty()) return std::nullopt;
  const size_t batch = waiting_.front();
  waiting_.pop_front();
  return batch;
}

void Team::Lead::keep(size_t batch, std::string payload) {
  const std::lock_guard lock(mutex_);
  if (failure_) return;
  commit_(batch, std::move(payload));
  --left_;
}

void Team::Lead::fail(std::exception_ptr failure) {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::move(failure);
  team_.has_failed_ = true;
}

bool Team::Lead::has_failed() {
  const std::lock_guard lock(mutex_);
  return failure_ != nullptr;
}

// Ends when every follower knows that the pass is done.
void Team::Lead::serve() {
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
}

void Team::Lead::answer(const TeamMessage& received) {
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
void Team::Lead::hand_out(int to) {
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

// No hidden state may be sent before it is known that all ranks are at the same pass: then all learn
// which batches there are. The pass is done when the last rank has given all results.
void Team::Lead::advance_split_layers() {
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

void Team::Lead::require_same_plan(int from, TeamMessageReader& reader) const {
  const bool splits = reader.number() != 0;
  const std::string place = reader.text();
  if (splits != team_.splits_layers()) {
    throw Error({.what = fmt::format(
                     "process {} on {} was started {} --split-layers, and process 0 {}", from,
                     place, splits ? "with" : "without", splits ? "was not" : "with it"),
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
    throw Error({.what = fmt::format("process {} on {} has a different {} from process "
                                     "0",
                                     from, place, name),
                 .expected = value.empty() ? "none" : value,
                 .found = found.empty() ? "none" : found,
                 .hint = "start all processes with the same program, model and data"});
  }
  if (fingerprint != plan_.fingerprint) {
    throw Error(
        fmt::format("process {} on {} divides its work differently from process 0", from, place));
  }
}

}  // namespace palimpsest::run
