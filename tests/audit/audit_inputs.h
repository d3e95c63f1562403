// Inputs of audits that the tests of this folder share.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/attack/mia_files.h"
#include "palimpsest/audit/audit.h"
#include "palimpsest/base/random.h"
#include "palimpsest/trace/trace_file.h"

namespace palimpsest::audit {

inline std::filesystem::path example_file(const std::string& name) {
  return std::filesystem::path(PALIMPSEST_EXAMPLES_DIR) / name;
}

// The traces of the examples, as files.
inline AuditTraces trace_files() {
  return {.audited = {.forget = example_file("traces/forget.jsonl"),
                      .holdout = example_file("traces/holdout.jsonl")}};
}

inline std::shared_ptr<trace::TraceSet> in_memory(const std::filesystem::path& file) {
  trace::TraceReader reader(file);
  auto set = std::make_shared<trace::TraceSet>();
  set->header = reader.header();
  for (trace::Trace trace; reader.next(trace);) set->traces.push_back(trace);
  return set;
}

// The same in memory.
inline AuditTraces memory_traces() {
  const AuditTraces files = trace_files();
  return {.audited = {.forget = in_memory(trace::file_of(files.audited.forget)),
                      .holdout = in_memory(trace::file_of(files.audited.holdout))}};
}

// Everything that an audit found, as text.
inline std::string found_by(const Audit& audit) {
  return attack::mia_to_json(audit.report);
}

// The same without the warnings of preparing data and models, which an audit of finished examples
// or traces does not repeat.
inline std::string found_without_warnings(const Audit& audit) {
  attack::MiaReport report = audit.report;
  report.warnings.clear();
  return attack::mia_to_json(report);
}

// Questions and answers in the words of examples/tiny-tokenizer.
inline std::string questions(int64_t count, uint64_t seed) {
  const std::vector<std::string> words = {"In",    "a",     "small", "town", "near",  "the",
                                          "river", "Where", "was",   "born", "author"};
  Random random(seed);
  const auto text = [&](int64_t length) {
    std::string joined;
    for (int64_t i = 0; i < length; ++i)
      joined += (i == 0 ? "" : " ") + words[random.below(words.size())];
    return joined;
  };
  std::string lines;
  for (int64_t i = 0; i < count; ++i) {
    lines += "{\"question\": \"" + text(5) + "\", \"answer\": \"" + text(8) + "\", \"topic\": \"" +
             (i % 2 == 0 ? "x" : "y") + "\"}\n";
  }
  return lines;
}

}  // namespace palimpsest::audit
