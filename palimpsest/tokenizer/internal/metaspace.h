// What the pre-tokenizer and the decoder of the name Metaspace share: SentencePiece's way to write
// a space as a visible character (▁), and when one is put in front.
#pragma once

#include "palimpsest/tokenizer/internal/component_fields.h"

namespace palimpsest::tokenizer {

enum class PrependScheme {
  kAlways,  // before every piece
  kFirst,   // before the piece that opens the text
  kNever,
};

struct MetaspaceOptions {
  char32_t replacement = U'\u2581';
  PrependScheme prepend = PrependScheme::kAlways;
  bool split = true;  // cut before every replacement character
};

// Reads the fields of both forms in use: prepend_scheme, or the older add_prefix_space.
MetaspaceOptions load_metaspace(ComponentFields& fields);

}  // namespace palimpsest::tokenizer
