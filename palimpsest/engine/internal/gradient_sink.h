// The receiver of the gradients of parameters, which the backward pass (layer_gradient.h) calls.
// There is one backward pass but two kinds of result: gradient norms per example (norm_sink.h), and
// gradients summed over all examples, for training (gradient_buffers.h).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/engine/internal/matrix.h"
#include "palimpsest/model/internal/architecture.h"

namespace palimpsest::engine {

// The rows of one example in a batch.
struct ExampleRows {
  int64_t example = 0;
  int64_t begin = 0;
  int64_t end = 0;

  int64_t count() const { return end - begin; }
};

class GradientSink {
 public:
  explicit GradientSink(std::vector<ExampleRows> examples) : examples_(std::move(examples)) {}
  virtual ~GradientSink() = default;

  // The rows of the batch, divided among the examples, in order.
  const std::vector<ExampleRows>& examples() const { return examples_; }

  // Receives the input x [N, inputs] of a linear map and the gradient dy [N, outputs] of its
  // output. The gradients of its weights and biases follow from them.
  virtual void linear(const model::LinearSpec& spec, int64_t layer, const Matrix& x,
                      const Matrix& dy) = 0;

  // Receives the gradients of a norm's weight or bias, one row per example: [examples, width].
  virtual void vector(const std::string& name, const Matrix& gradients) = 0;

 private:
  std::vector<ExampleRows> examples_;
};

}  // namespace palimpsest::engine
