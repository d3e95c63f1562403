// The tokenizer of the examples, which the tests of this folder share.
#pragma once

#include "palimpsest/tokenizer/tokenizer.h"

namespace palimpsest::run {

inline const tokenizer::Tokenizer& tiny_tokenizer() {
  static const tokenizer::Tokenizer tokenizer =
      tokenizer::Tokenizer::load(PALIMPSEST_EXAMPLES_DIR "/tiny-tokenizer");
  return tokenizer;
}

}  // namespace palimpsest::run
