// Functions shared by the commands that write an evidence pack (a folder of results with
// provenance.json). They supply the time, the command line and the version of a run, and hash the
// files of the pack (evidence/provenance.h).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "palimpsest/cli/program.h"
#include "palimpsest/evidence/provenance.h"
#include "palimpsest/model/model_loader.h"

namespace palimpsest::cli {

// The time in UTC: "2026-11-17T17:50:00Z".
std::string utc_now();

// Where the hashes of large files are kept: palimpsest/sha256 in XDG_CACHE_HOME or in ~/.cache.
// Empty if neither XDG_CACHE_HOME nor HOME is set; then nothing is kept.
std::filesystem::path hash_cache();

// Sets kind, command line, version and commit. The caller sets the rest.
evidence::Provenance begin_provenance(const std::string& kind, const ProgramContext& context);

// Device, type and instruction set with which models are run.
std::vector<std::pair<std::string, std::string>> compute_settings(
    const model::ModelOptions& options);

// Hashes the results (entries of the folder) and writes provenance.json: the last file of a run.
void finish_pack(const std::filesystem::path& folder, evidence::Provenance provenance,
                 const std::vector<std::string>& entries);

}  // namespace palimpsest::cli
