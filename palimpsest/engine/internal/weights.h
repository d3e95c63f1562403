// Reads the weights of a checkpoint in the form that the decoder needs: query, key and value
// projections in one matrix, adapters merged, and every shape checked. Layers are read on request.
// So the same class serves models that stay in memory and models that are streamed layer by layer.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/base/internal/worker_pool.h"
#include "palimpsest/engine/internal/matrix.h"
#include "palimpsest/model/internal/adapter.h"
#include "palimpsest/model/internal/architecture.h"
#include "palimpsest/model/internal/checkpoint.h"

namespace palimpsest::engine {

struct LinearWeights {
  Matrix weight;  // [outputs, inputs]; rows may be padded; float32 or a 16-bit type
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

// Calls visit(specification, weights) for every norm and every linear map of a layer, in the order
// in which the layer computes them.
template <class Visit>
void for_each_part(const model::LayerSpec& spec, const LayerWeights& layer, const Visit& visit) {
  visit(spec.attention_norm, layer.attention_norm);
  visit(spec.query_key_value, layer.query_key_value);
  visit(spec.query_norm, layer.query_norm);
  visit(spec.key_norm, layer.key_norm);
  visit(spec.attention_out, layer.attention_out);
  visit(spec.attention_post_norm, layer.attention_post_norm);
  visit(spec.mlp_norm, layer.mlp_norm);
  visit(spec.mlp_in, layer.mlp_in);
  visit(spec.mlp_out, layer.mlp_out);
  visit(spec.mlp_post_norm, layer.mlp_post_norm);
}

// All weights of a model. V is the size of the vocabulary, D the size of the hidden state.
struct ModelWeights {
  Matrix embedding;  // [V, D]
  Matrix positions;  // [max_positions, D]; undefined for rotary models
  std::vector<LayerWeights> layers;
  NormWeights final_norm;
  Matrix head;       // [V, D]; the embedding itself if tied
  Matrix head_bias;  // [1, V] or undefined
};

// Moves a matrix to the place where it is used, after it has been read. to_device_with() in
// internal/decoder.h makes such a function from Ops::to_device().
using ToDevice = std::function<Matrix(const Matrix&)>;

// The same weights with every matrix moved by `to_device`.
NormWeights moved_to_device(NormWeights norm, const ToDevice& to_device);
LayerWeights moved_to_device(LayerWeights layer, const ToDevice& to_device);

// How weights that are stored in 16 bits are kept in memory.
enum class WeightWidth {
  kFloat32,  // widened to float32 when they are read
  kStored,   // matrices stay in 16 bits and are widened inside each matmul
};

// `pool` must outlive the source. Must be used by one thread at a time, because it uses the pool.
class WeightSource {
 public:
  // `adapter` may be empty. Checks the tensors of all layers before any weight is read, and throws
  // Error if one is missing or has an unexpected shape.
  WeightSource(model::Architecture architecture, model::Checkpoint checkpoint,
               std::optional<model::Adapter> adapter, WorkerPool& pool,
               WeightWidth width = WeightWidth::kFloat32);

  // Promises that no weight will be read twice, so the system may drop the pages of the files after
  // reading.
  void release_after_reading() { read_once_ = true; }

  // Reads all weights. Each matrix is moved by `to_device` as soon as its layer has been read. So
  // weights that go to a device, or that `to_device` converts to a narrower type, are never all in
  // host memory at once. By default nothing is moved.
  ModelWeights all(const ToDevice& to_device = [](const Matrix& read) { return read; }) const;
  // The same for the layers [begin, end) alone. ModelWeights::layers has an entry for every layer,
  // but the entries of the other layers are empty. The embedding and the positions are read only if
  // the range begins with the first layer of the model. The final norm and the head are read only
  // if it ends with the last one.
  ModelWeights part(int64_t begin, int64_t end, const ToDevice& to_device) const;
  LayerWeights layer(int64_t index) const;
  NormWeights final_norm() const;
  Matrix positions() const;
  Matrix head_bias() const;

  // Rows [begin, end) of the embedding or of the head, as a matrix [n, D]. The two may be the same
  // tensor.
  Matrix embedding_rows(int64_t begin, int64_t end) const;
  Matrix head_rows(int64_t begin, int64_t end) const;
  // Copies one row of the embedding to out[0, D).
  void embedding_row(int64_t id, float* out) const;

  const model::Architecture& architecture() const { return architecture_; }
  const model::Checkpoint& checkpoint() const { return checkpoint_; }

 private:
  const model::StoredTensor& tensor(const std::string& name) const;
  void read(const std::string& name, const Matrix& out) const;
  void read_rows(const std::string& name, int64_t begin, int64_t end, float* out,
                 int64_t stride) const;
  Matrix read_vector(const std::string& name, int64_t size) const;
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

// Reorders the rows of a fused query/key/value matrix (or the numbers of its bias [1, outputs]). In
// the input, each head has its query, key and value together; in the result, all queries come
// first, then all keys, then all values. Row (part, head, i) of the result is row (head, part, i)
// of the input. If `back` is true, the function does the inverse.
Matrix rows_by_part(const Matrix& fused, int64_t heads, int64_t head_dim, bool back = false);

// Memory for a float32 weight. Its rows are padded if successive rows would otherwise map to the
// same sets of the processor's cache.
Matrix weight_matrix(int64_t rows, int64_t columns);

}  // namespace palimpsest::engine
