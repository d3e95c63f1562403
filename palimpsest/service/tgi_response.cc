// Responses of text-generation-inference with "details" and "decoder_input_details": the array
// "prefill" holds the tokens of the given text.

#include "palimpsest/base/error.h"
#include "palimpsest/service/internal/logged_response.h"

namespace palimpsest::service {
namespace {

GivenToken read_prefill_token(const Json& one) {
  if (!one.is_object() || !one.contains("text") || !one["text"].is_string())
    throw Error({.what = "an element of 'prefill' has no 'text'", .found = shown(one)});
  return {.text = one["text"].get<std::string>(),
          .logprob = read_logprob(one.value("logprob", Json(nullptr))),
          .id = whole_member(one, "id")};
}

GivenText read_generation(const LoggedResponse& logged, const Json& response, size_t number) {
  refuse_other_responses(response);
  const auto details = response.find("details");
  if (details == response.end() || !details->is_object()) {
    throw Error({.what = "the response has no 'details'",
                 .hint = "ask with \"details\": true and \"decoder_input_details\": true"});
  }
  const auto prefill = details->find("prefill");
  if (prefill == details->end() || !prefill->is_array() || prefill->empty()) {
    throw Error({.what = "'prefill' is empty, so the response holds generated text alone",
                 .hint = "ask with \"decoder_input_details\": true; since version 3.0 the server "
                         "must run with --enable-prefill-logprobs"});
  }
  GivenText given{.text = requested_text(logged, number)};
  for (const Json& one : *prefill) given.tokens.push_back(read_prefill_token(one));
  if (given.tokens[0].logprob) {
    throw Error({.what = "the first token of 'prefill' has a log-probability, although nothing "
                         "stands before it"});
  }
  const auto tokens = details->find("tokens");
  if (tokens != details->end() && tokens->is_array())
    given.generated = static_cast<int64_t>(tokens->size());
  return given;
}

}  // namespace

std::vector<GivenText> read_tgi(const LoggedResponse& logged) {
  // Some endpoints return an array with one response per text.
  if (!logged.response.is_array()) return {read_generation(logged, logged.response, 0)};
  std::vector<GivenText> texts;
  for (size_t i = 0; i < logged.response.size(); ++i)
    texts.push_back(read_generation(logged, logged.response[i], i));
  if (texts.empty()) throw Error("the response is an empty array");
  return texts;
}

}  // namespace palimpsest::service
