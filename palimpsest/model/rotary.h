// Rotary positions: at each position, each pair of numbers of a head is rotated by an angle. The
// scaled variants differ only in their frequencies. In two of them (dynamic, longrope) the
// frequencies depend on the length of the sequence.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace palimpsest::model {

enum class RopeScaling { kNone, kLinear, kDynamic, kLlama3, kLongRope };

struct Rotary {
  int64_t dims = 0;  // how many numbers of a head are rotated (the first ones); even
  double theta = 10000;
  RopeScaling scaling = RopeScaling::kNone;
  double factor = 1;                   // linear, dynamic, llama3
  double low_freq_factor = 1;          // llama3
  double high_freq_factor = 4;         // llama3
  int64_t original_max_positions = 0;  // dynamic, llama3, longrope
  std::vector<double> short_factor;    // longrope: dims / 2 numbers each
  std::vector<double> long_factor;     // longrope
  double attention_factor = 1;         // longrope: cosine and sine are multiplied by it
};

// The frequencies for a sequence of `length` tokens: dims / 2 numbers, as float32 like
// transformers' own. The angle of pair i at position t is t · frequencies[i], pair i being numbers
// i and i + dims / 2 of the head.
std::vector<float> rotary_frequencies(const Rotary& rotary, int64_t length);

// A class for each length. Lengths of the same class have the same frequencies, so sequences of
// these lengths can share the keys of a common prompt.
int64_t rotary_length_class(const Rotary& rotary, int64_t length);

}  // namespace palimpsest::model
