#include "palimpsest/torch/kernels/product.h"

#include <algorithm>

#include "palimpsest/torch/kernels/transpose.h"

namespace palimpsest::kernels {
namespace {

// What one thread has in hand: columns of B and rows of x whose terms of one depth block fit into
// a second-level cache together.
constexpr int64_t kColumns = 48;
constexpr int64_t kRows = 128;
// Rows of x that are in panels at the same time.
constexpr int64_t kPackedRows = 4 * kRows;
// Numbers of B that are turned round at a time.
constexpr int64_t kTurnedNumbers = 1 << 21;
// Columns that one thread turns round: enough that a row is not left after a line or two.
constexpr int64_t kTurnedColumns = 128;

int64_t pieces_of(int64_t count, int64_t size) {
  return (count + size - 1) / size;
}

// The panels of rows [first, …) of x: one depth block after the other, in each of them a panel
// [depth, kPanel] for every kPanel rows.
struct RowPanels {
  const float* data = nullptr;
  int64_t wide = 0;  // rows, rounded up to panels

  const float* at(int64_t row, int64_t k, int64_t depth) const {
    return data + k * wide + row * depth;
  }
};

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

Product::Product(WorkerPool& pool) : pool_(pool), work_(static_cast<size_t>(pool.size())) {}

void Product::run_single(const ProductTask& task) {
  pool_.for_ranges(task.columns, std::max<int64_t>(1, (1 << 18) / std::max<int64_t>(task.depth, 1)),
                   [&](int64_t begin, int64_t end) {
                     for (int64_t n = begin; n < end; ++n) {
                       const float sum = dot(task.b.data + n * task.b.column, task.x, task.depth);
                       task.out[n] = task.accumulate ? task.out[n] + sum : sum;
                     }
                   });
}

void Product::run(const ProductTask& task) {
  if (task.b.row == 1) return run_upright(task);
  const int64_t together = std::max(kPanel, kTurnedNumbers / std::max<int64_t>(task.depth, 1));
  for (int64_t first = 0; first < task.columns; first += together) {
    ProductTask part = task;
    part.columns = std::min(together, task.columns - first);
    part.out += first;
    float* turned = turned_.at_least(part.columns * task.depth);
    pool_.for_ranges(part.columns, kTurnedColumns, [&](int64_t begin, int64_t end) {
      transpose(task.b.data + first + begin, task.b.row, task.depth, end - begin,
                turned + begin * task.depth, task.depth);
    });
    part.b = {.data = turned, .row = 1, .column = task.depth};
    run_upright(part);
  }
}

// The columns of B lie one after the other.
void Product::run_upright(const ProductTask& task) {
  for (int64_t first = 0; first < task.rows; first += kPackedRows) {
    run_rows(task, first, std::min(kPackedRows, task.rows - first));
  }
}

void Product::run_rows(const ProductTask& all, int64_t first, int64_t count) {
  ProductTask task = all;
  task.x += first * task.x_stride;
  task.out += first * task.out_stride;
  task.rows = count;
  const int64_t wide = round_up_to_panel(count);
  float* panels = panels_.at_least(wide * task.depth);
  pool_.run(wide / kPanel, [&](int64_t panel, int) {
    for (int64_t k = 0; k < task.depth; k += kProductDepth) {
      const int64_t depth = std::min(kProductDepth, task.depth - k);
      const int64_t row = panel * kPanel;
      pack_transposed(task.x + row * task.x_stride + k, task.x_stride,
                      std::min(kPanel, count - row), depth, panels + k * wide + row * depth);
    }
  });
  const int64_t row_pieces = pieces_of(count, kRows);
  pool_.run(pieces_of(task.columns, kColumns) * row_pieces, [&](int64_t unit, int worker) {
    run_unit(task, unit % row_pieces * kRows, unit / row_pieces * kColumns, worker);
  });
}

// Up to kRows rows by kColumns columns. B's columns stand for the rows that tile.h multiplies with a
// panel, so that B need not be copied; the results come out transposed.
void Product::run_unit(const ProductTask& task, int64_t row, int64_t column, int worker) {
  const RowPanels panels{panels_.at_least(0), round_up_to_panel(task.rows)};
  const int64_t rows = std::min(kRows, task.rows - row);
  const int64_t columns = std::min(kColumns, task.columns - column);
  float* out = task.out + row * task.out_stride + column;
  float* sums = work_[static_cast<size_t>(worker)].at_least(kRows * kColumns);
  if (task.depth == 0 && !task.accumulate) std::fill_n(sums, kRows * kColumns, 0.0F);
  for (int64_t r = 0; r < rows && task.accumulate; r += kPanel) {
    transpose(out + r * task.out_stride, task.out_stride, std::min(kPanel, rows - r), columns,
              sums + r * kColumns, kPanel);
  }
  for (int64_t k = 0; k < task.depth; k += kProductDepth) {
    const int64_t depth = std::min(kProductDepth, task.depth - k);
    const StridedMatrix b{task.b.data + column * task.b.column + k, task.b.column, 1};
    for (int64_t r = 0; r < rows; r += kPanel) {
      multiply_panel(b, columns, depth, panels.at(row + r, k, depth), kPanel, sums + r * kColumns,
                     kPanel, k > 0 || task.accumulate);
    }
  }
  for (int64_t r = 0; r < rows; r += kPanel) {
    transpose(sums + r * kColumns, kPanel, columns, std::min(kPanel, rows - r),
              out + r * task.out_stride, task.out_stride);
  }
}

}  // namespace palimpsest::kernels
