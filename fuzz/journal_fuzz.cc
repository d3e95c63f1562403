// Any bytes as a journal, and as the payload of one of its batches: what is whole is found, the rest is
// left out, and a batch that is committed then is there when the file is opened again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "fuzz/input_file.h"
#include "palimpsest/base/error.h"
#include "palimpsest/run/journal.h"
#include "palimpsest/run/payload.h"

namespace palimpsest {
namespace {

constexpr const char* kFingerprint = "0123456789abcdef0123456789abcdef";
constexpr int64_t kBatch = 3;

void open_and_commit(const std::filesystem::path& file) {
  {
    run::Journal journal(file, kFingerprint);
    for (int64_t batch = 0; batch < 8; ++batch) {
      if (journal.has(batch)) journal.read(batch);
    }
    if (!journal.has(kBatch)) journal.commit(kBatch, "payload");
  }
  const run::Journal again(file, kFingerprint);
  if (!again.has(kBatch)) std::abort();
}

}  // namespace
}  // namespace palimpsest

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace palimpsest;
  const std::string_view input = input_text(data, size);
  try {
    open_and_commit(input_folder().write("journal", input));
  } catch (const Error&) {
    // Of a newer version.
  }
  std::vector<model::SequenceScores> scores;
  if (run::from_payload(input, scores)) run::to_payload(scores);
  std::vector<model::Generation> generations;
  if (run::from_payload(input, generations)) run::to_payload(generations);
  return 0;
}
