// The weights of a checkpoint in the form that the decoder needs: fused projections in one matrix,
// adapters merged, every shape checked. Layers are read when they are requested, so the same class
// serves models that stay in memory and models that are streamed layer by layer.
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
  Matrix weight;  // [outputs, inputs]; rows may be padded; float32 or 16 bits
  Matrix bias;    // [1, outputs]; undefined if there is none
};

struct NormWeights {
  Matrix weight;  // [1, width]; undefined if there is no such norm
  Matrix bias;    // [1, width] or undefined
  kernels::NormKind kind = kernels::NormKind::kRms;
  double epsilon = 1e-6;
};

struct LayerWeights {
  model::LayerKind kind;
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

// Moves a matrix that has been read to where it is used. It wraps Ops::to_device() (see
// to_device_with() in internal/decoder.h).
using ToDevice = std::function<Matrix(const Matrix&)>;

// The same weights with every matrix moved by `to_device`.
NormWeights moved_to_device(NormWeights norm, const ToDevice& to_device);
LayerWeights moved_to_device(LayerWeights layer, const ToDevice& to_device);

// How weights that are stored in 16 bits are kept in memory.
enum class WeightWidth {
  kFloat32,  // widened when they are read
  kStored,   // matrices as they are, widened inside each product
};

class WeightSource {
 public:
  // `adapter` may be empty. Checks the tensors of all layers before any weight is read, and throws
  // Error if one is missing or has an unexpected shape.
  WeightSource(model::Architecture architecture, model::Checkpoint checkpoint,
               std::optional<model::Adapter> adapter, WorkerPool& pool,
               WeightWidth width = WeightWidth::kFloat32);

  // Promises that nothing will be read twice, so that the pages of the files need not stay in
  // memory after reading.
  void release_after_reading() { read_once_ = true; }

  // Each matrix is moved as soon as its layer has been read, so weights that go to a device or
  // become narrower are never all in host memory at once. By default everything stays as it was
  // read.
  ModelWeights all(const ToDevice& to_device = [](const Matrix& read) { return read; }) const;
  LayerWeights layer(int64_t index) const;
  NormWeights final_norm() const;
  Matrix positions() const;
  Matrix head_bias() const;

  // Rows [begin, end) of the embedding or of the head (which may be the same tensor), [n, D].
  Matrix embedding_rows(int64_t begin, int64_t end) const;
  Matrix head_rows(int64_t begin, int64_t end) const;
  // One row of the embedding into out[0, D).
  void embedding_row(int64_t id, float* out) const;

  const model::Architecture& architecture() const { return architecture_; }
  const model::Checkpoint& checkpoint() const { return checkpoint_; }

 private:
  const model::StoredTensor& tensor(const std::string& name) const;
  void read(const std::string& name, const Matrix& out) const;
  void read_rows(const std::string& name, int64_t begin, int64_t end, float* out,
                 int64_t stride) const;
  Matrix read_vector(const std::string& name) const;
  NormWeights norm(const std::optional<model::NormSpec>& spec, int64_t layer) const;
  LinearWeights linear(const model::LinearSpec& spec, int64_t layer) const;
  void merge_updates(const std::string& name, int64_t first_row, const Matrix& rows) const;
  bool is_updated(const std::string& name) const;
  kernels::DType kept_type(const std::vector<std::string>& names) const;
  void narrow(const Matrix& wide, const Matrix& out) const;
  Matrix vocabulary_rows(const std::string& name, int64_t begin, int64_t end) const;

  model::Architecture architecture_;
  model::Checkpoint checkpoint_;
  std::optional<model::Adapter> adapter_;
  WorkerPool& pool_;
  WeightWidth width_;
  bool read_once_ = false;
};

// Reorders the rows of a fused matrix (or the numbers of a bias [1, outputs]) from "each head's
// query, key, value" to "all queries, all keys, all values": row (part, head, i) of the result is
// row (head, part, i) of the input. If `back` is true, the reverse is done.
Matrix rows_by_part(const Matrix& fused, int64_t heads, int64_t head_dim, bool back = false);

// Memory for a float32 weight. The rows are padded if they would otherwise fall into the same
// places of a cache.
Matrix weight_matrix(int64_t rows, int64_t columns);

}  // namespace palimpsest::engine
