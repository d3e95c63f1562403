// The weights of a checkpoint as the decoder wants them: fused projections in one matrix, adapters
// merged, every shape checked. Layers are read when they are asked for, so that the same source
// serves a model that stays in memory and one that is streamed through it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/base/worker_pool.h"
#include "palimpsest/engine/matrix.h"
#include "palimpsest/model/adapter.h"
#include "palimpsest/model/architecture.h"
#include "palimpsest/model/checkpoint.h"

namespace palimpsest::engine {

struct LinearWeights {
  Matrix weight;  // [outputs, inputs]; there may be room between the rows; float32 or 16 bits
  Matrix bias;    // [1, outputs]; undefined if there is none
};

struct NormWeights {
  Matrix weight;  // [1, width]; undefined if there is no such norm
  Matrix bias;    // [1, width] or undefined
  NormKind kind = NormKind::kRms;
  double epsilon = 1e-6;
};

struct LayerWeights {
  LayerKind kind;
  NormWeights attention_norm, query_norm, key_norm, attention_post_norm, mlp_norm, mlp_post_norm;
  LinearWeights query_key_value, attention_out, mlp_in, mlp_out;
};

// All of a model's weights.
struct ModelWeights {
  Matrix embedding;  // [V, D]
  Matrix positions;  // [max_positions, D]; undefined for rotary models
  std::vector<LayerWeights> layers;
  NormWeights final_norm;
  Matrix head;       // [V, D]; the embedding itself if tied
  Matrix head_bias;  // [1, V] or undefined
};

// Where a matrix that has been read goes: Ops::place() behind a function (see place_with()).
using Place = std::function<Matrix(const Matrix&)>;

// The same weights with every matrix where `place` puts it.
NormWeights placed(NormWeights norm, const Place& place);
LayerWeights placed(LayerWeights layer, const Place& place);

// How weights are kept that are stored in 16 bits.
enum class WeightWidth {
  kFloat32,  // widened when they are read
  kStored,   // matrices as they are, widened inside each product
};

class WeightSource {
 public:
  // `adapter` may be empty. Throws Error if a tensor is missing or has another shape, for every layer at
  // once, before any weight is read.
  WeightSource(Architecture architecture, Checkpoint checkpoint, std::optional<Adapter> adapter,
               WorkerPool& pool, WeightWidth width = WeightWidth::kFloat32);

  // Nothing will be read twice: the files' pages need not stay in memory once they are read.
  void release_after_reading() { read_once_ = true; }

  // Each matrix is placed as soon as its layer has been read: what goes to a device, or becomes
  // narrower, is never in host memory as a whole. Without `place` everything stays as it was read.
  ModelWeights all(const Place& place = [](const Matrix& read) { return read; }) const;
  LayerWeights layer(int64_t index) const;
  NormWeights final_norm() const;
  Matrix positions() const;
  Matrix head_bias() const;

  // Rows [begin, end) of the embedding or of the head (which may be the same tensor), [n, D].
  Matrix embedding_rows(int64_t begin, int64_t end) const;
  Matrix head_rows(int64_t begin, int64_t end) const;
  // One row of the embedding into out[0, D).
  void embedding_row(int64_t id, float* out) const;

  const Architecture& architecture() const { return architecture_; }
  const Checkpoint& checkpoint() const { return checkpoint_; }

 private:
  const StoredTensor& tensor(const std::string& name) const;
  void read(const std::string& name, const Matrix& out) const;
  void read_rows(const std::string& name, int64_t begin, int64_t end, float* out,
                 int64_t stride) const;
  Matrix read_vector(const std::string& name) const;
  NormWeights norm(const std::optional<NormSpec>& spec, int64_t layer) const;
  LinearWeights linear(const LinearSpec& spec, int64_t layer) const;
  void merge_updates(const std::string& name, int64_t first_row, const Matrix& rows) const;
  bool is_updated(const std::string& name) const;
  DType kept_type(const std::vector<std::string>& names) const;
  void narrow(const Matrix& wide, const Matrix& out) const;
  Matrix vocabulary_rows(const std::string& name, int64_t begin, int64_t end) const;

  Architecture architecture_;
  Checkpoint checkpoint_;
  std::optional<Adapter> adapter_;
  WorkerPool& pool_;
  WeightWidth width_;
  bool read_once_ = false;
};

// Rows of a fused matrix (or numbers of a bias [1, outputs]) from "each head's query, key, value"
// to "all queries, all keys, all values": row (part, head, i) of the result is row (head, part, i)
// of the input. `back` does the reverse.
Matrix rows_by_part(const Matrix& fused, int64_t heads, int64_t head_dim, bool back = false);

// Memory for a float32 weight, with room between the rows where they would meet in a cache.
Matrix weight_matrix(int64_t rows, int64_t columns);

}  // namespace palimpsest::engine
