#include "palimpsest/model/model_files.h"

#include "palimpsest/model/adapter.h"
#include "palimpsest/model/checkpoint.h"

namespace palimpsest {

std::vector<std::filesystem::path> model_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::filesystem::path base = folder;
  if (const auto adapter = Adapter::open(folder)) {
    files.push_back(folder / "adapter_config.json");
    files.push_back(folder / "adapter_model.safetensors");
    if (!std::filesystem::exists(folder / "config.json")) base = folder / adapter->base();
  }
  if (!std::filesystem::exists(base / "config.json")) return files;
  files.push_back(base / "config.json");
  const Checkpoint checkpoint = Checkpoint::open(base);
  files.insert(files.end(), checkpoint.files().begin(), checkpoint.files().end());
  return files;
}

}  // namespace palimpsest
