#include "palimpsest/cli/version.h"

#include <fmt/format.h>

#include <algorithm>

#include "palimpsest/base/instruction_set.h"
#include "palimpsest/cli/handover.h"

namespace palimpsest::cli {

std::vector<std::pair<std::string, std::string>> version_details(const ProgramContext& context) {
  return {
      {"commit", PALIMPSEST_COMMIT},
      {"compiler", PALIMPSEST_COMPILER},
      {"build type", PALIMPSEST_BUILD_TYPE},
      {"instruction set", std::string(name_of(instruction_set()))},
      {"libtorch", torch_program_line(context)},
  };
}

std::string version_and_commit() {
  return PALIMPSEST_VERSION ", commit " PALIMPSEST_COMMIT;
}

std::string version_text(const ProgramContext& context) {
  const auto details = version_details(context);
  size_t width = 0;
  for (const auto& [name, value] : details) width = std::max(width, name.size());
  std::string text = "palimpsest " PALIMPSEST_VERSION;
  for (const auto& [name, value] : details) text += fmt::format("\n{:<{}}  {}", name, width, value);
  return text;
}

}  // namespace palimpsest::cli
