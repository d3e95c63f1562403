// ZLIB (Carlini et al. 2021, "Extracting Training Data from Large Language Models"): the loss in
// relation to the amount of information in the text, as measured by a general-purpose compressor.
//
//   score = avg_loss / (bytes of zlib.compress, default level, of the text in UTF-8)
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "palimpsest/attack/attack.h"

namespace palimpsest::attack {

std::optional<double> zlib_score(const trace::Trace& trace);
Attack zlib_attack();

// The size of these bytes after compression at zlib's default level.
int64_t compressed_size(std::string_view bytes);

}  // namespace palimpsest::attack
