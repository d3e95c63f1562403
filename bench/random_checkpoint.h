// A Llama-like checkpoint of about 100 million parameters with random weights, for benchmarks.
#pragma once

#include <cstdint>
#include <filesystem>

namespace palimpsest {

struct RandomCheckpoint {
  int64_t vocab_size = 32000;
  int64_t hidden_size = 768;
  int64_t num_layers = 12;
  int64_t num_heads = 12;
  int64_t mlp_size = 2048;
  bool tied = true;
  bool bfloat16 = false;
  uint64_t seed = 1;
};

// Writes config.json and model.safetensors unless they are there.
void write_random_checkpoint(const RandomCheckpoint& options, const std::filesystem::path& folder);

}  // namespace palimpsest
