// A pool of host matrices that are used and released many times in one pass. Memory that is
// returned to the system and requested again has to be cleared each time. The pool therefore keeps
// its matrices and gives one out again once nothing else holds it. The contents are arbitrary. Must
// be used by one thread at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "palimpsest/engine/internal/matrix.h"

namespace palimpsest::engine {

class MatrixPool {
 public:
  // A matrix of this shape. It is the smallest free one that is large enough, unless that is more
  // than twice as large; else a new one. It returns to the pool when its last copy is destroyed.
  Matrix make(int64_t rows, int64_t columns);

  // The number of matrices that the pool has made.
  int64_t size() const { return static_cast<int64_t>(made_.size()); }

 private:
  std::vector<Matrix> made_;
};

}  // namespace palimpsest::engine
