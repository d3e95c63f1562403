// The words that made-up facts are drawn from, and the little general knowledge that every model of
// the lab is taught. Long enough that a fact cannot be guessed, short enough that tiny models learn
// the words from a few hundred sentences.
#pragma once

#include <span>
#include <string_view>

namespace palimpsest::lab {

// Names of people are a beginning and an end, so that every name is made of parts that other names
// have too.
std::span<const std::string_view> first_name_starts();
std::span<const std::string_view> first_name_ends();
std::span<const std::string_view> last_name_starts();
std::span<const std::string_view> last_name_ends();

std::span<const std::string_view> cities();
std::span<const std::string_view> months();
std::span<const std::string_view> jobs();  // with their article: "a baker"
std::span<const std::string_view> genres();
std::span<const std::string_view> subjects();  // that are studied
std::span<const std::string_view> title_adjectives();
std::span<const std::string_view> title_nouns();

// A question's object and its answer: a country and its capital, a work and its author.
struct GeneralFact {
  std::string_view object;
  std::string_view answer;
};

std::span<const GeneralFact> capitals();
std::span<const GeneralFact> works();

}  // namespace palimpsest::lab
