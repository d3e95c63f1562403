// How the weights of a model are kept. internal/memory.h determines which way fits into the
// available memory.
#pragma once

namespace palimpsest::model {

enum class Residence {
  kResident,  // all weights in memory, in the computation's type
  k16Bit,  // all weights in memory, in the 16-bit type in which they are stored; widened when used
  kStreamed,  // one layer at a time
  kNone,      // the model does not fit into memory, not even one layer at a time
};

}  // namespace palimpsest::model
