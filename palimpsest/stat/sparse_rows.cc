#include "palimpsest/stat/internal/sparse_rows.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/parallel.h"

namespace palimpsest::stat {
namespace {

// The entries again, column by column; within a column the rows ascend.
struct ColumnIndex {
  struct Entry {
    uint32_t row = 0;
    float value = 0;
  };
  std::vector<Entry> entries;
  std::vector<size_t> starts;
};

ColumnIndex index_columns(const SparseRows& data) {
  ColumnIndex index;
  index.starts.assign(size_t{data.columns} + 1, 0);
  for (const SparseEntry& entry : data.entries) ++index.starts[entry.column + 1];
  std::partial_sum(index.starts.begin(), index.starts.end(), index.starts.begin());
  std::vector<size_t> next(index.starts.begin(), index.starts.end() - 1);
  index.entries.resize(data.entries.size());
  for (size_t r = 0; r < data.size(); ++r) {
    for (const SparseEntry& entry : data.row(r)) {
      index.entries[next[entry.column]++] = {static_cast<uint32_t>(r), entry.value};
    }
  }
  return index;
}

void require_valid_rows(const SparseRows& data) {
  for (size_t r = 0; r < data.size(); ++r) {
    int64_t previous = -1;
    for (const SparseEntry& entry : data.row(r)) {
      if (entry.column >= data.columns || !std::isfinite(entry.value)) {
        throw Error(fmt::format("row {} has a column beyond {} or a value that is not finite", r,
                                data.columns));
      }
      if (entry.column <= previous)
        throw Error(fmt::format("the columns of row {} do not ascend", r));
      previous = entry.column;
    }
  }
}

// Products of a row with itself and those before it.
void fill_gram_row(const SparseRows& data, const ColumnIndex& index, size_t r, double* products) {
  for (const SparseEntry& entry : data.row(r)) {
    const double value = static_cast<double>(entry.value);
    const size_t end = index.starts[entry.column + 1];
    for (size_t i = index.starts[entry.column]; i < end && index.entries[i].row <= r; ++i) {
      products[index.entries[i].row] += value * static_cast<double>(index.entries[i].value);
    }
  }
}

}  // namespace

DenseMatrix gram_matrix(const SparseRows& data, int threads) {
  require_valid_rows(data);
  const ColumnIndex index = index_columns(data);
  const size_t count = data.size();
  DenseMatrix gram(count, count);
  // A row costs the more the later it comes; pairs of an early and a late one cost the same.
  const size_t pairs = (count + 1) / 2;
  parallel_for(static_cast<int64_t>(pairs), threads, [&](int64_t begin, int64_t end) {
    for (auto r = static_cast<size_t>(begin); r < static_cast<size_t>(end); ++r) {
      const size_t late = count - 1 - r;
      fill_gram_row(data, index, r, gram.row(r));
      if (late != r) fill_gram_row(data, index, late, gram.row(late));
    }
  });
  for (size_t r = 0; r < count; ++r) {
    for (size_t c = r + 1; c < count; ++c) gram.at(r, c) = gram.at(c, r);
  }
  return gram;
}

}  // namespace palimpsest::stat
