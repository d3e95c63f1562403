// Any bytes as NAME_EVAL.json: `eval` and `report` read it or refuse it with an Error. What `eval`
// reads and writes again it reads again, with the same bytes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "fuzz/input_file.h"
#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/eval/internal/eval_log.h"
#include "palimpsest/report/run_results.h"

namespace palimpsest {
namespace {

void write_again(const eval::EvalLog& log) {
  const std::filesystem::path again = input_folder().path() / "again.json";
  eval::write_eval_log(again, log);
  const std::string written = palimpsest::read_file(again);
  eval::write_eval_log(again, eval::read_eval_log(again));
  if (palimpsest::read_file(again) != written) std::abort();
}

}  // namespace
}  // namespace palimpsest

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace palimpsest;
  std::filesystem::create_directories(input_folder().path() / "run");
  const auto file = input_folder().write("run/FUZZ_EVAL.json", input_text(data, size));
  try {
    write_again(eval::read_eval_log(file));
  } catch (const Error&) {
    // The expected end of most inputs.
  }
  try {
    report::read_run(input_folder().path() / "run", {});
  } catch (const Error&) {
  }
  return 0;
}
