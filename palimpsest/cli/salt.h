// The salt of the hashes that take the place of texts (`mia --no-text`).
#pragma once

#include <filesystem>
#include <string>

namespace palimpsest::cli {

// Returns the salt in the file. If the file does not exist, it is created with a new random salt,
// and only its owner can read it. If `file` is empty, the salt is random and is stored nowhere.
// Throws Error if the file is inside the folder of the results, which must not hold the salt, or if
// the salt is too short to be a secret.
std::string read_salt(const std::filesystem::path& file, const std::filesystem::path& results);

}  // namespace palimpsest::cli
