// Any bytes as a line of a trace file: what the quick reader accepts the general reader of JSON
// must accept too, and a trace that holds together is scored by every attack without a crash.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "palimpsest/attack/attack.h"
#include "palimpsest/base/error.h"
#include "palimpsest/trace/internal/fast_trace_reader.h"

namespace palimpsest {
namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

void check_numbers(const nlohmann::json& json, const char* key,
                   const std::optional<std::vector<double>>& numbers) {
  check(json.contains(key) == numbers.has_value());
  if (!numbers) return;
  auto expected = json[key].get<std::vector<double>>();
  for (double& number : expected) number = trace::to_float32(number);
  check(expected == *numbers);
}

// The same line through nlohmann's parser.
void compare(const std::string& line, const trace::Trace& trace) {
  const auto json = nlohmann::json::parse(line, nullptr, false);
  check(json.is_object());
  const auto& index = json["index"];
  check(trace.index == (index.is_string() ? index.get<std::string>() : index.dump()));
  check(json["num_labels"] == trace.num_labels);
  check_numbers(json, "logprob", trace.logprob);
  check_numbers(json, "mean", trace.mean);
  check_numbers(json, "var", trace.var);
  if (trace.text) check(json["text"] == *trace.text);
  if (trace.label) check(json["label"] == *trace.label);
  if (trace.tokens) check(json["tokens"] == *trace.tokens);
}

void score(const trace::Trace& trace) {
  trace::require_consistent(trace);
  for (const attack::Attack& attack : attack::default_attack_table()) {
    const attack::ParameterValues values = attack.values();
    bool met = true;
    for (const attack::TraceNeed& need : attack.needs) met = met && need.is_met(trace, values);
    if (met) attack.score_of(trace, &trace, values);
  }
}

}  // namespace
}  // namespace palimpsest

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string line(reinterpret_cast<const char*>(data), size);
  palimpsest::trace::Trace trace;
  if (!palimpsest::trace::read_trace_fast(line, trace)) return 0;
  palimpsest::compare(line, trace);
  try {
    palimpsest::score(trace);
  } catch (const palimpsest::Error&) {
    // Lengths that do not fit, positive log-probabilities and the like.
  }
  return 0;
}
