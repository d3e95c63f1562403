// Any bytes as a journal, as the payload of one of its batches, and as the description of a part:
// what is whole is found, the rest is left out, and a batch that is committed then is there when
// the file is opened again. A part whose description reads fits itself.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <vector>

#include "fuzz/input_file.h"
#include "palimpsest/base/error.h"
#include "palimpsest/run/internal/journal.h"
#include "palimpsest/run/internal/parts.h"
#include "palimpsest/run/internal/payload.h"

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

void read_part(const std::filesystem::path& file) {
  const std::optional<run::Part> part = run::open_part(file);
  if (!part) return;
  run::require_made_with(*part, {.fingerprint = part->journal->fingerprint(),
                                 .made_with = part->description.made_with});
  run::to_json_text(part->description);
}

void read_description(std::string_view description) {
  const std::filesystem::path file = input_folder().path() / "pass-1.shard-1-of-1.journal";
  std::filesystem::remove(file);
  run::Journal(file, kFingerprint).commit(run::kDescription, description);
  read_part(file);
}

}  // namespace
}  // namespace palimpsest

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace palimpsest;
  const std::string_view input = input_text(data, size);
  try {
    const auto file = input_folder().write("journal", input);
    read_part(file);
    open_and_commit(file);
  } catch (const Error&) {
    // Of a newer version.
  }
  read_description(input);
  std::vector<model::SequenceScores> scores;
  if (run::from_payload(input, scores)) run::to_payload(scores);
  std::vector<model::Generation> generations;
  if (run::from_payload(input, generations)) run::to_payload(generations);
  return 0;
}
