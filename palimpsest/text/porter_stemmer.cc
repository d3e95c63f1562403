#include "palimpsest/text/internal/porter_stemmer.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <span>
#include <utility>

#include "palimpsest/base/error.h"

namespace palimpsest::text {
namespace {

bool is_vowel_letter(char c) {
  return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u';
}

// Whether a character is a consonant, given whether the one before it is. A y is one at the
// beginning of the word and after a vowel.
bool next_is_consonant(char c, bool first, bool previous_is_consonant) {
  if (is_vowel_letter(c)) return false;
  return c != 'y' || first || !previous_is_consonant;
}

// Porter's m: how often a consonant follows a vowel, [C](VC)^m[V].
int64_t measure(std::string_view stem) {
  int64_t m = 0;
  bool consonant = true;  // a consonant before the first letter cannot complete a VC
  for (size_t i = 0; i < stem.size(); ++i) {
    const bool next = next_is_consonant(stem[i], i == 0, consonant);
    if (next && !consonant) ++m;
    consonant = next;
  }
  return m;
}

bool contains_vowel(std::string_view stem) {
  bool consonant = true;
  for (size_t i = 0; i < stem.size(); ++i) {
    consonant = next_is_consonant(stem[i], i == 0, consonant);
    if (!consonant) return true;
  }
  return false;
}

// Whether the character `back` letters before the end (0: the last one) is a consonant. A run of y
// alternates, so it is walked to its beginning.
bool is_consonant_from_end(std::string_view word, size_t back) {
  const size_t at = word.size() - 1 - back;
  size_t i = at;
  while (i > 0 && word[i] == 'y') --i;
  const bool start = !is_vowel_letter(word[i]);
  return (at - i) % 2 == 0 ? start : !start;
}

bool ends_double_consonant(std::string_view word) {
  return word.size() >= 2 && word[word.size() - 1] == word[word.size() - 2] &&
         is_consonant_from_end(word, 0);
}

// Porter's *o: consonant, vowel, consonant other than w, x, y. NLTK adds words of two letters,
// vowel and consonant.
bool ends_cvc(std::string_view word) {
  if (word.size() == 2) return !is_consonant_from_end(word, 1) && is_consonant_from_end(word, 0);
  const char last = word.empty() ? 'w' : word.back();
  return word.size() >= 3 && is_consonant_from_end(word, 2) && !is_consonant_from_end(word, 1) &&
         is_consonant_from_end(word, 0) && last != 'w' && last != 'x' && last != 'y';
}

struct Rule {
  std::string_view suffix;
  std::string_view replacement;
};

std::string_view without(std::string_view word, std::string_view suffix) {
  return word.substr(0, word.size() - suffix.size());
}

void replace_suffix(std::string& word, const Rule& rule) {
  word.resize(word.size() - rule.suffix.size());
  word += rule.replacement;
}

// Only the first rule whose suffix matches counts: it is applied if its condition holds for what
// stands before the suffix, and otherwise the word stays as it is.
template <class Condition>
void apply_first(std::string& word, std::span<const Rule> rules, Condition condition) {
  for (const Rule& rule : rules) {
    if (!word.ends_with(rule.suffix)) continue;
    if (condition(rule, without(word, rule.suffix))) replace_suffix(word, rule);
    return;
  }
}

bool has_positive_measure(const Rule&, std::string_view stem) {
  return measure(stem) > 0;
}

// Plurals.
void step_1a(std::string& word) {
  static constexpr std::array<Rule, 4> kRules = {
      {{"sses", "ss"}, {"ies", "i"}, {"ss", "ss"}, {"s", ""}}};
  if (word.size() == 4 && word.ends_with("ies")) {
    word.pop_back();
    return;
  }
  apply_first(word, kRules, [](const Rule&, std::string_view) { return true; });
}

// Gives back what a removed -ed or -ing took with it: siz(ed) to size, hopp(ing) to hop.
void restore_ending_after_step_1b(std::string& stem) {
  const bool lost_e = stem.ends_with("at") || stem.ends_with("bl") || stem.ends_with("iz");
  if (!lost_e && ends_double_consonant(stem)) {
    const char last = stem.back();
    if (last != 'l' && last != 's' && last != 'z') stem.pop_back();
    return;
  }
  if (lost_e || (measure(stem) == 1 && ends_cvc(stem))) stem += 'e';
}

// -ed and -ing.
void step_1b(std::string& word) {
  if (word.ends_with("ied")) {
    word.resize(word.size() - (word.size() == 4 ? 1 : 2));
    return;
  }
  if (word.ends_with("eed")) {
    if (measure(without(word, "eed")) > 0) word.pop_back();
    return;
  }
  for (const std::string_view suffix : {"ed", "ing"}) {
    if (!word.ends_with(suffix) || !contains_vowel(without(word, suffix))) continue;
    word.resize(word.size() - suffix.size());
    restore_ending_after_step_1b(word);
    return;
  }
}

// y to i after a consonant that is not the whole stem.
void step_1c(std::string& word) {
  if (word.size() > 2 && word.back() == 'y' && is_consonant_from_end(word, 1)) word.back() = 'i';
}

// Double suffixes to single ones.
void step_2(std::string& word) {
  static constexpr std::array<Rule, 22> kRules = {
      {{"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"},   {"anci", "ance"},
       {"izer", "ize"},    {"bli", "ble"},     {"alli", "al"},     {"entli", "ent"},
       {"eli", "e"},       {"ousli", "ous"},   {"ization", "ize"}, {"ation", "ate"},
       {"ator", "ate"},    {"alism", "al"},    {"iveness", "ive"}, {"fulness", "ful"},
       {"ousness", "ous"}, {"aliti", "al"},    {"iviti", "ive"},   {"biliti", "ble"},
       {"fulli", "ful"},   {"logi", "log"}}};
  // What -alli leaves goes through the step once more: sensationalli to sensational to sensate.
  if (word.ends_with("alli") && measure(without(word, "alli")) > 0) word.resize(word.size() - 2);
  apply_first(word, kRules, [&](const Rule& rule, std::string_view stem) {
    // The l of -logi counts as part of the stem, so that "geologi" has one to stand on.
    if (rule.suffix == "logi") return measure(without(word, "ogi")) > 0;
    return measure(stem) > 0;
  });
}

void step_3(std::string& word) {
  static constexpr std::array<Rule, 7> kRules = {{{"icate", "ic"},
                                                  {"ative", ""},
                                                  {"alize", "al"},
                                                  {"iciti", "ic"},
                                                  {"ical", "ic"},
                                                  {"ful", ""},
                                                  {"ness", ""}}};
  apply_first(word, kRules, has_positive_measure);
}

// Takes the last suffix off.
void step_4(std::string& word) {
  static constexpr std::array<Rule, 19> kRules = {{{"al", ""},
                                                   {"ance", ""},
                                                   {"ence", ""},
                                                   {"er", ""},
                                                   {"ic", ""},
                                                   {"able", ""},
                                                   {"ible", ""},
                                                   {"ant", ""},
                                                   {"ement", ""},
                                                   {"ment", ""},
                                                   {"ent", ""},
                                                   {"ion", ""},
                                                   {"ou", ""},
                                                   {"ism", ""},
                                                   {"ate", ""},
                                                   {"iti", ""},
                                                   {"ous", ""},
                                                   {"ive", ""},
                                                   {"ize", ""}}};
  apply_first(word, kRules, [](const Rule& rule, std::string_view stem) {
    if (measure(stem) <= 1) return false;
    return rule.suffix != "ion" || stem.back() == 's' || stem.back() == 't';
  });
}

// A final e, and the second l of a final -ll.
void step_5(std::string& word) {
  if (word.ends_with('e')) {
    const std::string_view stem = without(word, "e");
    const int64_t m = measure(stem);
    if (m > 1 || (m == 1 && !ends_cvc(stem))) word.pop_back();
  }
  if (word.ends_with("ll") && measure(without(word, "l")) > 1) word.pop_back();
}

// Words that the rules would get wrong, and their stems.
constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kIrregular = {
    {{"sky", "sky"},
     {"skies", "sky"},
     {"dying", "die"},
     {"lying", "lie"},
     {"tying", "tie"},
     {"news", "news"},
     {"innings", "inning"},
     {"inning", "inning"},
     {"outings", "outing"},
     {"outing", "outing"},
     {"cannings", "canning"},
     {"canning", "canning"},
     {"howe", "howe"},
     {"proceed", "proceed"},
     {"exceed", "exceed"},
     {"succeed", "succeed"}}};

std::string lowered(std::string_view word) {
  std::string lower(word);
  for (char& c : lower) {
    if (static_cast<unsigned char>(c) >= 0x80) {
      throw Error({.what = "the stemmer takes ASCII words only",
                   .found = fmt::format("the byte 0x{:02X}", static_cast<unsigned char>(c)),
                   .hint = "split the text into words of a-z and 0-9 first"});
    }
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

}  // namespace

std::string porter_stem(std::string_view word) {
  std::string stem = lowered(word);
  if (stem.size() <= 2) return stem;
  for (const auto& [form, irregular_stem] : kIrregular) {
    if (stem == form) return std::string(irregular_stem);
  }
  step_1a(stem);
  step_1b(stem);
  step_1c(stem);
  step_2(stem);
  step_3(stem);
  step_4(stem);
  step_5(stem);
  return stem;
}

}  // namespace palimpsest::text
