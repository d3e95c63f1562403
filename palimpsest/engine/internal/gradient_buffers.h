// The gradients of all parameters, summed over examples and batches: what an optimizer reads.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "palimpsest/base/worker_pool.h"
#include "palimpsest/engine/internal/gradient_sink.h"
#include "palimpsest/engine/weights.h"
#include "palimpsest/kernels/internal/matmul.h"

namespace palimpsest::engine {

class GradientBuffers {
 public:
  // All zero. Shaped like `weights`, float32.
  GradientBuffers(const model::Architecture& architecture, const ModelWeights& weights);

  void clear(WorkerPool& pool);

  const ModelWeights& sums() const { return sums_; }
  // Of the linear map whose first stored weight has this name.
  const LinearWeights& linear(const std::string& name) const { return linears_.at(name); }
  const Matrix& vector(const std::string& name) const { return vectors_.at(name); }

 private:
  void add_norm(const std::optional<model::NormSpec>& spec, int64_t layer, const NormWeights& norm);

  ModelWeights sums_;
  std::map<std::string, LinearWeights> linears_;
  std::map<std::string, Matrix> vectors_;
};

// Adds what the backward pass of one batch comes by to the buffers. Sums run over rows in their
// order, so that the number of threads changes nothing.
class GradientSums : public GradientSink {
 public:
  // All references must outlive it.
  GradientSums(std::vector<ExampleRows> examples, const GradientBuffers& buffers,
               kernels::Matmul& product, WorkerPool& pool);

  void linear(const model::LinearSpec& spec, int64_t layer, const Matrix& x,
              const Matrix& dy) override;
  void vector(const std::string& name, const Matrix& gradients) override;

 private:
  const GradientBuffers& buffers_;
  kernels::Matmul& matmul_;
  WorkerPool& pool_;
};

// sum [1, n] += the rows of x [N, n].
void add_rows(const Matrix& x, const Matrix& sum, WorkerPool& pool);

}  // namespace palimpsest::engine
