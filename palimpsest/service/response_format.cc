#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "palimpsest/base/error.h"
#include "palimpsest/service/internal/logged_response.h"

namespace palimpsest::service {
namespace {

struct Format {
  const char* name;
  ResponseFormat format;
  std::vector<GivenText> (*read)(const LoggedResponse& logged);
};

constexpr Format kFormats[] = {
    {"openai-completions", ResponseFormat::kOpenAiCompletions, read_openai},
    {"vllm", ResponseFormat::kVllm, read_vllm},
    {"llama.cpp", ResponseFormat::kLlamaCpp, read_llama_cpp},
    {"tgi", ResponseFormat::kTgi, read_tgi},
};

// What the service said, if it said something.
std::string error_message(const Json& error) {
  if (error.is_string()) return error.get<std::string>();
  if (error.is_object() && error.contains("message") && error["message"].is_string())
    return error["message"].get<std::string>();
  return shown(error);
}

bool is_chat(const Json& response) {
  const auto object = response.find("object");
  if (object != response.end() && object->is_string() &&
      object->get<std::string>().starts_with("chat.completion"))
    return true;
  const auto choices = response.find("choices");
  if (choices == response.end() || !choices->is_array() || choices->empty()) return false;
  const Json& first = choices->front();
  return first.is_object() && (first.contains("message") || first.contains("delta"));
}

}  // namespace

const std::vector<std::string>& response_format_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Format& one : kFormats) all.emplace_back(one.name);
    return all;
  }();
  return names;
}

ResponseFormat response_format_named(std::string_view name) {
  for (const Format& one : kFormats) {
    if (one.name == name) return one.format;
  }
  throw Error({.what = fmt::format("there is no format '{}'", name),
               .expected = fmt::format("{}", fmt::join(response_format_names(), ", "))});
}

void refuse_other_responses(const Json& response) {
  if (!response.is_object())
    throw Error({.what = "the response is not a JSON object", .found = describe(response)});
  const auto error = response.find("error");
  if (error != response.end() && !error->is_null()) {
    throw Error({.what = "the service answered with an error",
                 .found = error_message(*error),
                 .hint = "leave this entry out, or ask again"});
  }
  if (is_chat(response)) {
    throw Error({.what = "this is a response of the chat endpoint, which gives log-probabilities "
                         "of the text that the model wrote, not of a text that it was given",
                 .hint = "send the whole text to the completions endpoint with echo and logprobs "
                         "(docs/services.md)"});
  }
}

std::optional<double> read_logprob(const Json& value) {
  if (value.is_null()) return std::nullopt;
  if (!value.is_number())
    throw Error({.what = "a log-probability is not a number", .found = shown(value)});
  const double number = value.get<double>();
  if (!std::isfinite(number)) {
    throw Error({.what = "a log-probability is not finite",
                 .hint = "leave this entry out: the service cut off what it found impossible"});
  }
  return number;
}

std::optional<std::string> requested_text(const LoggedResponse& logged, size_t choice) {
  if (!logged.request.is_object()) return std::nullopt;
  for (const char* key : {"prompt", "inputs"}) {
    const auto found = logged.request.find(key);
    if (found == logged.request.end()) continue;
    if (found->is_string()) return found->get<std::string>();
    // Several prompts in one request; arrays of token ids tell nothing.
    if (found->is_array() && choice < found->size() && (*found)[choice].is_string())
      return (*found)[choice].get<std::string>();
  }
  return std::nullopt;
}

std::optional<int64_t> usage_count(const Json& response, const char* key) {
  const auto usage = response.find("usage");
  if (usage == response.end() || !usage->is_object()) return std::nullopt;
  return whole_member(*usage, key);
}

std::optional<int64_t> whole_member(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_integer()) return std::nullopt;
  return found->get<int64_t>();
}

std::vector<GivenText> read_texts(const LoggedResponse& logged, ResponseFormat format) {
  return std::ranges::find(kFormats, format, &Format::format)->read(logged);
}

}  // namespace palimpsest::service
