// Logistic regression with an L2 penalty on sparse rows: a plain linear classifier for data with
// more columns than rows. Minimises
//
//   ½‖w‖² + C Σ_i log(1 + exp(-y_i w·x_i)),   y_i = ±1
//
// by coordinate descent in the dual (Yu, Huang and Lin 2011), which visits the rows' non-zero
// entries only. There is no intercept: give the rows a constant column. Deterministic for a seed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace palimpsest {

struct SparseEntry {
  uint32_t column = 0;
  float value = 0;
};

// Rows stored one behind the other; row r holds entries[starts[r]] … entries[starts[r + 1] - 1].
struct SparseRows {
  std::vector<SparseEntry> entries;
  std::vector<size_t> starts = {0};
  uint32_t columns = 0;

  size_t size() const { return starts.size() - 1; }
  std::span<const SparseEntry> row(size_t r) const {
    return std::span(entries).subspan(starts[r], starts[r + 1] - starts[r]);
  }
};

struct LogisticOptions {
  double c = 1;              // weight of the data against the penalty, greater than 0
  double tolerance = 1e-3;   // largest change of a row's probability in the last round
  int64_t max_rounds = 100;  // over all rows; then the fit is as good as it is
  uint64_t seed = 0;         // of the order in which rows are visited
};

// The weights w: [columns]. Fits `rows`, the numbers of the rows to use; is_positive[i] belongs to
// rows[i]. Throws Error if the two differ in length, c is out of range or an entry is outside the
// columns.
std::vector<double> fit_logistic(const SparseRows& data, std::span<const size_t> rows,
                                 const std::vector<bool>& is_positive,
                                 const LogisticOptions& options);

double dot(std::span<const SparseEntry> row, std::span<const double> weights);

}  // namespace palimpsest
