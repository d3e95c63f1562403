// Computes norms per example for the gradients of linear maps, biases and norms, from the inputs of
// a layer and the gradients of its outputs. For p = 2, the norm of a weight's gradient comes from
// Gram matrices if that is cheaper than forming the gradient.
#pragma once

#include <cstdint>
#include <vector>

#include "palimpsest/base/internal/worker_pool.h"
#include "palimpsest/engine/internal/gradient_norms.h"
#include "palimpsest/engine/internal/gradient_sink.h"
#include "palimpsest/kernels/internal/gram.h"
#include "palimpsest/kernels/internal/matmul.h"

namespace palimpsest::engine {

class NormSink : public GradientSink {
 public:
  // ExampleRows::example is the number of the example in `norms`. Both references must outlive the
  // sink.
  NormSink(std::vector<ExampleRows> examples, GradientNorms& norms, WorkerPool& pool);

  void linear(const model::LinearSpec& spec, int64_t layer, const Matrix& x,
              const Matrix& dy) override;
  void vector(const std::string& name, const Matrix& gradients) override;

 private:
  void weights_by_gram(const model::LinearSpec& spec, int64_t layer, const Matrix& x,
                       const Matrix& dy, const ExampleRows& rows, int worker);
  void weights_by_forming(const model::LinearSpec& spec, int64_t layer, const Matrix& x,
                          const Matrix& dy, const ExampleRows& rows);
  void biases(const model::LinearSpec& spec, int64_t layer, const Matrix& dy,
              const ExampleRows& rows);

  struct Scratch {
    kernels::GramScratch panels;
    std::vector<float> inputs, outputs;
  };
  GradientNorms& norms_;
  WorkerPool& pool_;
  std::vector<Scratch> scratch_;  // one per worker
  kernels::Matmul matmul_;
  Matrix formed_;
};

}  // namespace palimpsest::engine
