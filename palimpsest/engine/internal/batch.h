// Tokens that run through the decoder together: pieces of sequences, packed back to back without
// padding. A piece attends to the pieces before it (a shared prompt, what its cache holds) and to
// itself, never to its neighbours in the batch.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "palimpsest/engine/matrix.h"
#include "palimpsest/model/architecture.h"

namespace palimpsest::engine {

class Ops;

// Keys and values of consecutive tokens, every layer's. How many rows are valid is known to whoever
// refers to it.
struct KvCache {
  std::vector<Matrix> keys;     // one per layer: [capacity, kv_heads · head_dim]
  std::vector<Matrix> values;   // likewise
  std::vector<uint8_t> hidden;  // a flag per token, or empty: none is hidden
  int64_t expected = 0;         // rows that it will hold in the end; more are possible

  explicit KvCache(int64_t layers, int64_t expected_rows = 0)
      : keys(layers), values(layers), expected(expected_rows) {}
  // Makes room in one layer for `rows` rows of `width` numbers and keeps the first `kept`.
  void reserve(int64_t layer, int64_t rows, int64_t kept, int64_t width, Ops& ops);
};

// The first `count` tokens of a cache.
struct CachedTokens {
  std::shared_ptr<KvCache> cache;
  int64_t count = 0;
};

struct Segment {
  int64_t row = 0;                    // of its first token in the batch
  int64_t count = 0;                  // tokens
  std::vector<CachedTokens> context;  // what comes before it, in order
  // Where its own keys are written, after the `cached` tokens that are there already; may be null.
  // The cache's flags cover the new tokens before the batch runs.
  std::shared_ptr<KvCache> cache;
  int64_t cached = 0;
  std::vector<uint8_t> hidden;  // of its own tokens if it has no cache; empty: none

  // Index of its first token in the sequence: the keys before it.
  int64_t first() const;
};

struct Batch {
  std::vector<int64_t> ids;
  std::vector<int64_t> positions;     // for rotary or learned positions
  std::vector<int64_t> rope_lengths;  // the length of the sequence that the frequencies are for
  std::vector<Segment> segments;

  int64_t rows() const { return static_cast<int64_t>(ids.size()); }
};

// Cosine and sine of every token's angles, [rows, dims / 2] each.
struct RotaryTable {
  std::vector<float> cosine;
  std::vector<float> sine;
  int64_t half = 0;
};
RotaryTable rotary_table(const model::Rotary& rotary, const Batch& batch);

// The tables of all layers, each computed once however many layers share it.
class RotaryTables {
 public:
  RotaryTables(const model::Architecture& architecture, const Batch& batch);
  // Empty (half = 0) for a layer that rotates nothing.
  const RotaryTable& of(const model::LayerKind& layer) const {
    return layer.rotation < 0 ? none_ : tables_[static_cast<size_t>(layer.rotation)];
  }

 private:
  std::vector<RotaryTable> tables_;
  RotaryTable none_;
};

}  // namespace palimpsest::engine
