// The Porter stemmer as NLTK runs it by default: Porter's algorithm of 1980 with the later changes
// that NLTK adds (a table of irregular forms; "dies" becomes "die" but "flies" "fli"; "enjoy" keeps
// its y; "-bli", "-fulli" and "-logi" in step 2). ROUGE needs exactly this variant: another Porter
// stemmer gives other matches and so other scores. The original and Martin Porter's own variant are
// not offered.
//
//   porter_stem("relational");   // "relat"
//   porter_stem("skies");        // "sky"
#pragma once

#include <string>
#include <string_view>

namespace palimpsest::text {

// The stem of one word. Upper case is lowered first; whatever is not a letter counts as a
// consonant, digits too. Words of one or two characters are their own stems. Throws Error on a byte
// outside ASCII: lengths decide here, and they are counted in bytes. Time follows the length of the
// word.
std::string porter_stem(std::string_view word);

}  // namespace palimpsest::text
