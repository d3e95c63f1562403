#include "palimpsest/cli/pack.h"

#include <fmt/format.h>

#include <cstdlib>
#include <ctime>

#include "palimpsest/base/instruction_set.h"
#include "palimpsest/cli/version.h"

namespace palimpsest::cli {

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc = {};
  ::gmtime_r(&now, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", utc.tm_year + 1900, utc.tm_mon + 1,
                     utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec);
}

std::filesystem::path hash_cache() {
  const auto folder = [](const char* variable) -> std::filesystem::path {
    const char* value = std::getenv(variable);
    return value != nullptr && *value == '/' ? value : "";
  };
  if (const auto cache = folder("XDG_CACHE_HOME"); !cache.empty())
    return cache / "palimpsest" / "sha256";
  if (const auto home = folder("HOME"); !home.empty())
    return home / ".cache" / "palimpsest" / "sha256";
  return {};
}

evidence::Provenance begin_provenance(const std::string& kind, const ProgramContext& context) {
  evidence::Provenance provenance{
      .kind = kind, .command = {"palimpsest"}, .version = PALIMPSEST_VERSION};
  provenance.command.insert(provenance.command.end(), context.arguments.begin(),
                            context.arguments.end());
  for (const auto& [name, value] : version_details(context)) {
    if (name == "commit") provenance.commit = value;
  }
  return provenance;
}

std::vector<std::pair<std::string, std::string>> compute_settings(
    const model::ModelOptions& options) {
  return {{"device", options.device},
          {"type", options.dtype ? std::string(kernels::name_of(*options.dtype)) : "as stored"},
          {"instruction set", std::string(name_of(instruction_set()))}};
}

void finish_pack(const std::filesystem::path& folder, evidence::Provenance provenance,
                 const std::vector<std::string>& entries) {
  provenance.files = evidence::hash_results(folder, entries);
  evidence::finish_run(folder, provenance);
}

}  // namespace palimpsest::cli
