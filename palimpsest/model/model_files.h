// The files that decide what a model computes: for fingerprints.
#pragma once

#include <filesystem>
#include <vector>

namespace palimpsest {

// config.json, generation settings aside; the weights; an adapter's two files and, if it stands
// alone, its base's, where that is a folder beside it. In a fixed order.
std::vector<std::filesystem::path> model_files(const std::filesystem::path& folder);

}  // namespace palimpsest
