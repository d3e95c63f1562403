// The vector instructions that hot loops are compiled for, and which of them this process uses.
//
// Every loop exists once per set, from one source. The set is chosen when the program starts: the
// widest that the processor has. Results are equal to the bit on one set; between sets they differ
// by rounding, because only the wider ones fuse multiplications with additions.
//
// Threads may read the choice at any time. Whoever changes it does so before any loop runs.
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

// Those that this processor has, the narrowest first. Never empty.
const std::vector<InstructionSet>& available_instruction_sets();

// Throws Error for a name that is none, or a set that is not among those available.
InstructionSet instruction_set_of(std::string_view name, std::span<const InstructionSet> available =
                                                             available_instruction_sets());

// From now on. The set must be available.
void use_instruction_set(InstructionSet set);

namespace internal {
extern std::atomic<InstructionSet> instruction_set_in_use;
}

inline InstructionSet instruction_set() {
  return internal::instruction_set_in_use.load(std::memory_order_relaxed);
}

}  // namespace palimpsest
