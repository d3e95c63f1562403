// Where the gradients of parameters go, as the backward pass comes by them. There is one backward
// pass (layer_gradient.h); what is wanted of it differs: gradient norms per example (norm_sink.h),
// or gradients summed over all examples, for training (gradient_buffers.h).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/engine/matrix.h"
#include "palimpsest/model/architecture.h"

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

  // The rows of the batch by example: all of them, in order.
  const std::vector<ExampleRows>& examples() const { return examples_; }

  // A linear map's weights and biases: x [N, inputs] went in, dy [N, outputs] came back.
  virtual void linear(const model::LinearSpec& spec, int64_t layer, const Matrix& x,
                      const Matrix& dy) = 0;

  // A norm's weight or bias: its gradients [examples, width].
  virtual void vector(const std::string& name, const Matrix& gradients) = 0;

 private:
  std::vector<ExampleRows> examples_;
};

}  // namespace palimpsest::engine
