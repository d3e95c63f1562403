// Products of plain tensors (float32, in this machine's memory; all but the weights contiguous) for
// kernels::Product.
#pragma once

#include <ATen/core/Tensor.h>

#include "palimpsest/torch/kernels/product.h"

namespace palimpsest::torch {

// out [N, outputs] = x [N, inputs] · weightᵀ, weight [outputs, inputs].
inline kernels::ProductTask forward_product(const at::Tensor& x, const at::Tensor& weight,
                                            at::Tensor& out) {
  return {.x = x.data_ptr<float>(),
          .x_stride = x.size(1),
          .b = {.data = weight.data_ptr<float>(), .row = 1, .column = weight.stride(0)},
          .out = out.data_ptr<float>(),
          .out_stride = out.size(1),
          .rows = x.size(0),
          .depth = x.size(1),
          .columns = weight.size(0)};
}

// dx [N, inputs] = dy [N, outputs] · weight.
inline kernels::ProductTask backward_product(const at::Tensor& dy, const at::Tensor& weight,
                                             at::Tensor& dx) {
  return {.x = dy.data_ptr<float>(),
          .x_stride = dy.size(1),
          .b = {.data = weight.data_ptr<float>(), .row = weight.stride(0), .column = 1},
          .out = dx.data_ptr<float>(),
          .out_stride = dx.size(1),
          .rows = dy.size(0),
          .depth = dy.size(1),
          .columns = weight.size(1)};
}

}  // namespace palimpsest::torch
