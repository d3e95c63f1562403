// Any bytes as a file of statistics: read or refused with an Error; what is read merges with
// itself, and written again it gives the same bytes from then on.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "palimpsest/base/error.h"
#include "palimpsest/stat/stat_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace palimpsest;
  const std::string text(reinterpret_cast<const char*>(data), size);
  stat::NamedStats stats;
  try {
    stats = stat::stats_from_json(text, "fuzz");
  } catch (const Error&) {
    return 0;  // the expected end of most inputs
  }
  const std::string written = stat::stats_to_json(stats);
  if (stat::stats_to_json(stat::stats_from_json(written, "again")) != written) std::abort();
  try {
    stat::stats_to_json(stat::merge_stats(stats, stats));
  } catch (const Error&) {
    // Sums beyond the largest number.
  }
  return 0;
}
