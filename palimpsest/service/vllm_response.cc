// Completions of vLLM with "prompt_logprobs": for each token of the given text an object from token
// ids to log-probabilities; null for the first token. vLLM also returns what OpenAI's endpoint
// returns with "echo".

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "palimpsest/base/error.h"
#include "palimpsest/service/internal/align_tokens.h"
#include "palimpsest/service/internal/logged_response.h"

namespace palimpsest::service {
namespace {

int64_t read_token_id(const std::string& text) {
  int64_t id = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (code != std::errc() || end != text.data() + text.size())
    throw Error({.what = "a key of 'prompt_logprobs' is not a token id", .found = text});
  return id;
}

// The ids of the given text, if the request asked for them ("return_token_ids").
const Json* find_ids(const Json& response, const Json& choice) {
  for (const Json* object : {&choice, &response}) {
    const auto found = object->find("prompt_token_ids");
    if (found != object->end() && found->is_array()) return &*found;
  }
  return nullptr;
}

// The entry of the token that was given: the only one, or the one that the ids name.
Json::const_iterator given_entry(const Json& entries, const Json* ids, size_t position) {
  if (entries.size() == 1) return entries.begin();
  if (ids != nullptr && position < ids->size() && (*ids)[position].is_number_integer()) {
    const auto found = entries.find(fmt::format("{}", (*ids)[position].get<int64_t>()));
    if (found != entries.end()) return found;
    throw Error({.what = "'prompt_logprobs' lacks a token that was given",
                 .where = fmt::format("token {}", position)});
  }
  throw Error({.what =
                   "'prompt_logprobs' has several tokens for one position, and nothing says which "
                   "of them was given",
               .where = fmt::format("token {}", position),
               .hint = "ask with \"prompt_logprobs\": 0, or with \"return_token_ids\": true"});
}

GivenToken read_token(const Json& entries, const Json* ids, size_t position) {
  if (entries.is_null()) return {.text = "", .is_unknown = true};
  if (!entries.is_object() || entries.empty()) {
    throw Error({.what = "an element of 'prompt_logprobs' is not an object of tokens",
                 .found = describe(entries)});
  }
  const auto entry = given_entry(entries, ids, position);
  GivenToken token{.text = "", .id = read_token_id(entry.key()), .is_unknown = true};
  const Json& value = entry.value();
  if (value.is_number()) {  // early versions
    token.logprob = read_logprob(value);
    return token;
  }
  if (!value.is_object())
    throw Error(
        {.what = "a token of 'prompt_logprobs' is not an object", .found = describe(value)});
  token.logprob = read_logprob(value.value("logprob", Json(nullptr)));
  if (const auto text = value.find("decoded_token"); text != value.end() && text->is_string()) {
    token.text = text->get<std::string>();
    token.is_unknown = false;
  }
  return token;
}

GivenText read_prompt_logprobs(const LoggedResponse& logged, const Json& choice, const Json& list,
                               size_t number) {
  const Json* ids = find_ids(logged.response, choice);
  GivenText given{.text = requested_text(logged, number)};
  for (size_t i = 0; i < list.size(); ++i) given.tokens.push_back(read_token(list[i], ids, i));
  fill_first_token(given);
  if (given.tokens.empty() || given.tokens[0].logprob) {
    throw Error({.what =
                     "'prompt_logprobs' does not begin with an entry without a log-probability, "
                     "which stands for the first token of the given text"});
  }
  const int64_t generated = usage_count(logged.response, "completion_tokens").value_or(0);
  if (logged.response["choices"].size() == 1) given.generated = std::max<int64_t>(generated, 0);
  return given;
}

}  // namespace

std::vector<GivenText> read_vllm(const LoggedResponse& logged) {
  refuse_other_responses(logged.response);
  const auto choices = logged.response.find("choices");
  if (choices == logged.response.end() || !choices->is_array() || choices->empty())
    throw Error(
        {.what = "this is not a response of vLLM's completions endpoint: it has no 'choices'"});
  std::vector<GivenText> texts;
  for (size_t i = 0; i < choices->size(); ++i) {
    const Json& choice = (*choices)[i];
    const auto list = choice.is_object() ? choice.find("prompt_logprobs") : choice.end();
    if (!choice.is_object() || list == choice.end() || !list->is_array()) {
      // The same server answers "echo" with "logprobs" as OpenAI's endpoint does.
      const bool has_echo =
          choice.is_object() && choice.contains("logprobs") && choice["logprobs"].is_object();
      if (has_echo && i == 0) return read_openai(logged);
      throw Error({.what = "the choice has no 'prompt_logprobs'",
                   .hint = "ask with \"prompt_logprobs\": 0, or with \"echo\": true and "
                           "\"logprobs\": 1"});
    }
    texts.push_back(read_prompt_logprobs(logged, choice, *list, i));
  }
  return texts;
}

}  // namespace palimpsest::service
