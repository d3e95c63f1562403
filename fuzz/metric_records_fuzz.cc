// Any bytes as the lines that `metrics` reads: statistics of every metric, or an Error with the
// line.
#include <cstddef>
#include <cstdint>

#include "fuzz/input_file.h"
#include "palimpsest/base/error.h"
#include "palimpsest/metric/evaluate_records.h"
#include "palimpsest/metric/metric_table.h"

namespace palimpsest {
namespace {

const metric::NamedMetrics& fuzzed_metrics() {
  static const metric::NamedMetrics metrics = [] {
    metric::NamedMetrics list;
    for (const char* spec : {"accuracy", "cross_entropy_loss", "sequence_token_accuracy"}) {
      list.emplace_back(spec, metric::make_metric(spec, metric::default_metric_table()));
    }
    return list;
  }();
  return metrics;
}

}  // namespace
}  // namespace palimpsest

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace palimpsest;
  const auto file = input_folder().write("data.jsonl", input_text(data, size));
  for (const auto& metric : fuzzed_metrics()) {
    try {
      metric::evaluate_records(file, {metric}, {.mask_key = "mask"});
    } catch (const Error&) {
      // The expected end of most inputs.
    }
  }
  return 0;
}
