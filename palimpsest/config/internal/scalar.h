// Plain (unquoted) scalars of YAML as OmegaConf reads and writes them. That is YAML 1.1 as PyYAML
// resolves it (yes and off are booleans, 0x1F and 0b1 and 1:30 whole numbers), without timestamps
// and with numbers such as 1e-5, which YAML 1.1 alone would take for a text.
#pragma once

#include <string>
#include <string_view>

#include "palimpsest/config/value.h"

namespace palimpsest::config {

// What the scalar means. Throws Error for a whole number beyond 64 bits.
Value resolve_scalar(std::string_view text);

// Whether a text may be written without quotation marks and still be read as a text: the question
// that OmegaConf asks when it writes. Stricter than resolve_scalar, since timestamps and whatever
// Python takes for a number are quoted too. Says nothing about characters that need quoting.
bool is_safe_plain_text(std::string_view text);

// The text of a key that may have been written as a number or a boolean: 1, 0.5, true. Throws Error
// for null, lists and maps.
std::string key_text(const Value& key);

}  // namespace palimpsest::config
