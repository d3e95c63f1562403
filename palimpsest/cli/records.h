// The records of a data file, one after the other: JSON lines, a JSON array of objects (told apart
// by the first byte), or, where the name ends in .csv, comma-separated values under a heading.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "palimpsest/base/json.h"

namespace palimpsest::cli {

// Called with each record, an object, and its place for messages: "data.jsonl:17".
using VisitRecord = std::function<void(const Json& record, const std::string& where)>;

// Throws Error (with the place) for a file that cannot be read or parsed, for a record that is not
// an object, for a file without records, and whatever `visit` throws.
void for_each_record(const std::filesystem::path& path, const VisitRecord& visit);

// The text under a key. Throws Error if the key is missing (the record's keys are listed) or holds
// something else.
std::string require_text(const Json& record, const std::string& key, const std::string& where);

}  // namespace palimpsest::cli
