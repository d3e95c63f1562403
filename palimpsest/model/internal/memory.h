// How much memory a model takes, before any of it is allocated, and how much the machine has.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "palimpsest/model/architecture.h"
#include "palimpsest/model/residence.h"

namespace palimpsest::model {

// Bytes. Estimates of what dominates; programs and libraries themselves take some more.
struct MemoryNeed {
  int64_t resident_weights = 0;  // all weights, in the computation's type
  int64_t weights_16bit = 0;  // all weights in the 16 bits that they are stored in; 0: they are not
  // With one layer in memory at a time: that layer. Embedding and head stay in their file and are
  // read a few rows at a time.
  int64_t streamed_weights = 0;
  // Work space of scoring, per packed token. Attention scores and logits exist a tile at a time and
  // do not grow with the tokens.
  int64_t scoring_per_token = 0;
  int64_t cache_per_token = 0;  // keys and values of all layers
};

// `number_bytes`: of one number in the computation, 4 for float32; `stored_16bit`: weights may stay
// in 16 bits. Throws Error where a size is beyond int64_t.
MemoryNeed memory_need(const Architecture& architecture, int64_t number_bytes = 4,
                       bool stored_16bit = false);

// Packed tokens that run through a layer together, and the fewest with which it is worth starting.
constexpr int64_t kDefaultBatchTokens = 4096;
constexpr int64_t kMinBatchTokens = 256;

// The best that fits into `bytes`: all weights with the work space of kDefaultBatchTokens, or one layer
// with that of kMinBatchTokens.
Residence best_residence(const MemoryNeed& need, int64_t bytes);

// Bytes of the weights that are in memory at the same time.
int64_t weight_bytes(const MemoryNeed& need, Residence residence);

// Bytes that a model may take: the limit that was asked for or, if that is 0, what is free but for
// a tenth, which is left to everybody else. Where the system does not say: what it needs.
int64_t memory_to_use(const MemoryNeed& need, int64_t limit);

// Bytes that this process may still take without swapping: what the system calls available, or what
// is left of a control group's limit (version 1 or 2, pages that can be dropped not counted as
// taken) if that is less. Nothing where the system does not say. `root` is for tests.
std::optional<int64_t> free_memory(const std::filesystem::path& root = "/");

}  // namespace palimpsest::model
