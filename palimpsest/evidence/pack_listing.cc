#include "palimpsest/evidence/internal/pack_listing.h"

#include <algorithm>

#include "palimpsest/base/internal/input_stream.h"
#include "palimpsest/report/internal/written_results.h"

namespace palimpsest::evidence {
namespace {

// A run's own: .palimpsest.lock, .palimpsest.start, .NAME.PID.partial. Other hidden files are
// somebody's.
bool is_working_file(const std::string& name) {
  return name.starts_with(".palimpsest.") || name.ends_with(".palimpsest.lock") ||
         (name.starts_with(".") && name.ends_with(".partial"));
}

}  // namespace

std::vector<std::string> list_files(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  try {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.is_directory() && !entry.is_symlink()) continue;
      if (is_working_file(entry.path().filename().string())) continue;
      const std::string name = entry.path().lexically_relative(folder).generic_string();
      if (name != report::kProvenanceFile) names.push_back(name);
    }
  } catch (const std::filesystem::filesystem_error& error) {
    fail_to_open_folder(folder, error.code().value());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace palimpsest::evidence
