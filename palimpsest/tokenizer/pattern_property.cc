// The names of Unicode properties in patterns.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "palimpsest/tokenizer/internal/pattern.h"

namespace palimpsest::tokenizer {
namespace {

// What a property of this (folded) name is in PCRE2.
constexpr std::pair<std::string_view, std::string_view> kProperties[] = {
    {"any", "Any"},
    {"letter", "L"},
    {"uppercaseletter", "Lu"},
    {"lowercaseletter", "Ll"},
    {"titlecaseletter", "Lt"},
    {"modifierletter", "Lm"},
    {"otherletter", "Lo"},
    {"mark", "M"},
    {"nonspacingmark", "Mn"},
    {"spacingmark", "Mc"},
    {"enclosingmark", "Me"},
    {"number", "N"},
    {"decimalnumber", "Nd"},
    {"digit", "Nd"},
    {"letternumber", "Nl"},
    {"othernumber", "No"},
    {"punctuation", "P"},
    {"connectorpunctuation", "Pc"},
    {"dashpunctuation", "Pd"},
    {"openpunctuation", "Ps"},
    {"closepunctuation", "Pe"},
    {"initialpunctuation", "Pi"},
    {"finalpunctuation", "Pf"},
    {"otherpunctuation", "Po"},
    {"symbol", "S"},
    {"mathsymbol", "Sm"},
    {"currencysymbol", "Sc"},
    {"modifiersymbol", "Sk"},
    {"othersymbol", "So"},
    {"separator", "Z"},
    {"spaceseparator", "Zs"},
    {"lineseparator", "Zl"},
    {"paragraphseparator", "Zp"},
    {"other", "C"},
    {"control", "Cc"},
    {"format", "Cf"},
    {"privateuse", "Co"},
    {"surrogate", "Cs"},
    {"unassigned", "Cn"},
    {"alpha", "Alphabetic"},
    {"alphabetic", "Alphabetic"},
    {"lower", "Lowercase"},
    {"lowercase", "Lowercase"},
    {"upper", "Uppercase"},
    {"uppercase", "Uppercase"},
    {"ideographic", "Ideographic"},
    {"emoji", "Emoji"},
    {"emojipresentation", "Emoji_Presentation"},
    {"emojimodifier", "Emoji_Modifier"},
    {"emojimodifierbase", "Emoji_Modifier_Base"},
    {"emojicomponent", "Emoji_Component"},
    {"extendedpictographic", "Extended_Pictographic"},
};

// Names whose meaning differs between the two, or that PCRE2 lacks.
constexpr std::array<std::string_view, 8> kRefusedProperties = {
    "alnum", "blank", "cntrl", "graph", "print", "punct", "xdigit", "ascii"};

}  // namespace

std::optional<std::string> pcre2_property(std::string_view folded, std::string_view name) {
  if (std::ranges::find(kRefusedProperties, folded) != kRefusedProperties.end()) {
    return std::nullopt;
  }
  for (const auto& [from, to] : kProperties) {
    if (folded == from) return std::string(to);
  }
  const bool is_name = std::all_of(folded.begin(), folded.end(),
                                   [](unsigned char c) { return std::isalnum(c) != 0; });
  if (folded.empty() || !is_name) return std::nullopt;
  if (folded.size() <= 2) {  // a general category: "Lu"
    std::string category(folded);
    category[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(category[0])));
    return category;
  }
  // A script: by its own property, not by PCRE2's default of script extensions.
  return fmt::format("sc:{}", name);
}

}  // namespace palimpsest::tokenizer
