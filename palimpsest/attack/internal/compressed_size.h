// The size of a text after compression: the amount of information that the attack ZLIB takes it to
// have. Traces whose texts are hidden keep this size instead (hidden_texts.h).
#pragma once

#include <cstdint>
#include <string_view>

namespace palimpsest::attack {

// The size of these bytes after compression at zlib's default level.
int64_t compressed_size(std::string_view bytes);

}  // namespace palimpsest::attack
