// The Porter stemmer in the variant that NLTK uses by default: Porter's algorithm of 1980 with
// changes by NLTK (a table of irregular forms; "dies" becomes "die" but "flies" becomes "fli";
// "enjoy" keeps its y; step 2 also handles "-bli", "-fulli" and "-logi"). ROUGE needs exactly this
// variant: another one gives other matches and so other scores. The original algorithm and Martin
// Porter's own variant are not offered.
//
//   porter_stem("relational");   // "relat"
//   porter_stem("skies");        // "sky"
#pragma once

#include <string>
#include <string_view>

namespace palimpsest::text {

// The stem of one word. The word is lower-cased first. Characters that are not letters, such as
// digits, count as consonants. Words of one or two characters are their own stems. Throws Error for
// a byte outside ASCII, because the rules depend on lengths, which are counted in bytes. The time
// grows with the length of the word.
std::string porter_stem(std::string_view word);

}  // namespace palimpsest::text
