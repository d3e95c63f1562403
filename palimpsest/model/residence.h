// The ways to keep the weights of a model in memory. internal/memory.h determines which of them fit
// into the available memory.
#pragma once

namespace palimpsest::model {

enum class Residence {
  kResident,  // all weights are in memory, in the type of the computation
  // All weights are in memory, in the 16-bit type in which they are stored. They are widened when
  // they are used.
  k16Bit,
  kStreamed,  // one layer is in memory at a time
  kNone,      // the model does not fit into memory, not even one layer at a time
};

}  // namespace palimpsest::model
