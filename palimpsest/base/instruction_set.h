// The vector instructions that hot loops are compiled for, and which of them this process uses.
//
// Every such loop is compiled once per instruction set from the same source. When the program
// starts, the widest set that the processor supports is chosen. Results are bit-identical for one
// set. Between sets they differ by rounding, because only the wider sets fuse multiplications with
// additions.
//
// Threads may read the choice at any time. It must only be changed before any such loop runs.
#pragma once

#include <atomic>
#include <span>
#include <string_view>
#include <vector>

namespace palimpsest {

enum class InstructionSet {
  kBaseline,  // what every processor of the architecture has: SSE2 on x86-64, NEON on aarch64
  kAvx2,      // AVX2 and FMA
  kAvx512,    // AVX-512 F, BW, CD, DQ and VL
};

std::string_view name_of(InstructionSet set);  // "baseline", "avx2", "avx512"

// The sets that this processor supports, the narrowest first. Never empty.
const std::vector<InstructionSet>& available_instruction_sets();

// The set with this name. Throws Error for an unknown name and for a set that is not available.
InstructionSet instruction_set_of(std::string_view name, std::span<const InstructionSet> available =
                                                             available_instruction_sets());

// Uses this set from now on. It must be available.
void use_instruction_set(InstructionSet set);

namespace internal {
extern std::atomic<InstructionSet> instruction_set_in_use;
}

inline InstructionSet instruction_set() {
  return internal::instruction_set_in_use.load(std::memory_order_relaxed);
}

}  // namespace palimpsest
