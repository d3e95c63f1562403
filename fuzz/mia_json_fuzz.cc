// Any bytes as mia.json: read or refused with an Error; what is read and written again gives the
// same bytes from then on.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

#include "palimpsest/attack/mia_files.h"
#include "palimpsest/base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace palimpsest;
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const std::optional<attack::MiaFile> file = attack::mia_from_json(text, "mia.json");
    if (!file) return 0;
    const std::string written = attack::mia_to_json(file->report, file->record);
    attack::mia_to_csv(file->report, true);
    const std::optional<attack::MiaFile> again = attack::mia_from_json(written, "again");
    if (!again || attack::mia_to_json(again->report, again->record) != written) std::abort();
  } catch (const Error&) {
    // The expected end of most inputs; of what was written, where Python's NaN had been read.
  }
  return 0;
}
