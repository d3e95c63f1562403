// Estimates the memory that a model takes, before any of it is allocated, and the memory that the
// machine has.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "palimpsest/model/internal/architecture.h"
#include "palimpsest/model/language_model.h"

namespace palimpsest::model {

// Sizes in bytes. They cover the largest parts; the program and its libraries take some more.
struct MemoryNeed {
  int64_t resident_weights = 0;  // all weights, in the type of the computation
  // All weights in the 16-bit type in which they are stored; 0 if they are not stored in 16 bits.
  int64_t weights_16bit = 0;
  // If one layer is in memory at a time: the weights of that layer. Embedding and head stay in
  // their file and are read a few rows at a time.
  int64_t streamed_weights = 0;
  // The work space of scoring per packed token. Attention scores and logits are computed one tile
  // at a time, so they do not grow with the number of tokens.
  int64_t scoring_per_token = 0;
  int64_t cache_per_token = 0;  // keys and values of all layers
};

// `number_bytes` is the size of a number in the computation: 4 for float32. `stored_16bit` says
// that weights may stay in 16 bits. Throws Error if a size does not fit into int64_t.
MemoryNeed memory_need(const Architecture& architecture, int64_t number_bytes = 4,
                       bool stored_16bit = false);

// The number of packed tokens that run through a layer together, and the smallest number with which
// a model is run.
constexpr int64_t kDefaultBatchTokens = 4096;
constexpr int64_t kMinBatchTokens = 256;

// The best way that fits into `bytes`: all weights with the work space of kDefaultBatchTokens, or
// one layer with that of kMinBatchTokens.
Residence best_residence(const MemoryNeed& need, int64_t bytes);

// The size of the weights that are in memory at the same time.
int64_t weight_bytes(const MemoryNeed& need, Residence residence);

// The memory that a model may take: `limit`, or, if that is 0, nine tenths of the free memory. If
// the system does not say how much is free, it is the memory that the model needs.
int64_t memory_to_use(const MemoryNeed& need, int64_t limit);

// The memory that this process may still take without swapping. It is the memory that the system
// reports as available, or the rest of a control group's limit (version 1 or 2) if that is less.
// Pages that can be dropped do not count as used. Returns nullopt if the system does not say.
// `root` is for tests.
std::optional<int64_t> free_memory(const std::filesystem::path& root = "/");

}  // namespace palimpsest::model
