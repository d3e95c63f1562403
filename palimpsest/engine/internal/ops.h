// The steps of a decoder on packed rows [N, …], and the memory that they work in, behind one
// interface: cpu_ops.cc does them with fused float32 kernels in host memory, palimpsest/torch with
// libtorch's operators on any device and type. Decoder, packing and generation know no other way
// to touch a number.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "palimpsest/base/worker_pool.h"
#include "palimpsest/engine/internal/batch.h"
#include "palimpsest/engine/weights.h"
#include "palimpsest/kernels/internal/vocabulary.h"
#include "palimpsest/model/architecture.h"

namespace palimpsest::engine {

class Ops {
 public:
  virtual ~Ops() = default;

  // ---- memory

  // A matrix of the computation's type, not written to.
  virtual Matrix make(int64_t rows, int64_t columns) = 0;
  // A host matrix (a weight) where the computation wants it. May be the same memory; nothing stays
  // nothing.
  virtual Matrix to_device(const Matrix& host) = 0;
  // Rows of a table as a matrix of the computation's type.
  virtual Matrix gather(const Matrix& table, std::span<const int64_t> rows) = 0;
  // to = from, of the same shape.
  virtual void copy(const Matrix& from, const Matrix& to) = 0;
  // Whether matrices are float32 in host memory, so that kernels may read them.
  virtual bool uses_host_float32() const = 0;
  // The numbers of a matrix as float32 in host memory, contiguous; may be the same memory.
  virtual Matrix to_host(const Matrix& matrix) = 0;

  // ---- steps

  virtual void scale(const Matrix& x, double factor) = 0;  // x *= factor
  virtual void add(const Matrix& x, const Matrix& y) = 0;  // y += x

  // out = norm(x); may be x itself.
  virtual void norm(const NormWeights& norm, const Matrix& x, const Matrix& out) = 0;

  // out [N, outputs] = x [N, inputs] · weightᵀ. The bias is left to the step that follows. On the
  // CPU a row's result depends on nothing else from two rows on; one row alone is summed in another
  // order, which decoding profits from.
  virtual void multiply(const Matrix& x, const Matrix& weight, const Matrix& out) = 0;
  // out += x · weightᵀ.
  virtual void multiply_add(const Matrix& x, const Matrix& weight, const Matrix& out) = 0;

  // What happens to queries, keys and values [N, (heads + 2 kv_heads) · head_dim] between
  // projection and attention, in place: bias, query and key norms, rotation.
  virtual void prepare_attention(const LayerWeights& layer, const RotaryTable& rotary,
                                 const Matrix& qkv) = 0;

  // Appends keys and values to the caches of the batch, then out [N, heads · head_dim] =
  // attention. log_sums [N, heads] is written if defined (plain matrices only).
  virtual void attention(int64_t layer, const Batch& batch, const Matrix& qkv, const Matrix& out,
                         const Matrix& log_sums) = 0;

  // in [N, mlp_in] += the layer's bias, in place; out [N, mlp_size] = the activation of it.
  virtual void activate(const LayerWeights& layer, const Matrix& in, const Matrix& out) = 0;

  // x += bias, in place (if there is one); hidden += post_norm(x).
  virtual void add_residual(const Matrix& bias, const NormWeights& post_norm, const Matrix& x,
                            const Matrix& hidden) = 0;

  // A tile [rows, n] of products with the head becomes logits, in place: bias [1, n] (may be
  // undefined), then the soft cap.
  virtual void finish_logits(const Matrix& bias, const Matrix& tile) = 0;

  // Takes the tile of classes [first, first + n) into the states of its rows.
  virtual void reduce(int64_t first, const Matrix& tile, std::span<const int64_t> labels,
                      std::span<kernels::VocabularyState> states) = 0;
};

std::unique_ptr<Ops> make_cpu_ops(const model::Architecture& architecture, WorkerPool& pool);

}  // namespace palimpsest::engine
