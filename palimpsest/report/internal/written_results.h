// What provenance.json of a folder says about the results beside it. An audit writes this file last,
// with the SHA-256 of every result. So a result that was changed later, or that belongs to an audit
// that was cut short, is noticed before its numbers are shown.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace palimpsest::report {

// Throws Error if provenance.json of the folder has a hash for the file and these bytes, its content,
// have another one; also if provenance.json is not JSON. If there is no provenance.json, or if it is
// not that of an audit, no file has a hash: the results of an evaluation have hashes of their own
// (run_record.h).
void require_written(const std::filesystem::path& folder, const std::string& file,
                     std::string_view bytes);
// The same for a file of any size, which is read for it.
void require_written(const std::filesystem::path& folder, const std::string& file);

}  // namespace palimpsest::report
