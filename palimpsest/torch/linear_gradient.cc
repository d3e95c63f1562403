#include "palimpsest/torch/linear_gradient.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>

#include <algorithm>

namespace palimpsest::torch {
namespace {

// Two Gram matrices (their lower halves) against one product as large as the weight.
bool gram_is_cheaper(int64_t rows, const LinearSpec& spec) {
  return rows * (spec.inputs + spec.outputs()) < spec.inputs * spec.outputs();
}

}  // namespace

LinearGradients::LinearGradients(const std::vector<ExampleRows>& examples, GradientNorms& norms,
                                 WorkerPool& pool)
    : examples_(examples), norms_(norms), pool_(pool), scratch_(static_cast<size_t>(pool.size())) {}

void LinearGradients::linear(const LinearSpec& spec, int64_t layer, const at::Tensor& x,
                             const at::Tensor& dy) {
  const auto by_gram = [&](const ExampleRows& rows) {
    return norms_.only_two() && gram_is_cheaper(rows.count(), spec);
  };
  pool_.run(static_cast<int64_t>(examples_.size()), [&](int64_t unit, int worker) {
    const ExampleRows& rows = examples_[static_cast<size_t>(unit)];
    biases(spec, layer, dy, rows);
    if (by_gram(rows)) weights_by_gram(spec, layer, x, dy, rows, worker);
  });
  // One after the other: the matrix library has threads of its own.
  for (const ExampleRows& rows : examples_) {
    if (!by_gram(rows)) weights_by_forming(spec, layer, x, dy, rows);
  }
}

void LinearGradients::weights_by_gram(const LinearSpec& spec, int64_t layer, const at::Tensor& x,
                                      const at::Tensor& dy, const ExampleRows& rows, int worker) {
  Scratch& scratch = scratch_[static_cast<size_t>(worker)];
  const int64_t width = dy.size(1);
  kernels::gram_matrix(x.data_ptr<float>() + rows.begin * spec.inputs, spec.inputs, rows.count(),
                       spec.inputs, scratch.inputs, false, scratch.panels);
  int64_t column = 0;
  for (const LinearPart& part : spec.parts) {
    kernels::gram_matrix(dy.data_ptr<float>() + rows.begin * width + column, width, rows.count(),
                         part.outputs, scratch.outputs, false, scratch.panels);
    norms_.add_square(rows.example, norms_.parameter(layer_name(part.weight, layer)),
                      kernels::gram_product(scratch.inputs, scratch.outputs, rows.count()));
    column += part.outputs;
  }
}

void LinearGradients::weights_by_forming(const LinearSpec& spec, int64_t layer, const at::Tensor& x,
                                         const at::Tensor& dy, const ExampleRows& rows) {
  const at::Tensor in = x.narrow(0, rows.begin, rows.count());
  int64_t column = 0;
  for (const LinearPart& part : spec.parts) {
    const at::Tensor back = dy.narrow(0, rows.begin, rows.count()).narrow(1, column, part.outputs);
    const int64_t size = part.outputs * spec.inputs;
    if (!formed_.defined() || formed_.numel() < size) formed_ = at::empty({size}, x.options());
    at::Tensor gradient = formed_.narrow(0, 0, size).view({part.outputs, spec.inputs});
    at::mm_out(gradient, back.t(), in);
    norms_.add(rows.example, norms_.parameter(layer_name(part.weight, layer)),
               {gradient.data_ptr<float>(), static_cast<size_t>(size)});
    column += part.outputs;
  }
}

void LinearGradients::biases(const LinearSpec& spec, int64_t layer, const at::Tensor& dy,
                             const ExampleRows& rows) {
  const int64_t width = dy.size(1);
  int64_t column = 0;
  for (const LinearPart& part : spec.parts) {
    if (part.bias) {
      std::vector<float> sum(static_cast<size_t>(part.outputs));
      for (int64_t row = rows.begin; row < rows.end; ++row) {
        kernels::add(sum.data(), dy.data_ptr<float>() + row * width + column, part.outputs);
      }
      norms_.add(rows.example, norms_.parameter(layer_name(*part.bias, layer)), sum);
    }
    column += part.outputs;
  }
}

void LinearGradients::norm(const NormSpec& spec, int64_t layer, const kernels::Norm& norm,
                           const at::Tensor& x, const at::Tensor& dy, at::Tensor& dx,
                           bool accumulate) {
  const int64_t width = norm.width;
  pool_.run(static_cast<int64_t>(examples_.size()), [&](int64_t unit, int) {
    const ExampleRows& rows = examples_[static_cast<size_t>(unit)];
    std::vector<float> weight(static_cast<size_t>(width));
    std::vector<float> bias(static_cast<size_t>(spec.bias ? width : 0));
    for (int64_t row = rows.begin; row < rows.end; ++row) {
      kernels::normalize_backward(norm, x.data_ptr<float>() + row * width,
                                  dy.data_ptr<float>() + row * width,
                                  dx.data_ptr<float>() + row * width, accumulate, weight.data(),
                                  spec.bias ? bias.data() : nullptr);
    }
    norms_.add(rows.example, norms_.parameter(layer_name(spec.weight, layer)), weight);
    if (spec.bias) norms_.add(rows.example, norms_.parameter(layer_name(*spec.bias, layer)), bias);
  });
}

}  // namespace palimpsest::torch
