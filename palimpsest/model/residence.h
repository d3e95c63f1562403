// How the weights of a model are kept. memory.h says which way fits into how much memory.
#pragma once

namespace palimpsest {

enum class Residence {
  kWhole,     // all weights in memory, in the computation's type
  kShort,     // all of them in the 16 bits that they are stored in, widened as they are used
  kStreamed,  // one layer at a time
  kNone,      // not at all
};

}  // namespace palimpsest
