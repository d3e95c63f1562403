// Turns logged responses of a language model service into traces, so that a model can be audited
// without its weights. The service must have returned log-probabilities of text that it was given:
// "echo" of completions, "prompt_logprobs" of vLLM, "prefill" of text-generation-inference.
// Responses that hold generated text alone are refused, because a model finds its own words likely,
// whatever it was trained on. docs/services.md says which services can do it.
//
// Nothing here talks to a service.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/trace/trace_source.h"

namespace palimpsest::service {

enum class ResponseFormat { kOpenAiCompletions, kVllm, kLlamaCpp, kTgi };

// "openai-completions", "vllm", "llama.cpp", "tgi".
const std::vector<std::string>& response_format_names();
// Throws Error for an unknown name; the message lists the known ones.
ResponseFormat response_format_named(std::string_view name);

struct ImportOptions {
  ResponseFormat format = ResponseFormat::kOpenAiCompletions;
  std::string model = {};     // for the header of the traces; if empty, what the responses call it
  std::string dataset = {};   // for the header of the traces
  std::stop_token stop = {};  // ends the import between two responses, with Stopped
};

struct ImportedTraces {
  trace::TraceSet set;
  int64_t tokens = 0;            // labelled ones
  int64_t prompt_tokens = 0;     // given, but not labelled
  int64_t generated_tokens = 0;  // left out, because the model wrote them itself
};

// Reads logs, one trace per text that the service was given, in the order of the files. A log is a
// JSON document (one response, or an array) or JSON lines. An entry is a response, or an object
// that holds it:
//
//   {"id": "7", "prompt": "Question: …\nAnswer:", "groups": {"author": "…"},
//    "request": {…}, "response": {…}}
//
// All members but "response" may be absent. "id" (or "index", or "custom_id") names the example;
// without it examples are numbered from 0. "prompt" is the beginning of the given text that is not
// scored; without it, all tokens are scored except the first, which never has a log-probability. If
// "request" holds the text that was sent, it is compared with the tokens of the response.
//
// Throws Error with file and line for a response that cannot be used, for two examples with the
// same name, and for responses of different models.
ImportedTraces import_responses(const std::vector<std::filesystem::path>& files,
                                const ImportOptions& options);

// The same for the content of one log. `name` stands for the file in messages.
ImportedTraces import_log(const std::string& content, const std::string& name,
                          const ImportOptions& options);

}  // namespace palimpsest::service
