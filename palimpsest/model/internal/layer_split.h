// Decides which layers each of several processes has that hold a model together (stage_link.h).
#pragma once

#include <cstdint>
#include <vector>

#include "palimpsest/model/internal/architecture.h"
#include "palimpsest/model/internal/memory.h"

namespace palimpsest::model {

struct StagePart {
  int64_t first_layer = 0;
  int64_t end_layer = 0;  // the layer after the last one
  int64_t elements = 0;   // of all its weights

  int64_t layers() const { return end_layer - first_layer; }
};

// The parts of `count` stages, each with at least one layer. The embedding belongs to the first and
// the final norm and the head to the last, so that both have the table if it is tied. The largest
// part is at most an eighth larger than it would have to be. Within this bound the arithmetic is
// divided as evenly as possible: looking up an embedding costs nothing, but the head multiplies.
// Throws Error if there are fewer layers than stages.
std::vector<StagePart> split_layers(const Architecture& architecture, int64_t count);

// What a stage needs. `whole` is the need of the whole model, and `number_bytes` the size of a
// number in the computation.
MemoryNeed stage_need(const StagePart& part, const Architecture& architecture,
                      const MemoryNeed& whole, int64_t number_bytes);

}  // namespace palimpsest::model
