#include "palimpsest/torch/kernels/skinny.h"

#include <algorithm>

#include "palimpsest/torch/kernels/tile.h"

namespace palimpsest::kernels {

void pack_skinny(const float* x, int64_t rows, int64_t inputs, std::vector<float>& packed) {
  if (rows == 1) return;
  packed.resize(static_cast<size_t>(round_up_to_panel(rows) * inputs));
  pack_transposed(x, inputs, rows, inputs, packed.data());
}

void multiply_skinny(const float* weight, int64_t inputs, int64_t outputs, const float* x,
                     const std::vector<float>& packed, int64_t rows, int64_t begin, int64_t end,
                     float* out) {
  if (rows == 1) {
    for (int64_t o = begin; o < end; ++o) out[o] = dot(weight + o * inputs, x, inputs);
    return;
  }
  constexpr int64_t kBlock = 48;
  float block[kBlock * kPanel];
  for (int64_t first = begin; first < end; first += kBlock) {
    const int64_t count = std::min(kBlock, end - first);
    for (int64_t r = 0; r < rows; r += kPanel) {
      multiply_panel({weight + first * inputs, inputs, 1}, count, inputs,
                     packed.data() + r * inputs, kPanel, block, kPanel, false);
      const int64_t here = std::min(kPanel, rows - r);
      for (int64_t j = 0; j < here; ++j) {
        float* row = out + (r + j) * outputs + first;
        for (int64_t o = 0; o < count; ++o) row[o] = block[o * kPanel + j];
      }
    }
  }
}

}  // namespace palimpsest::kernels
