// Any bytes as provenance.json, as a plan, and as the small files that runs leave for later ones (a
// lock, the note of a start, the cache of hashes): read, or refused with an Error. What reads as
// provenance is the very text that would be written, and a plan that is written again is the same
// from then on.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "fuzz/input_file.h"
#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/lock_holder.h"
#include "palimpsest/evidence/plan.h"
#include "palimpsest/evidence/provenance.h"

namespace palimpsest {
namespace {

void read_provenance(const std::string& text) {
  try {
    const evidence::Provenance provenance = evidence::provenance_from_text(text, "fuzz");
    if (evidence::provenance_to_text(provenance) != text) std::abort();
    evidence::provenance_entries(provenance);
    evidence::provenance_entries(evidence::without_paths(provenance));
  } catch (const Error&) {
    // The expected end of most inputs: the digest is another.
  }
}

void read_plan(const std::filesystem::path& file) {
  try {
    const evidence::Plan plan = evidence::read_plan(file);
    const std::string written = evidence::plan_to_text(plan);
    const evidence::Plan again = evidence::read_plan(input_folder().write("again.json", written));
    if (evidence::plan_to_text(again) != written) std::abort();
    evidence::require_planned(plan, plan.inputs);
  } catch (const Error&) {
    // The expected end of most inputs.
  }
}

}  // namespace
}  // namespace palimpsest

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace palimpsest;
  const std::string text(input_text(data, size));
  read_provenance(text);
  read_plan(input_folder().write("plan.json", text));
  read_lock_holder(input_folder().path() / "plan.json");
  input_folder().write(".palimpsest.start", text);
  input_folder().write("provenance.json", text);
  evidence::first_start(input_folder().path(), "identity", "2026-11-17T17:50:00Z", false);
  return 0;
}
