// One entry of a log, and what the formats read of it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/base/internal/json.h"
#include "palimpsest/service/import_responses.h"

namespace palimpsest::service {

struct LoggedResponse {
  Json response;
  Json request = nullptr;  // null if the log does not hold it
  std::string id = {};     // empty: not named
  std::optional<std::string> prompt = {};
  std::map<std::string, std::string> groups = {};
  std::string where;  // "log.jsonl:17"
};

// A token of the text that the service was given.
struct GivenToken {
  std::string text;
  std::optional<double> logprob = {};
  std::optional<int64_t> id = {};
  bool is_unknown = false;  // whether the response does not say what its text is
};

// A text that the service was given. The first token has no log-probability, all others have one.
struct GivenText {
  std::vector<GivenToken> tokens = {};
  std::optional<std::string> text = {};  // as the request or the response spells it
  int64_t generated = 0;                 // tokens of the response that follow it
};

// The entries of a log. Throws Error for content that is not JSON or not a log, and Stopped,
// between two lines, if a stop is requested.
std::vector<LoggedResponse> read_log(const std::string& content, const std::string& name,
                                     const std::stop_token& stop = {});

// What a format reads of a response: one text per choice. Throws Error without a place.
std::vector<GivenText> read_openai(const LoggedResponse& logged);
std::vector<GivenText> read_vllm(const LoggedResponse& logged);
std::vector<GivenText> read_llama_cpp(const LoggedResponse& logged);
std::vector<GivenText> read_tgi(const LoggedResponse& logged);
std::vector<GivenText> read_texts(const LoggedResponse& logged, ResponseFormat format);

// The text that the request sent for this choice, under one of its usual keys; nullopt if it is not
// known.
std::optional<std::string> requested_text(const LoggedResponse& logged, size_t choice);

// Throws Error if the response is one of the chat endpoint, an error message or a part of a stream.
void refuse_other_responses(const Json& response);

// The whole number in this member of the object; nullopt if there is none.
std::optional<int64_t> whole_member(const Json& object, const char* key);
// What the response counts under this key of "usage"; nullopt if it does not say.
std::optional<int64_t> usage_count(const Json& response, const char* key);

// A number, or nullopt for null. Throws Error for anything else, and for numbers that are not
// finite.
std::optional<double> read_logprob(const Json& value);

}  // namespace palimpsest::service
