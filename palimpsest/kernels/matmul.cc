#include "palimpsest/kernels/internal/matmul.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "palimpsest/base/error.h"
#include "palimpsest/kernels/internal/transpose.h"
#include "palimpsest/kernels/internal/widen.h"

namespace palimpsest::kernels {
namespace {

// What one thread has in hand: columns of B and rows of x whose terms of one depth block fit into
// a second-level cache together.
constexpr int64_t kColumns = 48;
constexpr int64_t kRows = 128;
// Rows of x that are in panels at the same time.
constexpr int64_t kPackedRows = 4 * kRows;
// Numbers of a row-major B that are in panels at the same time: they fit into a third-level cache.
constexpr int64_t kPackedNumbers = 1 << 21;
// Columns of it that one thread has in hand.
constexpr int64_t kRowMajorColumns = 6 * kPanel;

int64_t pieces_of(int64_t count, int64_t size) {
  return (count + size - 1) / size;
}

// Rows of x or columns of B, one depth block after the other: in panels [depth, kPanel], or each by
// itself [depth].
struct DepthBlocks {
  float* data = nullptr;
  int64_t wide = 0;  // rows or columns, rounded up to panels

  float* at(int64_t first, int64_t k, int64_t depth) const {
    return data + k * wide + first * depth;
  }
};

const std::byte* address(const MatmulMatrix& b, int64_t k, int64_t n) {
  return static_cast<const std::byte*>(b.data) + (k * b.row + n * b.column) * byte_size(b.dtype);
}

// Numbers that lie one after the other; finite, since loading checked them.
void copy_numbers(const MatmulMatrix& b, int64_t k, int64_t n, int64_t count, float* out) {
  const std::byte* from = address(b, k, n);
  if (b.dtype == DType::kFloat32) {
    std::memcpy(out, from, sizeof(float) * static_cast<size_t>(count));
  } else {
    widen(b.dtype, from, count, out);
  }
}

// The product of empty matrices, whose pointers may be null.
void write_empty_sums(const MatmulTask& task) {
  if (task.accumulate || task.columns == 0) return;
  for (int64_t row = 0; row < task.rows; ++row)
    std::fill_n(task.out + row * task.out_stride, task.columns, 0.0F);
}

// body(k, depth) for every block of terms.
template <class Body>
void for_depth_blocks(int64_t all, Body body) {
  for (int64_t k = 0; k < all; k += kMatmulDepth) body(k, std::min(kMatmulDepth, all - k));
}

}  // namespace

float* ScratchFloats::at_least(int64_t n) {
  constexpr uintptr_t kLine = 64;
  const auto wanted = static_cast<size_t>(n) + kLine / sizeof(float);
  if (memory_.size() < wanted) {
    memory_ = {};  // nothing is worth copying
    memory_.resize(wanted);
  }
  const auto address = reinterpret_cast<uintptr_t>(memory_.data());
  return memory_.data() + (kLine - address % kLine) % kLine / sizeof(float);
}

Matmul::Matmul(WorkerPool& pool) : pool_(pool), work_(static_cast<size_t>(pool.size())) {}

void Matmul::run_single(const MatmulTask& task) {
  if (task.depth == 0) return write_empty_sums(task);
  const bool is_wide = task.b.dtype == DType::kFloat32;
  const int64_t grain = std::max<int64_t>(1, (1 << 18) / std::max<int64_t>(task.depth, 1));
  pool_.for_ranges(task.columns, grain, [&](int64_t begin, int64_t end) {
    std::vector<float> widened(static_cast<size_t>(is_wide ? 0 : task.depth));
    for (int64_t n = begin; n < end; ++n) {
      const float* column = widened.data();
      if (is_wide) {
        column = reinterpret_cast<const float*>(address(task.b, 0, n));
      } else {
        copy_numbers(task.b, 0, n, task.depth, widened.data());
      }
      const float sum = dot(column, task.x.data, task.depth);
      task.out[n] = task.accumulate ? task.out[n] + sum : sum;
    }
  });
}

void Matmul::run(const MatmulTask& task) {
  // A matrix of one column is both row-major and column-major.
  const bool column_major = task.b.row == 1 && task.x.column == 1;
  PALIMPSEST_CHECK(column_major || task.b.column == 1);
  if (task.depth == 0) return write_empty_sums(task);
  const int64_t together =
      column_major
          ? task.columns
          : std::max(kPanel, kPackedNumbers / std::max<int64_t>(task.depth, 1) / kPanel * kPanel);
  for (int64_t column = 0; column < task.columns; column += together) {
    MatmulTask part = task;
    part.b.data = address(task.b, 0, column);
    part.columns = std::min(together, task.columns - column);
    if (!column_major) pack_columns(part);
    for (int64_t row = 0; row < task.rows; row += kPackedRows) {
      part.x.data = task.x.data + row * task.x.row;
      part.out = task.out + row * task.out_stride + column;
      part.rows = std::min(kPackedRows, task.rows - row);
      column_major ? run_column_major(part) : run_row_major(part);
    }
  }
}

// ---- B is row-major: its columns go into panels

void Matmul::pack_columns(const MatmulTask& task) {
  const int64_t wide = round_up_to_panel(task.columns);
  const DepthBlocks panels{columns_.at_least(wide * task.depth), wide};
  pool_.run(pieces_of(wide, kRowMajorColumns), [&](int64_t unit, int) {
    const int64_t begin = unit * kRowMajorColumns;
    const int64_t end = std::min(begin + kRowMajorColumns, task.columns);
    for_depth_blocks(task.depth, [&](int64_t k, int64_t depth) {
      for (int64_t j = 0; j < depth; ++j) {
        for (int64_t column = begin; column < end; column += kPanel) {
          float* to = panels.at(column, k, depth) + j * kPanel;
          const int64_t count = std::min(kPanel, end - column);
          copy_numbers(task.b, k + j, column, count, to);
          std::fill(to + count, to + kPanel, 0.0F);
        }
      }
    });
  });
}

void Matmul::pack_rows_of_x(const MatmulTask& task) {
  const DepthBlocks x{rows_.at_least(task.rows * task.depth), task.rows};
  pool_.for_ranges(task.rows, kPanel, [&](int64_t begin, int64_t end) {
    for_depth_blocks(task.depth, [&](int64_t k, int64_t depth) {
      if (task.x.column != 1) {
        transpose(task.x.data + begin + k * task.x.column, task.x.column, depth, end - begin,
                  x.at(begin, k, depth), depth);
        return;
      }
      for (int64_t row = begin; row < end; ++row) {
        std::copy_n(task.x.data + row * task.x.row + k, depth, x.at(row, k, depth));
      }
    });
  });
}

void Matmul::run_row_major(const MatmulTask& task) {
  pack_rows_of_x(task);
  const int64_t row_pieces = pieces_of(task.rows, kRows);
  pool_.run(pieces_of(task.columns, kRowMajorColumns) * row_pieces, [&](int64_t unit, int worker) {
    multiply_row_major(task, unit % row_pieces * kRows, unit / row_pieces * kRowMajorColumns,
                       worker);
  });
}

// Up to kRows rows by kRowMajorColumns columns.
void Matmul::multiply_row_major(const MatmulTask& task, int64_t row, int64_t column, int worker) {
  const DepthBlocks x{rows_.at_least(0), task.rows};
  const DepthBlocks panels{columns_.at_least(0), round_up_to_panel(task.columns)};
  const int64_t rows = std::min(kRows, task.rows - row);
  const int64_t columns = std::min(kRowMajorColumns, task.columns - column);
  float* out = task.out + row * task.out_stride + column;
  float* sums = work_[static_cast<size_t>(worker)].at_least(kRows * kRowMajorColumns);
  if (task.depth == 0 && !task.accumulate) std::fill_n(sums, kRows * kRowMajorColumns, 0.0F);
  for (int64_t r = 0; r < rows && task.accumulate; ++r) {
    std::copy_n(out + r * task.out_stride, columns, sums + r * kRowMajorColumns);
  }
  for_depth_blocks(task.depth, [&](int64_t k, int64_t depth) {
    for (int64_t c = 0; c < columns; c += kPanel) {
      multiply_panel({x.at(row, k, depth), depth, 1}, rows, depth, panels.at(column + c, k, depth),
                     kPanel, sums + c, kRowMajorColumns, k > 0 || task.accumulate);
    }
  });
  for (int64_t r = 0; r < rows; ++r) {
    std::copy_n(sums + r * kRowMajorColumns, columns, out + r * task.out_stride);
  }
}

// ---- B is column-major: rows of x go into panels, B stays as it is

void Matmul::run_column_major(const MatmulTask& task) {
  const int64_t wide = round_up_to_panel(task.rows);
  const DepthBlocks panels{rows_.at_least(wide * task.depth), wide};
  pool_.run(wide / kPanel, [&](int64_t panel, int) {
    const int64_t row = panel * kPanel;
    for_depth_blocks(task.depth, [&](int64_t k, int64_t depth) {
      pack_transposed(task.x.data + row * task.x.row + k, task.x.row,
                      std::min(kPanel, task.rows - row), depth, panels.at(row, k, depth));
    });
  });
  const int64_t row_pieces = pieces_of(task.rows, kRows);
  pool_.run(pieces_of(task.columns, kColumns) * row_pieces, [&](int64_t unit, int worker) {
    multiply_column_major(task, unit % row_pieces * kRows, unit / row_pieces * kColumns, worker);
  });
}

// Up to kRows rows by kColumns columns. B's columns stand for the rows that tile.h multiplies with
// a panel, so that B need not be copied; the results come out transposed.
void Matmul::multiply_column_major(const MatmulTask& task, int64_t row, int64_t column,
                                   int worker) {
  const DepthBlocks panels{rows_.at_least(0), round_up_to_panel(task.rows)};
  const int64_t rows = std::min(kRows, task.rows - row);
  const int64_t columns = std::min(kColumns, task.columns - column);
  float* out = task.out + row * task.out_stride + column;
  const bool is_wide = task.b.dtype == DType::kFloat32;
  float* sums = work_[static_cast<size_t>(worker)].at_least(
      kRows * kColumns + (is_wide ? 0 : kColumns * kMatmulDepth));
  float* widened = sums + kRows * kColumns;
  if (task.depth == 0 && !task.accumulate) std::fill_n(sums, kRows * kColumns, 0.0F);
  for (int64_t r = 0; r < rows && task.accumulate; r += kPanel) {
    transpose(out + r * task.out_stride, task.out_stride, std::min(kPanel, rows - r), columns,
              sums + r * kColumns, kPanel);
  }
  for_depth_blocks(task.depth, [&](int64_t k, int64_t depth) {
    for (int64_t c = 0; c < columns && !is_wide; ++c) {
      copy_numbers(task.b, k, column + c, depth, widened + c * depth);
    }
    const StridedMatrix b =
        is_wide ? StridedMatrix{reinterpret_cast<const float*>(address(task.b, k, column)),
                                task.b.column, 1}
                : StridedMatrix{widened, depth, 1};
    for (int64_t r = 0; r < rows; r += kPanel) {
      multiply_panel(b, columns, depth, panels.at(row + r, k, depth), kPanel, sums + r * kColumns,
                     kPanel, k > 0 || task.accumulate);
    }
  });
  for (int64_t r = 0; r < rows; r += kPanel) {
    transpose(sums + r * kColumns, kPanel, columns, std::min(kPanel, rows - r),
              out + r * task.out_stride, task.out_stride);
  }
}

}  // namespace palimpsest::kernels
