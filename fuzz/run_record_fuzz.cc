// Any bytes as NAME_RUN.json: `eval` takes it or does without it, `report` reads it or refuses it
// with an Error. What `eval` takes, writes and takes again is the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>

#include "fuzz/input_file.h"
#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/eval/run_record.h"
#include "palimpsest/report/internal/run_record.h"

namespace palimpsest {
namespace {

void read_for_eval(const std::filesystem::path& file) {
  std::optional<eval::RunRecord> record;
  try {
    record = eval::read_run_record(file);
  } catch (const Error&) {
    return;  // of a newer version
  }
  if (!record) return;
  const std::filesystem::path again = input_folder().path() / "AGAIN_RUN.json";
  eval::write_run_record(again, *record);
  const std::string written = palimpsest::read_file(again);
  const std::optional<eval::RunRecord> reread = eval::read_run_record(again);
  if (!reread) return;  // Python's NaN was read, but none is written
  eval::write_run_record(again, *reread);
  if (palimpsest::read_file(again) != written) std::abort();
}

}  // namespace
}  // namespace palimpsest

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace palimpsest;
  const auto file = input_folder().write("FUZZ_RUN.json", input_text(data, size));
  read_for_eval(file);
  try {
    report::read_run_record(file);
  } catch (const Error&) {
    // The expected end of most inputs.
  }
  return 0;
}
