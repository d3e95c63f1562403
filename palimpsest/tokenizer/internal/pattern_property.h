// Translates the names of Unicode properties from Oniguruma's \p{…} to PCRE2's.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace palimpsest::tokenizer {

// `folded` is the name in lower case without spaces, hyphens and underscores; `name` is the name as
// written. Returns nullopt for a name that PCRE2 lacks, or whose meaning differs between the two.
std::optional<std::string> pcre2_property(std::string_view folded, std::string_view name);

}  // namespace palimpsest::tokenizer
