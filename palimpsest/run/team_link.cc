#include "palimpsest/run/internal/team_link.h"

#include <chrono>
#include <cstring>
#include <optional>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/run/internal/backoff.h"

namespace palimpsest::run {
namespace {

// Blocks that may wait at either end.
constexpr int kAhead = 2;

}  // namespace

TeamLink::TeamLink(TeamTransport& transport, std::function<void()> throw_if_failed)
    : transport_(transport), throw_if_failed_(std::move(throw_if_failed)) {
  if (transport_.rank() > 0) {
    for (int i = 0; i < kAhead; ++i) allow_next_block();
  }
  sender_ = std::thread([this] { deliver(); });
  listener_ = std::thread([this] { listen(); });
}

TeamLink::~TeamLink() {
  stop_sending();
  {
    const std::lock_guard lock(mutex_);
    listens_ = false;
  }
  listener_.join();
}

void TeamLink::stop_sending() {
  {
    const std::lock_guard lock(mutex_);
    sends_ = false;
  }
  changed_.notify_all();
  if (sender_.joinable()) sender_.join();
}

// An empty message to the rank before: there is room for one more.
void TeamLink::allow_next_block() {
  transport_.send(transport_.rank() - 1, "", TeamChannel::kBlocks);
}

void TeamLink::deliver() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return !sends_ || (allowed_ > 0 && !outgoing_.empty()); });
    if (!sends_) return;
    const std::string block = std::move(outgoing_.front());
    outgoing_.pop_front();
    --allowed_;
    lock.unlock();
    changed_.notify_all();
    transport_.send(transport_.rank() + 1, block, TeamChannel::kBlocks);
    lock.lock();
  }
}

void TeamLink::listen() {
  Backoff backoff;
  std::unique_lock lock(mutex_);
  while (listens_) {
    lock.unlock();
    std::optional<TeamMessage> received = transport_.receive(TeamChannel::kBlocks);
    if (received) {
      backoff.reset();
    } else {
      backoff.wait();
    }
    lock.lock();
    if (!received) continue;
    if (received->from > transport_.rank()) {
      ++allowed_;
    } else {
      incoming_.push_back(std::move(received->bytes));
    }
    changed_.notify_all();
  }
}

template <class Ready>
void TeamLink::wait_until(std::unique_lock<std::mutex>& lock, const Ready& ready) {
  constexpr std::chrono::milliseconds kBetweenLooks{20};
  while (!changed_.wait_for(lock, kBetweenLooks, ready)) {
    lock.unlock();
    throw_if_failed_();
    lock.lock();
  }
}

void TeamLink::send(std::span<const float> block) {
  throw_if_failed_();
  std::string bytes(block.size_bytes(), '\0');
  std::memcpy(bytes.data(), block.data(), block.size_bytes());
  {
    std::unique_lock lock(mutex_);
    wait_until(lock, [&] { return std::ssize(outgoing_) < kAhead; });
    outgoing_.push_back(std::move(bytes));
  }
  changed_.notify_all();
}

void TeamLink::receive(std::span<float> block) {
  throw_if_failed_();
  std::string bytes;
  {
    std::unique_lock lock(mutex_);
    wait_until(lock, [&] { return !incoming_.empty(); });
    bytes = std::move(incoming_.front());
    incoming_.pop_front();
  }
  allow_next_block();
  PALIMPSEST_CHECK(bytes.size() == block.size_bytes());
  std::memcpy(block.data(), bytes.data(), bytes.size());
}

}  // namespace palimpsest::run
