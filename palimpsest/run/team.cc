#include "palimpsest/run/team.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <exception>
#include <iterator>
#include <mutex>
#include <thread>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/run/payload.h"

namespace palimpsest::run {
namespace {

enum class Kind : uint64_t {
  // To the leader.
  kHello,   // fingerprint, then names and values: I am at this pass
  kResult,  // batch, payload
  kFailed,  // exit status, sentence
  kBye,     // the last message
  // To a follower.
  kTell,   // text
  kBatch,  // batch
  kDone,   // the pass
  kOver,   // all
};

void put_text(std::string& out, std::string_view text) {
  put_number(out, text.size());
  out += text;
}

std::string message(Kind kind) {
  std::string bytes;
  put_number(bytes, static_cast<uint64_t>(kind));
  return bytes;
}

class MessageReader {
 public:
  explicit MessageReader(const std::string& bytes) : reader_(bytes) {}
  uint64_t number() {
    uint64_t value = 0;
    PALIMPSEST_CHECK(reader_.get(value));
    return value;
  }
  Kind kind() { return static_cast<Kind>(number()); }
  std::string text() {
    std::string_view part;
    PALIMPSEST_CHECK(reader_.take(number(), part));
    return std::string(part);
  }
  bool has_more() const { return reader_.left() > 0; }

 private:
  PayloadReader reader_;
};

// Waits between two looks for a message: shortly at first, since the answer to a message comes soon, and
// then longer, since a batch may take minutes.
class Patience {
 public:
  void reset() { pause_ = kShortest; }
  void wait() {
    std::this_thread::sleep_for(pause_);
    pause_ = std::min(pause_ * 2, kLongest);
  }

 private:
  static constexpr std::chrono::microseconds kShortest{20};
  static constexpr std::chrono::microseconds kLongest{2000};
  std::chrono::microseconds pause_ = kShortest;
};

}  // namespace

// One pass, seen from the leader: its own computing on the calling thread, and the others' requests on
// another.
class Team::Lead {
 public:
  Lead(Team& team, const PartRequirement& plan, const std::vector<size_t>& batches,
       const Commit& commit)
      : team_(team),
        transport_(*team.transport_),
        plan_(plan),
        waiting_(batches.begin(), batches.end()),
        commit_(commit) {}

  void run(const Compute& compute) {
    std::thread server([this] { serve(); });
    try {
      while (const std::optional<size_t> batch = take()) keep(*batch, compute(*batch));
    } catch (...) {
      fail(std::current_exception());
    }
    server.join();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::optional<size_t> take() {
    const std::lock_guard lock(mutex_);
    if (failure_ || waiting_.empty()) return std::nullopt;
    const size_t batch = waiting_.front();
    waiting_.pop_front();
    return batch;
  }
  void keep(size_t batch, std::string payload) {
    const std::lock_guard lock(mutex_);
    if (!failure_) commit_(batch, std::move(payload));
  }
  void fail(std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::move(failure);
  }
  bool has_failed() {
    const std::lock_guard lock(mutex_);
    return failure_ != nullptr;
  }

  // Ends when every follower knows that the pass is done.
  void serve() {
    std::set<int> done;
    std::vector<TeamMessage> early;
    Patience patience;
    while (static_cast<int>(done.size()) < transport_.size() - 1 && !has_failed()) {
      std::optional<TeamMessage> received = team_.receive();
      if (!received) {
        patience.wait();
        continue;
      }
      patience.reset();
      try {
        const bool has_left =
            MessageReader(received->bytes).kind() != Kind::kFailed && done.contains(received->from);
        if (has_left) {
          early.push_back(std::move(*received));
        } else if (answer(*received)) {
          done.insert(received->from);
        }
      } catch (...) {
        fail(std::current_exception());
      }
    }
    team_.early_.insert(team_.early_.end(), std::make_move_iterator(early.begin()),
                        std::make_move_iterator(early.end()));
  }

  // Whether the follower was told that the pass is done.
  bool answer(const TeamMessage& received) {
    MessageReader reader(received.bytes);
    switch (reader.kind()) {
      case Kind::kHello:
        require_same_plan(received.from, reader);
        break;
      case Kind::kResult: {
        const auto batch = static_cast<size_t>(reader.number());
        keep(batch, reader.text());
        break;
      }
      case Kind::kFailed: {
        const uint64_t status = reader.number();
        const std::string sentence =
            fmt::format("process {} failed: {}", received.from, reader.text());
        constexpr uint64_t kBadInput = 2;
        if (status == kBadInput) throw Error(sentence);
        throw SystemError(sentence);
      }
      default:
        return false;
    }
    std::string bytes;
    if (const std::optional<size_t> batch = take()) {
      bytes = message(Kind::kBatch);
      put_number(bytes, *batch);
      transport_.send(received.from, bytes);
      return false;
    }
    if (has_failed()) return false;
    transport_.send(received.from, message(Kind::kDone));
    return true;
  }

  void require_same_plan(int from, MessageReader& reader) const {
    const std::string place = reader.text();
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
      throw Error(
          {.what = fmt::format("process {} on {} has another {} than process 0", from, place, name),
           .expected = value.empty() ? "none" : value,
           .found = found.empty() ? "none" : found,
           .hint = "start all processes with the same program, model and data"});
    }
    if (fingerprint != plan_.fingerprint) {
      throw Error(fmt::format("process {} on {} divides its work in another way than process 0",
                              from, place));
    }
  }

  Team& team_;
  TeamTransport& transport_;
  const PartRequirement& plan_;
  std::mutex mutex_;  // of all that follows
  std::deque<size_t> waiting_;
  const Commit& commit_;
  std::exception_ptr failure_;
};

Team::Team(std::unique_ptr<TeamTransport> transport, std::string place)
    : transport_(std::move(transport)), place_(std::move(place)) {}

Team::~Team() {
  if (!is_leader()) {
    transport_->send(0, message(Kind::kBye));
    return;
  }
  for (int rank = 1; rank < size(); ++rank) transport_->send(rank, message(Kind::kOver));
  Patience patience;
  for (int left = size() - 1; left > 0;) {
    const std::optional<TeamMessage> received = receive();
    if (!received) {
      patience.wait();
    } else if (MessageReader(received->bytes).kind() == Kind::kBye) {
      --left;
    }
  }
}

std::optional<TeamMessage> Team::receive() {
  if (early_.empty()) return transport_->receive();
  TeamMessage first = std::move(early_.front());
  early_.pop_front();
  return first;
}

TeamMessage Team::wait_for_leader() {
  Patience patience;
  for (;;) {
    std::optional<TeamMessage> received = transport_->receive();
    if (!received) {
      patience.wait();
      continue;
    }
    if (MessageReader(received->bytes).kind() == Kind::kOver) throw LeaderEnded();
    return std::move(*received);
  }
}

std::string Team::broadcast(const std::string& of_leader) {
  if (is_leader()) {
    std::string bytes = message(Kind::kTell);
    put_text(bytes, of_leader);
    for (int rank = 1; rank < size(); ++rank) transport_->send(rank, bytes);
    return of_leader;
  }
  const TeamMessage received = wait_for_leader();
  MessageReader reader(received.bytes);
  PALIMPSEST_CHECK(reader.kind() == Kind::kTell);
  return reader.text();
}

std::set<size_t> Team::broadcast_numbers(const std::set<size_t>& of_leader) {
  std::string bytes;
  for (const size_t number : of_leader) put_number(bytes, number);
  const std::string told = broadcast(bytes);
  std::set<size_t> numbers;
  for (MessageReader reader(told); reader.has_more();) numbers.insert(reader.number());
  return numbers;
}

void Team::lead(const PartRequirement& plan, const std::vector<size_t>& batches,
                const Compute& compute, const Commit& commit) {
  PALIMPSEST_CHECK(is_leader());
  Lead(*this, plan, batches, commit).run(compute);
}

void Team::follow(const PartRequirement& plan, const Compute& compute) {
  PALIMPSEST_CHECK(!is_leader());
  std::string hello = message(Kind::kHello);
  put_text(hello, place_);
  put_text(hello, plan.fingerprint);
  for (const auto& [name, value] : plan.made_with) {
    put_text(hello, name);
    put_text(hello, value);
  }
  transport_->send(0, hello);
  for (;;) {
    const TeamMessage received = wait_for_leader();
    MessageReader reader(received.bytes);
    const Kind kind = reader.kind();
    if (kind == Kind::kDone) return;
    PALIMPSEST_CHECK(kind == Kind::kBatch);
    const uint64_t batch = reader.number();
    std::string result = message(Kind::kResult);
    put_number(result, batch);
    put_text(result, compute(static_cast<size_t>(batch)));
    transport_->send(0, result);
  }
}

void Team::report_failure(int status, const std::string& sentence) {
  std::string bytes = message(Kind::kFailed);
  put_number(bytes, static_cast<uint64_t>(status));
  put_text(bytes, fmt::format("{} (on {})", sentence, place_));
  transport_->send(0, bytes);
}

}  // namespace palimpsest::run
