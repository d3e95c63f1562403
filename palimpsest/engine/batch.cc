#include "palimpsest/engine/internal/batch.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "palimpsest/engine/internal/ops.h"

namespace palimpsest::engine {

int64_t Segment::first() const {
  int64_t before = cached;
  for (const CachedTokens& tokens : context) before += tokens.count;
  return before;
}

void KvCache::reserve(int64_t layer, int64_t rows, int64_t kept, int64_t width, Ops& ops) {
  for (Matrix* side : {&keys[layer], &values[layer]}) {
    if (side->defined() && side->rows() >= rows) continue;
    // Half as much again, so that a cache that grows by a token per step is copied rarely. Memory
    // that is never written costs nothing.
    const int64_t grown_size = side->defined() ? side->rows() * 3 / 2 : expected;
    const Matrix grown = ops.make(std::max(rows, grown_size), width);
    if (side->defined() && kept > 0) ops.copy(side->slice(0, kept), grown.slice(0, kept));
    *side = grown;
  }
}

RotaryTables::RotaryTables(const model::Architecture& architecture, const Batch& batch) {
  for (const model::Rotary& rotary : architecture.rotations()) {
    tables_.push_back(rotary_table(rotary, batch));
  }
}

RotaryTable rotary_table(const model::Rotary& rotary, const Batch& batch) {
  RotaryTable table;
  table.half = rotary.dims / 2;
  table.cosine.resize(batch.ids.size() * static_cast<size_t>(table.half));
  table.sine.resize(table.cosine.size());
  std::map<int64_t, std::vector<float>> frequencies;  // by class of length
  const float factor = static_cast<float>(rotary.attention_factor);
  for (size_t row = 0; row < batch.ids.size(); ++row) {
    const int64_t length = batch.rope_lengths[row];
    auto [found, fresh] = frequencies.try_emplace(model::rotary_length_class(rotary, length));
    if (fresh) found->second = model::rotary_frequencies(rotary, length);
    const float position = static_cast<float>(batch.positions[row]);
    for (size_t i = 0; i < static_cast<size_t>(table.half); ++i) {
      const float angle = position * found->second[i];
      const size_t index = row * static_cast<size_t>(table.half) + i;
      table.cosine[index] = std::cos(angle) * factor;
      table.sine[index] = std::sin(angle) * factor;
    }
  }
  return table;
}

}  // namespace palimpsest::engine
