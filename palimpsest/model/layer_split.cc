#include "palimpsest/model/internal/layer_split.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/checked.h"

namespace palimpsest::model {
namespace {

// Elements of the weights of a model, by what has to stay together.
struct Sizes {
  int64_t layer = 0;
  int64_t first = 0;  // the embedding and learned positions
  int64_t last = 0;   // the final norm and the head
  int64_t head = 0;   // the matrix of the head alone
  int64_t tied = 0;   // what `first` and `last` share
};

Sizes sizes_of(const Architecture& architecture) {
  Architecture some = architecture;
  Sizes sizes;
  some.num_layers = 0;
  for (const Parameter& parameter : parameters(some)) {
    const int64_t elements = num_elements(parameter);
    const bool is_first = parameter.name == some.embedding || parameter.name == some.positions;
    int64_t& sum = is_first ? sizes.first : sizes.last;
    sum = checked_add(sum, elements);
    if (parameter.name == some.embedding) sizes.head = elements;  // of the same shape
  }
  if (!some.head) {
    sizes.tied = sizes.head;
    sizes.last = checked_add(sizes.last, sizes.tied);
  }
  some.num_layers = 1;
  sizes.layer = num_parameters(some) - (sizes.first + sizes.last - sizes.tied);
  return sizes;
}

// Divides the layers among the stages so that the sum of a cost over all stages is least.
class Divider {
 public:
  Divider(const Architecture& architecture, int64_t count)
      : layers_(architecture.num_layers), count_(count), sizes_(sizes_of(architecture)) {
    checked_add(checked_mul(sizes_.layer, layers_), checked_add(sizes_.first, sizes_.last));
  }

  StagePart part(int64_t begin, int64_t end) const {
    int64_t elements = sizes_.layer * (end - begin);
    if (begin == 0) elements += sizes_.first;
    if (end == layers_) elements += sizes_.last;
    if (begin == 0 && end == layers_) elements -= sizes_.tied;
    return {.first_layer = begin, .end_layer = end, .elements = elements};
  }

  // The number of elements that the largest part has at least.
  int64_t least_bound() const {
    int64_t low = 0;
    int64_t high = part(0, layers_).elements;
    while (low + 1 < high) {
      const int64_t middle = low + (high - low) / 2;
      (fits(middle) ? high : low) = middle;
    }
    return high;
  }

  std::vector<StagePart> divide(int64_t bound) const {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    const auto stages = static_cast<size_t>(count_);
    const auto boundaries = static_cast<size_t>(layers_) + 1;
    // best[s][e]: the least cost of the first s stages with the layers [0, e).
    std::vector<std::vector<double>> best(stages + 1, std::vector<double>(boundaries, kNever));
    std::vector<std::vector<size_t>> from(stages + 1, std::vector<size_t>(boundaries));
    best[0][0] = 0;
    for (size_t s = 1; s <= stages; ++s) {
      for (size_t end = s; end < boundaries; ++end) {
        for (size_t begin = s - 1; begin < end; ++begin) {
          const StagePart one = part(static_cast<int64_t>(begin), static_cast<int64_t>(end));
          if (one.elements > bound) continue;
          const double cost = best[s - 1][begin] + cost_of(one);
          if (cost >= best[s][end]) continue;
          best[s][end] = cost;
          from[s][end] = begin;
        }
      }
    }
    std::vector<StagePart> parts;
    size_t end = boundaries - 1;
    PALIMPSEST_CHECK(best[stages][end] < kNever);
    for (size_t s = stages; s > 0; --s) {
      parts.push_back(part(static_cast<int64_t>(from[s][end]), static_cast<int64_t>(end)));
      end = from[s][end];
    }
    std::ranges::reverse(parts);
    return parts;
  }

 private:
  // The square of the weights that a token is multiplied with: the sum over the stages is least
  // where they are alike.
  double cost_of(const StagePart& one) const {
    const double work = static_cast<double>(sizes_.layer) * static_cast<double>(one.layers()) +
                        (one.end_layer == layers_ ? static_cast<double>(sizes_.head) : 0);
    return work * work;
  }

  // Whether parts of at most so many elements are possible: each takes as many layers as it can
  // while one is left for each stage that follows.
  bool fits(int64_t bound) const {
    int64_t begin = 0;
    for (int64_t stage = 0; stage < count_; ++stage) {
      int64_t end = begin + 1;
      if (part(begin, end).elements > bound) return false;
      while (end < layers_ - (count_ - stage - 1) && part(begin, end + 1).elements <= bound) ++end;
      begin = end;
    }
    return begin == layers_;
  }

  int64_t layers_;
  int64_t count_;
  Sizes sizes_;
};

}  // namespace

std::vector<StagePart> split_layers(const Architecture& architecture, int64_t count) {
  PALIMPSEST_CHECK(count > 0);
  if (count > architecture.num_layers) {
    throw Error(
        {.what = fmt::format("the {} layers of the model cannot be split among {} processes",
                             architecture.num_layers, count),
         .hint = fmt::format("start at most {} processes", architecture.num_layers)});
  }
  const Divider divider(architecture, count);
  const int64_t least = divider.least_bound();
  constexpr int64_t kAnEighth = 8;
  return divider.divide(checked_add(least, least / kAnEighth));
}

MemoryNeed stage_need(const StagePart& part, const Architecture& architecture,
                      const MemoryNeed& whole, int64_t number_bytes) {
  constexpr int64_t k16BitBytes = 2;
  MemoryNeed need = whole;
  need.resident_weights = checked_mul(part.elements, number_bytes);
  if (whole.weights_16bit > 0) need.weights_16bit = checked_mul(part.elements, k16BitBytes);
  need.cache_per_token = whole.cache_per_token / architecture.num_layers * part.layers();
  return need;
}

}  // namespace palimpsest::model
