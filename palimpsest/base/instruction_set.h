// The vector instruction set that the hot loops of this process use.
//
// Every hot loop is compiled once per instruction set, from the same source. When the program
// starts, the widest set that the processor supports is chosen. With the same set, results are
// identical bit for bit. Results of different sets differ by rounding, because only the wider sets
// fuse multiplications with additions.
//
// Threads may read the choice at any time. It may be changed only before the first of these loops
// runs.
#pragma once

#include <atomic>
#include <span>
#include <string_view>
#include <vector>

namespace palimpsest {

enum class InstructionSet {
  kBaseline,  // the set that every processor has: SSE2 on x86-64, NEON on aarch64
  kAvx2,      // AVX2 and FMA
  kAvx512,    // AVX-512 F, BW, CD, DQ and VL
};

std::string_view name_of(InstructionSet set);  // "baseline", "avx2", "avx512"

// The sets that this processor supports, the narrowest first. Never empty.
const std::vector<InstructionSet>& available_instruction_sets();

// The set with this name. Throws Error for an unknown name and for a set that is not available.
InstructionSet instruction_set_of(std::string_view name, std::span<const InstructionSet> available =
                                                             available_instruction_sets());

// Makes the process use this set from now on. Call it before the first hot loop runs (see above).
// Throws BugError if the set is not available; instruction_set_of() checks a name that a user gave.
void use_instruction_set(InstructionSet set);

namespace internal {
extern std::atomic<InstructionSet> instruction_set_in_use;
}

// The set that the process uses now.
inline InstructionSet instruction_set() {
  return internal::instruction_set_in_use.load(std::memory_order_relaxed);
}

}  // namespace palimpsest
