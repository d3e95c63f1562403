// Any bytes as lab.json, the file by which the lab knows its own folders: done, not done, or an
// Error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "fuzz/input_file.h"
#include "palimpsest/base/error.h"
#include "palimpsest/lab/internal/stage.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace palimpsest;
  std::filesystem::create_directories(input_folder().path() / "stage");
  input_folder().write("stage/lab.json", input_text(data, size));
  try {
    const lab::Stage stage(input_folder().path() / "stage", "fingerprint");
    if (stage.done() == stage.facts().empty()) std::abort();
  } catch (const Error&) {
    // The expected end of most inputs.
  }
  return 0;
}
