// The tokenizer of the examples, which the tests of this folder share.
#pragma once

#include "palimpsest/text/tokenizer.h"

namespace palimpsest {

inline const Tokenizer& tiny_tokenizer() {
  static const Tokenizer tokenizer = Tokenizer::load(PALIMPSEST_EXAMPLES_DIR "/tiny-tokenizer");
  return tokenizer;
}

}  // namespace palimpsest
