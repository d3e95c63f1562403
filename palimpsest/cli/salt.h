// The salt of the hashes that take the place of texts (`mia --no-text`).
#pragma once

#include <filesystem>
#include <string>

namespace palimpsest::cli {

// The content of the file. If there is no such file, it is made, for its owner alone, with a new random
// salt. Without a file the salt is random and kept nowhere. Throws Error if the file is inside the
// folder of the results, which must not hold it, or is too short to be a secret.
std::string read_salt(const std::filesystem::path& file, const std::filesystem::path& results);

}  // namespace palimpsest::cli
