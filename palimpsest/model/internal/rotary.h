// Rotary position embeddings (RoPE): each pair of numbers in a head is rotated by an angle that
// depends on the position. The scaled variants differ only in their frequencies. In two of them
// (dynamic, longrope) the frequencies depend on the length of the sequence.
#pragma once

#include <cstdint>
#include <vector>

namespace palimpsest::model {

enum class RopeScaling { kNone, kLinear, kDynamic, kLlama3, kLongRope };

struct Rotary {
  int64_t dims = 0;  // how many numbers of a head are rotated (the first ones); even
  double theta = 10000;
  RopeScaling scaling = RopeScaling::kNone;
  double factor = 1;                   // for linear, dynamic, llama3
  double low_freq_factor = 1;          // for llama3
  double high_freq_factor = 4;         // for llama3
  int64_t original_max_positions = 0;  // for dynamic, llama3, longrope
  std::vector<double> short_factor;    // for longrope: dims / 2 numbers
  std::vector<double> long_factor;     // for longrope: dims / 2 numbers
  double attention_factor = 1;         // for longrope: cosine and sine are multiplied by it
};

// The dims / 2 frequencies for a sequence of `length` tokens, in float32 as in transformers. Pair i
// consists of the numbers i and i + dims / 2 of a head. At position t it is rotated by the angle
// t · frequencies[i].
std::vector<float> rotary_frequencies(const Rotary& rotary, int64_t length);

// The class of a length. Lengths of the same class have the same frequencies, so sequences of these
// lengths can share the cached keys of a common beginning.
int64_t rotary_length_class(const Rotary& rotary, int64_t length);

}  // namespace palimpsest::model
