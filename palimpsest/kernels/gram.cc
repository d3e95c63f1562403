#include "palimpsest/kernels/internal/gram.h"

#include <algorithm>
#include <cmath>

#include "palimpsest/base/internal/vector_math.h"
#include "palimpsest/kernels/internal/tile.h"

namespace palimpsest::kernels {
namespace {

// Columns that are multiplied at once, so that the packed rows stay in the cache.
constexpr int64_t kDepth = 256;

// Floats are summed side by side in pieces, the pieces in double.
constexpr int64_t kPiece = 4096;
constexpr int64_t kLanes = 32;

template <class Combine>
PALIMPSEST_INLINE float combine_lanes(const float* x, int64_t n, Combine combine) {
  float lanes[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int64_t j = 0; j < kLanes; ++j) lanes[j] = combine(lanes[j], x[i + j]);
  }
  for (int64_t j = 0; i + j < n; ++j) lanes[j] = combine(lanes[j], x[i + j]);
  float result = lanes[0];
  for (int64_t j = 1; j < kLanes; ++j) result = combine.join(result, lanes[j]);
  return result;
}

struct Squares {
  PALIMPSEST_INLINE float operator()(float sum, float x) const { return sum + x * x; }
  PALIMPSEST_INLINE float join(float a, float b) const { return a + b; }
};
struct Absolutes {
  PALIMPSEST_INLINE float operator()(float sum, float x) const { return sum + std::fabs(x); }
  PALIMPSEST_INLINE float join(float a, float b) const { return a + b; }
};
// NaN is the greatest of all: it must not get lost.
struct Greatest {
  PALIMPSEST_INLINE float operator()(float top, float x) const { return join(std::fabs(x), top); }
  PALIMPSEST_INLINE float join(float a, float b) const { return a > b || a != a ? a : b; }
};

PALIMPSEST_INLINE float squares_loop(const float* x, int64_t n) {
  return combine_lanes(x, n, Squares());
}

float squares(const float* x, int64_t n) {
  PALIMPSEST_FOR_EACH_CPU(squares_loop(x, n));
}
PALIMPSEST_INLINE float absolutes_loop(const float* x, int64_t n) {
  return combine_lanes(x, n, Absolutes());
}

float absolutes(const float* x, int64_t n) {
  PALIMPSEST_FOR_EACH_CPU(absolutes_loop(x, n));
}

template <class Piece>
double sum_pieces(const float* x, int64_t n, Piece piece) {
  double sum = 0;
  for (int64_t i = 0; i < n; i += kPiece) {
    sum += static_cast<double>(piece(x + i, std::min(kPiece, n - i)));
  }
  return sum;
}

}  // namespace

void gram_matrix(const float* x, int64_t ldx, int64_t rows, int64_t columns,
                 std::vector<float>& gram, bool accumulate, GramScratch& scratch) {
  const int64_t width = round_up_to_panel(rows);
  gram.resize(static_cast<size_t>(rows * width));
  scratch.panels.resize(static_cast<size_t>(width * std::min(kDepth, columns)));
  scratch.rows.resize(static_cast<size_t>(rows * std::min(kDepth, columns)));
  for (int64_t first = 0; first < columns; first += kDepth) {
    const int64_t depth = std::min(kDepth, columns - first);
    pack_transposed(x + first, ldx, rows, depth, scratch.panels.data());
    for (int64_t r = 0; r < rows; ++r) {
      std::copy_n(x + r * ldx + first, depth, scratch.rows.data() + r * depth);
    }
    for (int64_t s = 0; s < rows; s += kPanel) {
      multiply_panel({scratch.rows.data() + s * depth, depth, 1}, rows - s, depth,
                     scratch.panels.data() + s * depth, kPanel, gram.data() + s * width + s, width,
                     accumulate || first > 0);
    }
  }
}

double gram_product(const std::vector<float>& a, const std::vector<float>& b, int64_t rows) {
  const int64_t width = round_up_to_panel(rows);
  double sum = 0;
  for (int64_t t = 0; t < rows; ++t) {
    const float* left = a.data() + t * width;
    const float* right = b.data() + t * width;
    sum += 2 * static_cast<double>(dot(left, right, t)) +
           static_cast<double>(left[t]) * static_cast<double>(right[t]);
  }
  return sum;
}

double sum_of_squares(const float* x, int64_t n) {
  return sum_pieces(x, n, squares);
}
double absolute_sum(const float* x, int64_t n) {
  return sum_pieces(x, n, absolutes);
}

PALIMPSEST_INLINE double absolute_max_loop(const float* x, int64_t n) {
  return static_cast<double>(combine_lanes(x, n, Greatest()));
}

double absolute_max(const float* x, int64_t n) {
  PALIMPSEST_FOR_EACH_CPU(absolute_max_loop(x, n));
}

}  // namespace palimpsest::kernels
