#include "palimpsest/service/internal/align_tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "palimpsest/base/error.h"

namespace palimpsest::service {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr std::string_view kMetaspace = "\xE2\x96\x81";    // ▁

bool is_space(char c) {
  return std::string_view(" \t\r\n").find(c) != std::string_view::npos;
}

// The positions of the bytes that are no spaces and do not stand for them.
std::vector<size_t> bare_positions(std::string_view text) {
  std::vector<size_t> positions;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with(kMetaspace)) {
      i += kMetaspace.size() - 1;
    } else if (!is_space(text[i])) {
      positions.push_back(i);
    }
  }
  return positions;
}

// The text without spaces and what stands for them.
std::string bare(std::string_view text) {
  std::string result;
  for (const size_t position : bare_positions(text)) result += text[position];
  return result;
}

size_t count_ending_spaces(std::string_view text) {
  size_t count = 0;
  for (; !text.empty(); ++count) {
    if (text.ends_with(kMetaspace)) {
      text.remove_suffix(kMetaspace.size());
    } else if (is_space(text.back())) {
      text.remove_suffix(1);
    } else {
      break;
    }
  }
  return count;
}

bool is_unknown(const GivenToken& token) {
  return token.is_unknown || token.text.find(kReplacement) != std::string::npos;
}

// The first token may be one that the service put before the text, such as "<s>". One of unknown
// text is taken for that.
size_t first_of_text(const GivenText& given, const std::string& wanted) {
  if (given.tokens[0].is_unknown) return 1;
  const std::string first = bare(given.tokens[0].text);
  const bool is_special = first.starts_with("<") && first.ends_with(">");
  return is_special && !wanted.starts_with(first) ? 1 : 0;
}

// The number of tokens of a text whose last character that is no space is one of token `last`.
// Spaces that end the text belong to it, if they are tokens of their own.
size_t end_of_text(const GivenText& given, size_t last, const std::string& text) {
  size_t spaces = count_ending_spaces(given.tokens[last].text);
  size_t end = last + 1;
  for (; end < given.tokens.size(); ++end) {
    const GivenToken& token = given.tokens[end];
    if (token.text.empty() || is_unknown(token) || !bare(token.text).empty()) break;
    spaces += count_ending_spaces(token.text);
    if (spaces > count_ending_spaces(text)) break;
  }
  return end;
}

std::string excerpt(const std::string& text, size_t at) {
  constexpr size_t kBefore = 10;
  constexpr size_t kLength = 30;
  const size_t begin = at > kBefore ? at - kBefore : 0;
  return text.substr(begin, kLength);
}

}  // namespace

void fill_first_token(GivenText& given) {
  if (!given.text || given.tokens.empty() || !given.tokens[0].is_unknown) return;
  std::string rest;
  for (size_t i = 1; i < given.tokens.size(); ++i) {
    if (is_unknown(given.tokens[i])) return;
    rest += given.tokens[i].text;
  }
  // With its spaces if the others have theirs.
  if (given.text->ends_with(rest)) {
    given.tokens[0] = {.text = given.text->substr(0, given.text->size() - rest.size())};
  } else if (const std::string whole = bare(*given.text); whole.ends_with(bare(rest))) {
    given.tokens[0] = {.text = whole.substr(0, whole.size() - bare(rest).size())};
  }
}

void fill_empty_tokens(std::vector<GivenToken>& tokens, const std::string& text) {
  const std::string wanted = bare(text);
  const std::vector<size_t> positions = bare_positions(text);
  std::vector<std::pair<size_t, std::string>> filled;
  size_t position = 0;
  for (size_t i = 0; i < tokens.size();) {
    const size_t first_empty = i;
    while (i < tokens.size() && tokens[i].text.empty()) ++i;
    const bool has_gap = i > first_empty;
    std::string known;
    for (; i < tokens.size() && !tokens[i].text.empty(); ++i) known += bare(tokens[i].text);
    const std::string_view rest = std::string_view(wanted).substr(position);
    const bool is_end = i == tokens.size() && rest.ends_with(known);
    const size_t gap = is_end ? rest.size() - known.size() : rest.find(known);
    if (gap == std::string_view::npos || (gap > 0 && !has_gap)) return;
    if (gap > 0) {
      const size_t begin = positions[position];
      filled.emplace_back(first_empty,
                          text.substr(begin, positions[position + gap - 1] + 1 - begin));
    }
    position += gap + known.size();
  }
  for (auto& [i, part] : filled) tokens[i].text = std::move(part);
}

void require_spelling(const GivenText& given) {
  if (!given.text || given.tokens.empty()) return;
  const std::string wanted = bare(*given.text);
  const size_t first = first_of_text(given, wanted);
  for (size_t i = first; i < given.tokens.size(); ++i) {
    if (is_unknown(given.tokens[i])) return;  // from there on, nothing can be compared
  }
  std::string spelt;
  for (size_t i = first; i < given.tokens.size(); ++i) spelt += bare(given.tokens[i].text);
  if (spelt == wanted) return;
  const auto parted = std::mismatch(spelt.begin(), spelt.end(), wanted.begin(), wanted.end()).first;
  const auto at = static_cast<size_t>(parted - spelt.begin());
  throw Error({.what = "the tokens do not spell the text that was given",
               .expected = fmt::format("'{}'", excerpt(wanted, at)),
               .found = fmt::format("'{}'", excerpt(spelt, at)),
               .hint = "log each response with its own request"});
}

size_t count_text_tokens(const GivenText& given, const std::string& text) {
  const std::string wanted = bare(text);
  size_t spelt = 0;
  for (size_t i = first_of_text(given, wanted); i < given.tokens.size(); ++i) {
    spelt += bare(given.tokens[i].text).size();
    if (spelt >= wanted.size()) return end_of_text(given, i, text);
  }
  return given.tokens.size();
}

size_t count_prompt_tokens(const GivenText& given, const std::string& prompt) {
  const std::string wanted = bare(prompt);
  if (wanted.empty()) return 0;
  const size_t first = given.tokens.empty() ? 0 : first_of_text(given, wanted);
  std::string spelt;
  for (size_t i = first; i < given.tokens.size(); ++i) {
    if (is_unknown(given.tokens[i])) {
      throw Error({.what = "the text of a token of the prompt is not known, so the end of the "
                           "prompt cannot be found",
                   .where = fmt::format("token {}", i)});
    }
    spelt += bare(given.tokens[i].text);
    const size_t common = std::min(spelt.size(), wanted.size());
    if (spelt.compare(0, common, wanted, 0, common) != 0) {
      throw Error({.what = "the given text does not begin with the prompt",
                   .expected = fmt::format("'{}'", excerpt(wanted, 0)),
                   .found = fmt::format("'{}'", excerpt(spelt, 0)),
                   .hint = given.tokens[0].is_unknown
                               ? "log the request beside the response: it says what the first "
                                 "token is"
                               : ""});
    }
    if (spelt.size() < wanted.size()) continue;
    if (spelt.size() > wanted.size()) {
      throw Error(
          {.what = fmt::format("the prompt ends within the token '{}'", given.tokens[i].text),
           .hint = "let the prompt end where a token ends, for example at a line break"});
    }
    return end_of_text(given, i, prompt);
  }
  throw Error({.what = "the prompt is longer than the text that was given",
               .expected = fmt::format("'{}'", excerpt(wanted, 0)),
               .found = fmt::format("'{}'", excerpt(spelt, 0))});
}

}  // namespace palimpsest::service
