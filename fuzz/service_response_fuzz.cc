// Any bytes as a log of a service's responses, in each format: traces that hold together, or an
// Error. What is imported is written as a trace file that is read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

#include "fuzz/input_file.h"
#include "palimpsest/base/error.h"
#include "palimpsest/service/import_responses.h"
#include "palimpsest/trace/trace_file.h"

namespace palimpsest {
namespace {

void write_and_read(const service::ImportedTraces& imported) {
  const auto path = input_folder().path() / "imported.jsonl";
  trace::TraceWriter writer(path, imported.set.header);
  for (const trace::Trace& trace : imported.set.traces) writer.write(trace);
  writer.commit();
  trace::TraceReader reader(path);
  trace::Trace trace;
  size_t count = 0;
  while (reader.next(trace)) {
    if (trace.logprob != imported.set.traces[count].logprob) std::abort();
    ++count;
  }
  if (count != imported.set.traces.size()) std::abort();
}

}  // namespace
}  // namespace palimpsest

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace palimpsest;
  const std::string content(input_text(data, size));
  for (const std::string& name : service::response_format_names()) {
    std::optional<service::ImportedTraces> imported;
    try {
      imported =
          service::import_log(content, "log", {.format = service::response_format_named(name)});
    } catch (const Error&) {
      // The expected end of most inputs.
    }
    if (imported) write_and_read(*imported);
  }
  return 0;
}
