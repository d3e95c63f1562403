// Reads and writes plain (unquoted) YAML scalars as OmegaConf does. The rules are those of YAML 1.1
// in PyYAML (yes and off are booleans; 0x1F, 0b1 and 1:30 are whole numbers), with two differences:
// there are no timestamps, and numbers such as 1e-5 are numbers, which YAML 1.1 would read as
// texts.
#pragma once

#include <string>
#include <string_view>

#include "palimpsest/config/value.h"

namespace palimpsest::config {

// The value of a scalar. Throws Error for a whole number beyond 64 bits.
Value resolve_scalar(std::string_view text);

// Whether a text may be written without quotes and is still read back as a text, by the rule that
// OmegaConf uses for writing. The rule is stricter than resolve_scalar(): timestamps and everything
// that Python reads as a number are quoted too. It does not consider characters that need quotes.
bool is_safe_plain_text(std::string_view text);

// The text of a key that may have been written as a number or a boolean: 1, 0.5, true. Throws Error
// for null, lists and maps.
std::string key_text(const Value& key);

}  // namespace palimpsest::config
