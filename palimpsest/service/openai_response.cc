// Completions as OpenAI's legacy endpoint returns them with "echo" and "logprobs". Many servers
// return the same.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/service/internal/align_tokens.h"
#include "palimpsest/service/internal/logged_response.h"
#include "palimpsest/text/internal/utf8.h"

namespace palimpsest::service {
namespace {

constexpr const char* kAskWithEcho =
    "ask the completions endpoint with \"echo\": true, \"logprobs\": 1 and \"max_tokens\": 0 (or "
    "1)";

const Json& array_of(const Json& logprobs, const char* key) {
  const auto found = logprobs.find(key);
  if (found == logprobs.end() || !found->is_array()) {
    throw Error({.what = fmt::format("'logprobs' has no array '{}'", key),
                 .found = found == logprobs.end() ? "none" : describe(*found),
                 .hint = kAskWithEcho});
  }
  return *found;
}

// Whether the token's text is known, and cannot be found in the part of the text that its offset
// says.
bool contradicts(const std::string& token, const std::string& part) {
  return !token.starts_with("bytes:") && token.find("\xEF\xBF\xBD") == std::string::npos &&
         part.find(token) == std::string::npos;
}

// A token whose text is no part of the text, such as "bytes:\xe2\x80", is cut out of the text by
// the tokens' offsets, which count characters. Some services do not count special tokens, or count
// a space that the text does not have: such offsets are not used.
void spell_by_offsets(const Json& logprobs, const std::string& text,
                      std::vector<GivenToken>& tokens) {
  const auto offsets = logprobs.find("text_offset");
  if (offsets == logprobs.end() || !offsets->is_array() || offsets->size() != tokens.size()) return;
  if (text::find_invalid_utf8(text)) return;
  const std::u32string characters = text::to_code_points(text);
  std::vector<size_t> begins;
  for (const Json& offset : *offsets) {
    if (!offset.is_number_unsigned()) return;
    const auto begin = offset.get<uint64_t>();
    if (begin > characters.size() || (!begins.empty() && begin < begins.back())) return;
    begins.push_back(static_cast<size_t>(begin));
  }
  begins.push_back(characters.size());
  if (begins.front() != 0) return;
  std::vector<std::string> parts;
  for (size_t i = 0; i < tokens.size(); ++i) {
    parts.push_back(text::to_utf8(
        std::u32string_view(characters).substr(begins[i], begins[i + 1] - begins[i])));
    if (contradicts(tokens[i].text, parts[i])) return;
  }
  for (size_t i = 0; i < tokens.size(); ++i) tokens[i].text = std::move(parts[i]);
}

void spell(const Json& logprobs, const std::string& text, std::vector<GivenToken>& tokens) {
  std::string joined;
  for (const GivenToken& token : tokens) joined += token.text;
  if (joined == text) return;
  spell_by_offsets(logprobs, text, tokens);
  fill_empty_tokens(tokens, text);
}

// "logprobs" of completions: parallel arrays.
std::vector<GivenToken> read_arrays(const Json& logprobs, const std::optional<std::string>& text) {
  const Json& texts = array_of(logprobs, "tokens");
  const Json& numbers = array_of(logprobs, "token_logprobs");
  if (texts.size() != numbers.size()) {
    throw Error({.what = "'tokens' and 'token_logprobs' have different lengths",
                 .found = fmt::format("{} and {}", texts.size(), numbers.size())});
  }
  std::vector<GivenToken> tokens;
  for (size_t i = 0; i < texts.size(); ++i) {
    if (!texts[i].is_string())
      throw Error({.what = "a token is not a text", .found = describe(texts[i])});
    tokens.push_back({.text = texts[i].get<std::string>(), .logprob = read_logprob(numbers[i])});
  }
  if (text) spell(logprobs, *text, tokens);
  return tokens;
}

// "logprobs" as the chat endpoint and llama.cpp have them: one object per token.
std::vector<GivenToken> read_objects(const Json& content) {
  std::vector<GivenToken> tokens;
  for (const Json& one : content) {
    if (!one.is_object() || !one.contains("token") || !one["token"].is_string())
      throw Error({.what = "an element of 'logprobs' has no text 'token'", .found = shown(one)});
    tokens.push_back({.text = one["token"].get<std::string>(),
                      .logprob = read_logprob(one.value("logprob", Json(nullptr))),
                      .id = whole_member(one, "id")});
  }
  return tokens;
}

// How many of the tokens were given: the service counts them, or the request says what was sent.
size_t count_given(const LoggedResponse& logged, const GivenText& given,
                   const std::optional<std::string>& requested) {
  const auto listed = static_cast<int64_t>(given.tokens.size());
  const std::optional<int64_t> generated = usage_count(logged.response, "completion_tokens");
  if (generated == 0) return given.tokens.size();
  const std::optional<int64_t> counted = usage_count(logged.response, "prompt_tokens");
  if (logged.response["choices"].size() == 1 && counted) {
    const bool is_possible = *counted >= 0 && *counted <= listed;
    if (!is_possible && !requested) {
      throw Error(
          {.what = "the response has fewer tokens than the service counted in the text that it was "
                   "given, so it holds generated text alone",
           .expected = fmt::format("at least {} tokens", *counted),
           .found = fmt::format("{}", listed),
           .hint = kAskWithEcho});
    }
    // llama-cpp-python counts the token that begins every text, and does not list it.
    if (is_possible && (!generated || *generated == listed - *counted))
      return static_cast<size_t>(*counted);
  }
  if (requested) {
    size_t count = count_text_tokens(given, *requested);
    // Further tokens of empty text were given, too, up to those that were generated.
    const int64_t before_generated =
        listed - std::clamp<int64_t>(generated.value_or(listed), 0, listed);
    while (static_cast<int64_t>(count) < before_generated && given.tokens[count].text.empty())
      ++count;
    return count;
  }
  throw Error({.what = "nothing says how many of the tokens were given and how many generated",
               .hint = "ask with \"max_tokens\": 0, send one text per request, or log the request "
                       "beside the response"});
}

// llama-cpp-python takes for granted that a text begins with a token that every text begins with,
// and does not list it. For a model without such a token, it gives each token the log-probability
// that the token would have one position later, and does not list the last token that it generated.
void refuse_shifted(const LoggedResponse& logged, const Json& choice, const GivenText& given,
                    bool is_llama_cpp_python) {
  const auto count = static_cast<int64_t>(given.tokens.size());
  if (usage_count(logged.response, "prompt_tokens") != count) return;
  const bool misses_one =
      usage_count(logged.response, "completion_tokens") == given.generated + 1 &&
      choice.value("finish_reason", Json(nullptr)) == "length";
  if (!is_llama_cpp_python && !misses_one) return;
  throw Error({.what =
                   "each token has the log-probability of the next position: llama-cpp-python's "
                   "server does this if the model begins texts without a special token",
               .hint = "start the server with --kv_overrides "
                       "tokenizer.ggml.add_bos_token=bool:true"});
}

void require_echo(const std::vector<GivenToken>& tokens) {
  if (tokens.empty()) throw Error({.what = "the response has no tokens", .hint = kAskWithEcho});
  if (tokens[0].logprob) {
    throw Error({.what = "the first token has a log-probability, so the response holds generated "
                         "text alone: nothing stands before the first token of a given text",
                 .hint = kAskWithEcho});
  }
}

GivenText read_choice(const LoggedResponse& logged, size_t number, bool is_llama_cpp) {
  const Json& choice = logged.response["choices"][number];
  if (!choice.is_object())
    throw Error({.what = "a choice is not an object", .found = describe(choice)});
  const auto logprobs = choice.find("logprobs");
  if (logprobs == choice.end() || !logprobs->is_object()) {
    throw Error({.what = "the choice has no log-probabilities ('logprobs' is absent or null)",
                 .hint = kAskWithEcho});
  }
  std::optional<std::string> text;
  if (choice.contains("text") && choice["text"].is_string())
    text = choice["text"].get<std::string>();
  const auto content = logprobs->find("content");
  const bool has_objects = content != logprobs->end() && content->is_array();
  GivenText given{.tokens = has_objects ? read_objects(*content) : read_arrays(*logprobs, text)};
  require_echo(given.tokens);
  const std::optional<std::string> requested = requested_text(logged, number);
  const size_t count = count_given(logged, given, requested);
  given.generated = static_cast<int64_t>(given.tokens.size() - count);
  given.tokens.resize(count);
  refuse_shifted(logged, choice, given, is_llama_cpp && !has_objects);
  given.text = requested;
  if (!given.text && given.generated == 0) given.text = text;
  return given;
}

std::vector<GivenText> read_choices(const LoggedResponse& logged, bool is_llama_cpp) {
  refuse_other_responses(logged.response);
  const auto choices = logged.response.find("choices");
  if (choices == logged.response.end() || !choices->is_array() || choices->empty()) {
    throw Error({.what = "this is not a response of a completions endpoint: it has no 'choices'",
                 .hint = kAskWithEcho});
  }
  std::vector<GivenText> texts;
  for (size_t i = 0; i < choices->size(); ++i)
    texts.push_back(read_choice(logged, i, is_llama_cpp));
  return texts;
}

}  // namespace

std::vector<GivenText> read_openai(const LoggedResponse& logged) {
  return read_choices(logged, /*is_llama_cpp=*/false);
}

std::vector<GivenText> read_llama_cpp(const LoggedResponse& logged) {
  refuse_other_responses(logged.response);
  if (logged.response.contains("completion_probabilities") || logged.response.contains("content")) {
    throw Error({.what = "this is a response of llama.cpp's own endpoint, whose "
                         "'completion_probabilities' (n_probs) are of generated tokens alone",
                 .hint = "use a server that echoes the prompt's log-probabilities, such as "
                         "llama-cpp-python's with logits_all (docs/services.md)"});
  }
  return read_choices(logged, /*is_llama_cpp=*/true);
}

}  // namespace palimpsest::service
