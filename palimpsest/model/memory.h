// How much memory a model takes, before any of it is allocated, and how much the machine has.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "palimpsest/model/architecture.h"

namespace palimpsest {

// Bytes. Estimates of what dominates; programs and libraries themselves take some more.
struct MemoryNeed {
  int64_t resident_weights = 0;  // all weights
  // With one layer in memory at a time: that layer and everything outside the layers.
  int64_t streamed_weights = 0;
  // Work space of scoring, a packed token: what is alive at the widest place of a layer. Attention
  // scores and logits exist a tile at a time and do not grow with the tokens.
  int64_t scoring_per_token = 0;
  int64_t cache_per_token = 0;  // keys and values of all layers
};

// `number_bytes`: of one number in the computation, 4 for float32. Throws Error where a size is
// beyond int64_t.
MemoryNeed memory_need(const Architecture& architecture, int64_t number_bytes = 4);

// How a model can be kept.
enum class Residence {
  kWhole,     // all weights in memory
  kStreamed,  // one layer at a time
  kNone,      // not at all
};

// The best that fits into `bytes` together with the work space of `tokens` packed tokens.
Residence best_residence(const MemoryNeed& need, int64_t bytes, int64_t tokens);

// Bytes that this process may still take without swapping: what the system calls available, or what
// is left of a control group's limit (version 1 or 2, pages that can be dropped not counted as
// taken) if that is less. Nothing where the system does not say. `root` is for tests.
std::optional<int64_t> free_memory(const std::filesystem::path& root = "/");

}  // namespace palimpsest
