#include "palimpsest/cli/shipped_configs.h"

#include <system_error>

#include "palimpsest/base/error.h"

namespace palimpsest::cli {

std::filesystem::path shipped_configs(const ProgramContext& context) {
  namespace fs = std::filesystem;
  if (!context.configs.empty()) return context.configs;
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  for (const fs::path& folder : {program.parent_path() / PALIMPSEST_CONFIGS_FROM_PROGRAM,
                                 program.parent_path() / PALIMPSEST_CONFIGS_FROM_TORCH_PROGRAM,
                                 fs::path(PALIMPSEST_CONFIGS_OF_SOURCE)}) {
    if (fs::is_directory(folder, ignored)) return folder.lexically_normal();
  }
  throw Error({.what = "the configurations that ship with the program are not there",
               .hint = "--config-dir names a folder of configurations"});
}

}  // namespace palimpsest::cli
