// The steps of a decoder on packed rows [N, …], and the memory for them, behind one interface.
// cpu_ops.cc implements it with fused float32 kernels in host memory, and palimpsest/torch with
// libtorch on any device and in any type. The decoder, packing and generation compute only through
// this interface.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "palimpsest/base/internal/worker_pool.h"
#include "palimpsest/engine/internal/batch.h"
#include "palimpsest/engine/internal/weights.h"
#include "palimpsest/kernels/internal/vocabulary.h"
#include "palimpsest/model/internal/architecture.h"

namespace palimpsest::engine {

class Ops {
 public:
  virtual ~Ops() = default;

  // ---- memory

  // A new matrix of the computation's type. Its numbers are uninitialised.
  virtual Matrix make(int64_t rows, int64_t columns) = 0;
  // Moves a host matrix (a weight) to where the computation needs it. The result may share its
  // memory. An undefined matrix stays undefined.
  virtual Matrix to_device(const Matrix& host) = 0;
  // Rows of a table, as a matrix of the computation's type.
  virtual Matrix gather(const Matrix& table, std::span<const int64_t> rows) = 0;
  // Copies `from` to `to`, which has the same shape.
  virtual void copy(const Matrix& from, const Matrix& to) = 0;
  // Whether matrices are float32 in host memory, so that kernels may read them directly.
  virtual bool uses_host_float32() const = 0;
  // The numbers of a matrix as float32 in contiguous host memory. The result may share its memory.
  virtual Matrix to_host(const Matrix& matrix) = 0;

  // ---- steps

  virtual void scale(const Matrix& x, double factor) = 0;  // x *= factor
  virtual void add(const Matrix& x, const Matrix& y) = 0;  // y += x

  // out = norm(x). out may be x itself.
  virtual void norm(const NormWeights& norm, const Matrix& x, const Matrix& out) = 0;

  // out [N, outputs] = x [N, inputs] · weightᵀ. The next step adds the bias. On the CPU, if there
  // are two or more rows, the result of a row does not depend on the other rows. A single row is
  // summed in another order, which makes decoding faster.
  virtual void multiply(const Matrix& x, const Matrix& weight, const Matrix& out) = 0;
  // out += x · weightᵀ.
  virtual void multiply_add(const Matrix& x, const Matrix& weight, const Matrix& out) = 0;

  // Prepares queries, keys and values [N, (heads + 2 kv_heads) · head_dim] for attention, in place:
  // adds the bias, applies the query and key norms, and rotates.
  virtual void prepare_attention(const LayerWeights& layer, const RotaryTable& rotary,
                                 const Matrix& qkv) = 0;

  // Appends keys and values to the caches of the batch, and writes the result of attention to
  // out [N, heads · head_dim]. log_sums [N, heads] is written if it is defined; it must be a
  // float32 matrix in host memory.
  virtual void attention(int64_t layer, const Batch& batch, const Matrix& qkv, const Matrix& out,
                         const Matrix& log_sums) = 0;

  // Adds the layer's bias to in [N, mlp_in], in place. out [N, mlp_size] = activation of the
  // result.
  virtual void activate(const LayerWeights& layer, const Matrix& in, const Matrix& out) = 0;

  // Adds the bias to x in place, if there is one. Then hidden += post_norm(x).
  virtual void add_residual(const Matrix& bias, const NormWeights& post_norm, const Matrix& x,
                            const Matrix& hidden) = 0;

  // Turns a tile [rows, n] of products with the head into logits, in place: adds the bias [1, n],
  // which may be undefined, and applies the soft cap.
  virtual void finish_logits(const Matrix& bias, const Matrix& tile) = 0;

  // Adds the tile of the classes [first, first + n) to the states of its rows.
  virtual void reduce(int64_t first, const Matrix& tile, std::span<const int64_t> labels,
                      std::span<kernels::VocabularyState> states) = 0;
};

std::unique_ptr<Ops> make_cpu_ops(const model::Architecture& architecture, WorkerPool& pool);

}  // namespace palimpsest::engine
