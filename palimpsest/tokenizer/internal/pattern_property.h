// The names of Unicode properties: from those of Oniguruma's \p{…} to PCRE2's.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace palimpsest::tokenizer {

// `folded` is the name in small letters without spaces, hyphens and underscores, `name` as it was
// written. nullopt for a name whose meaning differs between the two or that PCRE2 lacks.
std::optional<std::string> pcre2_property(std::string_view folded, std::string_view name);

}  // namespace palimpsest::tokenizer
