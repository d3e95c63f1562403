#include "palimpsest/lab/internal/batches.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "palimpsest/base/error.h"

namespace palimpsest::lab {

Batch make_batch(const std::vector<data::Example>& examples, std::vector<int64_t> members) {
  Batch batch{.members = std::move(members)};
  for (const int64_t member : batch.members) {
    const data::Example& example = examples[static_cast<size_t>(member)];
    batch.sequences.push_back({.ids = example.ids, .labels = example.labels});
    // Nothing predicts position 0.
    const int64_t length =
        example.labels.empty()
            ? 0
            : std::count_if(example.labels.begin() + 1, example.labels.end(),
                            [](int64_t label) { return label != kIgnoredLabel; });
    batch.lengths.push_back(length);
    batch.num_labels += length;
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
