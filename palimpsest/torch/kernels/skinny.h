// Linear maps of a few rows, as in generation: bounded by reading the weight once, where a matrix
// library would first copy it.
#pragma once

#include <cstdint>
#include <vector>

namespace palimpsest::kernels {

// More rows than this are better given to the matrix library.
constexpr int64_t kMostSkinnyRows = 48;

// The rows in the layout that multiply_skinny() wants; made once a call, shared by the threads.
void pack_skinny(const float* x, int64_t rows, int64_t inputs, std::vector<float>& packed);

// out(r, o) = x(r) · weight(o) for o in [begin, end); weight [outputs, inputs], x [rows, inputs],
// out [rows, outputs]; packed is pack_skinny's (unused for one row).
void multiply_skinny(const float* weight, int64_t inputs, int64_t outputs, const float* x,
                     const std::vector<float>& packed, int64_t rows, int64_t begin, int64_t end,
                     float* out);

}  // namespace palimpsest::kernels
