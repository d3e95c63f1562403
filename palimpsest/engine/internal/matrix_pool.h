// Host matrices that come and go many times in one pass. Memory that is handed back to the system and
// asked for again must be cleared each time; the pool keeps what it has made and gives it out again
// once nobody else holds it. Contents are whatever stood there before. Not for several threads.
#pragma once

#include <cstdint>
#include <vector>

#include "palimpsest/engine/matrix.h"

namespace palimpsest::engine {

class MatrixPool {
 public:
  // A matrix of this shape: the smallest free one that holds it, unless that is more than twice as
  // large; else a new one. It goes back to the pool by itself, with its last copy.
  Matrix make(int64_t rows, int64_t columns);

  // How many matrices the pool has made.
  int64_t size() const { return static_cast<int64_t>(made_.size()); }

 private:
  std::vector<Matrix> made_;
};

}  // namespace palimpsest::engine
