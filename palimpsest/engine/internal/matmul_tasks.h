// Makes tasks for kernels::Matmul from matrices in host memory. They are float32; weights may also
// be 16-bit.
#pragma once

#include "palimpsest/engine/internal/matrix.h"
#include "palimpsest/kernels/internal/matmul.h"

namespace palimpsest::engine {

// out [N, outputs] = x [N, inputs] · weightᵀ, where weight is [outputs, inputs].
inline kernels::MatmulTask forward_matmul(const Matrix& x, const Matrix& weight,
                                          const Matrix& out) {
  return {
      .x = {.data = x.data(), .row = x.stride(), .column = 1},
      .b = {.data = weight.bytes(), .row = 1, .column = weight.stride(), .dtype = weight.dtype()},
      .out = out.data(),
      .out_stride = out.stride(),
      .rows = x.rows(),
      .depth = x.columns(),
      .columns = weight.rows()};
}

// dx [N, inputs] = dy [N, outputs] · weight.
inline kernels::MatmulTask backward_matmul(const Matrix& dy, const Matrix& weight,
                                           const Matrix& dx) {
  return {
      .x = {.data = dy.data(), .row = dy.stride(), .column = 1},
      .b = {.data = weight.bytes(), .row = weight.stride(), .column = 1, .dtype = weight.dtype()},
      .out = dx.data(),
      .out_stride = dx.stride(),
      .rows = dy.rows(),
      .depth = dy.columns(),
      .columns = weight.columns()};
}

// The gradient of the weight, [outputs, inputs] = dyᵀ · x for x [N, inputs] and dy [N, outputs].
inline kernels::MatmulTask weight_gradient_matmul(const Matrix& x, const Matrix& dy,
                                                  const Matrix& gradient) {
  return {.x = {.data = dy.data(), .row = 1, .column = dy.stride()},
          .b = {.data = x.bytes(), .row = x.stride(), .column = 1},
          .out = gradient.data(),
          .out_stride = gradient.stride(),
          .rows = dy.columns(),
          .depth = x.rows(),
          .columns = x.columns()};
}

}  // namespace palimpsest::engine
