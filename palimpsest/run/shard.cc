#include "palimpsest/run/internal/shard.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/random.h"

namespace palimpsest::run {
namespace {

constexpr int64_t kMaxShards = 1'000'000;

// From the first digits of the fingerprint: another plan is shuffled in another way.
uint64_t seed_of(const std::string& fingerprint) {
  constexpr size_t kDigits = 16;
  uint64_t seed = 0;
  const std::string digits = fingerprint.substr(0, kDigits);
  std::from_chars(digits.data(), digits.data() + digits.size(), seed, 16);
  return seed;
}

std::vector<size_t> shuffled(size_t count, Random random) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  for (size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

}  // namespace

std::string Shard::text() const {
  return fmt::format("{}/{}", number, count);
}

std::string Shard::part() const {
  return fmt::format("shard-{}-of-{}", number, count);
}

void require_valid(const Shard& shard) {
  if (shard.count >= 1 && shard.count <= kMaxShards && shard.number >= 1 &&
      shard.number <= shard.count) {
    return;
  }
  const bool has_count = shard.count >= 1 && shard.count <= kMaxShards;
  throw Error({.what = fmt::format("there is no shard {}", shard.text()),
               .where = "--shard",
               .expected = has_count
                               ? fmt::format("1/{} to {}/{}", shard.count, shard.count, shard.count)
                               : fmt::format("I/N, where N is at most {}", kMaxShards)});
}

std::vector<int64_t> shard_owners(const std::string& fingerprint, std::span<const int64_t> work,
                                  int64_t count) {
  std::vector<size_t> order = shuffled(work.size(), Random(seed_of(fingerprint)));
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return work[a] > work[b]; });
  // The least work first; of equal ones the lowest number.
  using Load = std::pair<int64_t, int64_t>;
  std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
  for (int64_t number = 1; number <= std::min(count, std::ssize(work)); ++number)
    loads.emplace(0, number);
  std::vector<int64_t> owners(work.size());
  for (const size_t batch : order) {
    auto [load, number] = loads.top();
    loads.pop();
    owners[batch] = number;
    loads.emplace(load + std::max<int64_t>(work[batch], 1), number);
  }
  return owners;
}

std::vector<size_t> shard_batches(const std::string& fingerprint, std::span<const int64_t> work,
                                  const Shard& shard) {
  const std::vector<int64_t> owners = shard_owners(fingerprint, work, shard.count);
  std::vector<size_t> batches;
  for (size_t i = 0; i < owners.size(); ++i) {
    if (owners[i] == shard.number) batches.push_back(i);
  }
  return batches;
}

}  // namespace palimpsest::run
