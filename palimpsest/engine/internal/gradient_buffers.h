// The gradients of all parameters, summed over examples and batches. An optimizer reads them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "palimpsest/base/internal/worker_pool.h"
#include "palimpsest/engine/internal/gradient_sink.h"
#include "palimpsest/engine/internal/weights.h"
#include "palimpsest/kernels/internal/matmul.h"

namespace palimpsest::engine {

class GradientBuffers {
 public:
  // The buffers start at zero, in float32, and have the shapes of `weights`.
  GradientBuffers(const model::Architecture& architecture, const ModelWeights& weights);

  void clear(WorkerPool& pool);

  const ModelWeights& sums() const { return sums_; }
  // The gradients of the linear map whose first stored weight has this name.
  const LinearWeights& linear(const std::string& name) const { return linears_.at(name); }
  const Matrix& vector(const std::string& name) const { return vectors_.at(name); }

 private:
  void add(const model::LinearSpec& spec, int64_t layer, const LinearWeights& linear);
  void add(const std::optional<model::NormSpec>& spec, int64_t layer, const NormWeights& norm);

  ModelWeights sums_;
  std::map<std::string, LinearWeights> linears_;
  std::map<std::string, Matrix> vectors_;
};

// Adds the gradients of one batch to the buffers. Sums run over the rows in their order, so the
// result does not depend on the number of threads.
class GradientSums : public GradientSink {
 public:
  // All references must outlive this object.
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

// Adds the rows of x [N, n] to sum [1, n].
void add_rows(const Matrix& x, const Matrix& sum, WorkerPool& pool);

}  // namespace palimpsest::engine
