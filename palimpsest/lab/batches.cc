#include "palimpsest/lab/batches.h"

#include <algorithm>
#include <numeric>

#include "palimpsest/base/error.h"

namespace palimpsest::lab {
namespace {

Shard make_shard(const std::vector<Example>& examples, std::span<const int64_t> members) {
  Shard shard{.sequences = std::ssize(members)};
  shard.members.assign(members.begin(), members.end());
  for (const int64_t member : members) {
    shard.length =
        std::max<int64_t>(shard.length, std::ssize(examples[static_cast<size_t>(member)].ids));
  }
  shard.ids.assign(static_cast<size_t>(shard.sequences * shard.length), 0);
  for (int64_t b = 0; b < shard.sequences; ++b) {
    const Example& example = examples[static_cast<size_t>(members[static_cast<size_t>(b)])];
    std::ranges::copy(example.ids, shard.ids.begin() + b * shard.length);
    for (int64_t t = 1; t < std::ssize(example.labels); ++t) {
      const int64_t label = example.labels[static_cast<size_t>(t)];
      if (label == kIgnoredLabel) continue;
      shard.rows.push_back(b * shard.length + t - 1);
      shard.targets.push_back(label);
      shard.owners.push_back(b);
    }
  }
  return shard;
}

}  // namespace

Batch make_batch(const std::vector<Example>& examples, std::vector<int64_t> members) {
  const auto count = std::ssize(members);
  PALIMPSEST_CHECK(count > 0);
  std::ranges::stable_sort(members, {}, [&](int64_t member) {
    return examples[static_cast<size_t>(member)].ids.size();
  });
  Batch batch{.sequences = count};
  const int64_t parts = std::min<int64_t>(kShards, count);
  for (int64_t i = 0; i < parts; ++i) {
    const auto begin = static_cast<size_t>(i * count / parts);
    const auto end = static_cast<size_t>((i + 1) * count / parts);
    batch.shards.push_back(make_shard(examples, std::span(members).subspan(begin, end - begin)));
    batch.num_labels += batch.shards.back().num_labels();
  }
  return batch;
}

std::vector<int64_t> shuffled(int64_t count, Random random) {
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), int64_t{0});
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

std::vector<std::vector<int64_t>> plan_epoch(int64_t count, int64_t batch_size, Random random) {
  PALIMPSEST_CHECK(batch_size > 0);
  const std::vector<int64_t> order = shuffled(count, random);
  std::vector<std::vector<int64_t>> batches;
  for (int64_t begin = 0; begin < count; begin += batch_size) {
    const int64_t end = std::min(begin + batch_size, count);
    batches.emplace_back(order.begin() + begin, order.begin() + end);
  }
  return batches;
}

}  // namespace palimpsest::lab
