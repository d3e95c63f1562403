// Where a folder of results comes from: provenance.json. It says when and with what command line
// the run was started, with which program, models, data and settings, and it holds the SHA-256 of
// every file of the results. The name of the machine is left out.
//
// Apart from this file, only one marked element of report.html holds the time and the command line.
// All other bytes of the results are the same, whenever and however often a run is repeated.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/base/progress.h"
#include "palimpsest/evidence/inputs.h"
#include "palimpsest/evidence/settings.h"
#include "palimpsest/report/page/page_data.h"

namespace palimpsest::evidence {

// The plan that a run followed.
struct PlanReference {
  std::string planned;  // the date that the plan states
  std::string sha256;   // of the plan file

  friend bool operator==(const PlanReference&, const PlanReference&) = default;
};

struct Provenance {
  std::string kind;     // what made the results: "mia", "eval" or "report"
  std::string started;  // the first start of the run, in UTC: "2026-11-17T17:50:00Z"
  std::vector<std::string> command;
  std::string version;
  std::string commit;
  // How models were run: device, type of numbers, instruction set.
  std::vector<std::pair<std::string, std::string>> computing;
  std::vector<std::string> left_out;  // "texts", "paths"
  std::optional<PlanReference> plan;
  Settings settings;
  std::vector<Input> inputs;
  // The results, sorted by name. Names are relative to the folder, with '/' as the separator.
  std::vector<HashedFile> files;
};

// The text of the file. Its last member is a digest of all others, so that a change in the file
// itself is noticed.
std::string provenance_to_text(const Provenance& provenance);
// The inverse. Throws Error unless provenance_to_text() gives exactly the same text again.
Provenance provenance_from_text(const std::string& text, const std::string& where);

// One hash of everything that determines the results: all but the time, the command line and the
// files.
std::string identity_of(const Provenance& provenance);

// The entries for the page, which shows them in its one marked element. `files` is not used.
std::vector<report::PageEntry> provenance_entries(const Provenance& provenance);

// Hashes these entries of the folder: files, and folders with everything in them. Entries that do
// not exist are left out; so are locks, unfinished files, broken links, and pipes.
std::vector<HashedFile> hash_results(const std::filesystem::path& folder,
                                     const std::vector<std::string>& entries,
                                     const std::stop_token& stop = {},
                                     ProgressDisplay* display = nullptr);

// When the run with this identity was first started in this folder. An unfinished run keeps this
// time in a small file, the note; a finished run keeps it in provenance.json. If neither has this
// identity, returns `now`. If `keep` is set, writes the note, which stays until finish_run(), so
// that a killed run keeps its time when it is resumed.
std::string first_start(const std::filesystem::path& folder, const std::string& identity,
                        const std::string& now, bool keep);

// Throws Error if the folder has the provenance.json of another kind of run ("mia", "eval",
// "report"). A run that writes to the folder would replace it and the page, and leave results that
// no hash protects.
void require_own_folder(const std::filesystem::path& folder, const std::string& kind);

// Removes provenance.json of an earlier run. For a run that replaces results one by one while it
// works: the old hashes would match none of the states in between. Call it after first_start().
void begin_replacing(const std::filesystem::path& folder);

// Writes provenance.json, and then removes the note.
void finish_run(const std::filesystem::path& folder, const Provenance& provenance);

// Replaces all paths of the provenance, including those in the command line, by short names
// (base/internal/short_name.h).
Provenance without_paths(Provenance provenance);

}  // namespace palimpsest::evidence
