#include "palimpsest/service/internal/align_tokens.h"

#include <fmt/format.h>

#include <algorithm>

#include "palimpsest/base/error.h"

namespace palimpsest::service {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr std::string_view kMetaspace = "\xE2\x96\x81";    // ▁

// The text without spaces and what stands for them.
std::string bare(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with(kMetaspace)) {
      i += kMetaspace.size() - 1;
    } else if (std::string_view(" \t\r\n").find(text[i]) == std::string_view::npos) {
      result += text[i];
    }
  }
  return result;
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

size_t count_prompt_tokens(const GivenText& given, const std::string& prompt) {
  const std::string wanted = bare(prompt);
  if (wanted.empty()) return 0;
  const size_t first = given.tokens.empty() ? 0 : first_of_text(given, wanted);
  std::string spelt;
  size_t exact = 0;  // bytes of the tokens as they are
  for (size_t i = first; i < given.tokens.size(); ++i) {
    if (is_unknown(given.tokens[i])) {
      throw Error({.what = "the text of a token of the prompt is not known, so that the end of the "
                           "prompt cannot be found",
                   .where = fmt::format("token {}", i)});
    }
    spelt += bare(given.tokens[i].text);
    exact += given.tokens[i].text.size();
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
    // Spaces that end the prompt belong to it, if they are tokens of their own.
    size_t end = i + 1;
    while (end < given.tokens.size() && !is_unknown(given.tokens[end]) &&
           bare(given.tokens[end].text).empty() &&
           exact + given.tokens[end].text.size() <= prompt.size()) {
      exact += given.tokens[end].text.size();
      ++end;
    }
    return end;
  }
  throw Error({.what = "the prompt is longer than the text that was given",
               .expected = fmt::format("'{}'", excerpt(wanted, 0)),
               .found = fmt::format("'{}'", excerpt(spelt, 0))});
}

}  // namespace palimpsest::service
