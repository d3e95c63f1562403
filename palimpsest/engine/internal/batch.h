// Tokens that run through the decoder together: segments of sequences, packed back to back without
// padding. A segment attends to itself and to the segments before it in its own sequence (such as a
// shared prompt or the content of its cache), but never to its neighbours in the batch.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "palimpsest/engine/internal/matrix.h"
#include "palimpsest/model/internal/architecture.h"

namespace palimpsest::engine {

class Ops;

// The keys and values of consecutive tokens, for every layer. The code that refers to a cache knows
// how many rows are valid.
struct KvCache {
  std::vector<Matrix> keys;     // one per layer: [capacity, kv_heads · head_dim]
  std::vector<Matrix> values;   // the same for the values
  std::vector<uint8_t> hidden;  // one flag per token; empty: none is hidden
  int64_t expected = 0;         // number of rows that it will probably hold; more are possible

  explicit KvCache(int64_t layers, int64_t expected_rows = 0)
      : keys(layers), values(layers), expected(expected_rows) {}
  // Makes room in one layer for `rows` rows of `width` numbers. The first `kept` rows are
  // preserved.
  void reserve(int64_t layer, int64_t rows, int64_t kept, int64_t width, Ops& ops);
};

// The first `count` tokens of a cache.
struct CachedTokens {
  std::shared_ptr<KvCache> cache;
  int64_t count = 0;
};

struct Segment {
  int64_t row = 0;                    // the row of its first token in the batch
  int64_t count = 0;                  // number of tokens
  std::vector<CachedTokens> context;  // the tokens before it, in order
  // The cache to which its own keys are appended, after the `cached` tokens that it already holds;
  // may be null. The cache's `hidden` flags must cover the new tokens before the batch runs.
  std::shared_ptr<KvCache> cache;
  int64_t cached = 0;
  std::vector<uint8_t> hidden;  // flags of its own tokens, if it has no cache; empty: none

  // The index of its first token in the sequence, which is the number of keys before it.
  int64_t first() const;
};

struct Batch {
  std::vector<int64_t> ids;
  std::vector<int64_t> positions;  // for rotary or learned positions
  // The sequence length for which the rotary frequencies are computed.
  std::vector<int64_t> rope_lengths;
  std::vector<Segment> segments;

  int64_t rows() const { return static_cast<int64_t>(ids.size()); }
};

// The cosine and sine of every token's angles, each [rows, dims / 2].
struct RotaryTable {
  std::vector<float> cosine;
  std::vector<float> sine;
  int64_t half = 0;
};
RotaryTable rotary_table(const model::Rotary& rotary, const Batch& batch);

// The tables of all layers. Each is computed once, however many layers share it.
class RotaryTables {
 public:
  RotaryTables(const model::Architecture& architecture, const Batch& batch);
  // Empty (half = 0) for a layer without rotary positions.
  const RotaryTable& of(const model::LayerKind& layer) const {
    return layer.rotation < 0 ? none_ : tables_[static_cast<size_t>(layer.rotation)];
  }

 private:
  std::vector<RotaryTable> tables_;
  RotaryTable none_;
};

}  // namespace palimpsest::engine
