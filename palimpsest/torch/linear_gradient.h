// Norms of the gradients of linear maps, biases and norms, from what went in and what came back.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "palimpsest/base/worker_pool.h"
#include "palimpsest/torch/gradient_norms.h"
#include "palimpsest/torch/kernels/gram.h"
#include "palimpsest/torch/kernels/rows.h"
#include "palimpsest/torch/weights.h"

namespace palimpsest::torch {

// The rows of one example in a batch.
struct ExampleRows {
  int64_t example = 0;  // its number in GradientNorms
  int64_t begin = 0;
  int64_t end = 0;

  int64_t count() const { return end - begin; }
};

class LinearGradients {
 public:
  LinearGradients(const std::vector<ExampleRows>& examples, GradientNorms& norms, WorkerPool& pool);

  // The map's weights and biases: x [N, inputs] went in, dy [N, outputs] came back.
  void linear(const LinearSpec& spec, int64_t layer, const at::Tensor& x, const at::Tensor& dy);

  // Through a norm over whole rows: dx (+)= its gradient applied to dy; the norms of its
  // parameters' gradients are taken.
  void norm(const NormSpec& spec, int64_t layer, const kernels::Norm& norm, const at::Tensor& x,
            const at::Tensor& dy, at::Tensor& dx, bool accumulate);

  const std::vector<ExampleRows>& examples() const { return examples_; }
  GradientNorms& norms() { return norms_; }

 private:
  void weights_by_gram(const LinearSpec& spec, int64_t layer, const at::Tensor& x,
                       const at::Tensor& dy, const ExampleRows& rows, int worker);
  void weights_by_forming(const LinearSpec& spec, int64_t layer, const at::Tensor& x,
                          const at::Tensor& dy, const ExampleRows& rows);
  void biases(const LinearSpec& spec, int64_t layer, const at::Tensor& dy, const ExampleRows& rows);

  struct Scratch {
    kernels::GramScratch panels;
    std::vector<float> inputs, outputs;
  };
  const std::vector<ExampleRows>& examples_;
  GradientNorms& norms_;
  WorkerPool& pool_;
  std::vector<Scratch> scratch_;  // one a worker
  at::Tensor formed_;
};

}  // namespace palimpsest::torch
