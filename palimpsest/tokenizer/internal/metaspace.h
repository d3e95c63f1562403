// Options that the pre-tokenizer and the decoder called Metaspace share. They write a space as a
// visible character (▁), as SentencePiece does, and may put one before a text.
#pragma once

#include "palimpsest/tokenizer/internal/component_fields.h"

namespace palimpsest::tokenizer {

enum class PrependScheme {
  kAlways,  // before every piece
  kFirst,   // before the first piece of the text
  kNever,
};

struct MetaspaceOptions {
  char32_t replacement = U'\u2581';
  PrependScheme prepend = PrependScheme::kAlways;
  bool split = true;  // cut before every replacement character
};

// Reads both forms of the options: with prepend_scheme, or with the older add_prefix_space.
MetaspaceOptions load_metaspace(ComponentFields& fields);

}  // namespace palimpsest::tokenizer
