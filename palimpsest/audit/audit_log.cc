#include "palimpsest/audit/internal/audit_log.h"

#include <optional>
#include <string_view>

#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/short_name.h"

namespace palimpsest::audit {
namespace {

constexpr std::string_view kBefore = " '\"`(:";
constexpr std::string_view kAfter = " '\"`):,;";
constexpr std::string_view kQuotes = "'\"`";

// A path of one part may be a plain word, too ("a llama model"). It is a path with a slash behind
// it, in quotes, and where a message says what it is about ("model: …").
bool is_surely_path(const std::string& note, size_t begin, size_t end) {
  if (end == note.size()) return false;
  if (note[end] == '/') return true;
  if (begin > 0 && kQuotes.find(note[begin - 1]) != std::string_view::npos)
    return note[end] == note[begin - 1];
  const std::string_view before = std::string_view(note).substr(0, begin);
  return note[end] == ':' && (!before.ends_with(' ') || before.ends_with(": "));
}

// Where a path ends that the note mentions at `begin`, with the slash that may close it. No result
// where the text is the end of another path or the beginning of a longer name.
std::optional<size_t> end_of_mention(const std::string& note, size_t begin,
                                     const std::string& path) {
  if (note.compare(begin, path.size(), path) != 0) return std::nullopt;
  if (begin > 0 && kBefore.find(note[begin - 1]) == std::string_view::npos) return std::nullopt;
  const size_t end = begin + path.size();
  if (path.find('/') == std::string::npos && !is_surely_path(note, begin, end)) return std::nullopt;
  const size_t next = note.find_first_not_of('/', end);
  if (next == std::string::npos) return note.size();
  if (kAfter.find(note[next]) != std::string_view::npos) return next;
  if (next == end) return std::nullopt;
  return next - 1;  // something in the folder
}

}  // namespace

void AuditLog::add_input(const std::filesystem::path& path, const std::string& name) {
  if (!path.empty()) names_.insert_or_assign(without_last_slash(path).string(), name);
}

void AuditLog::add_folder(const std::filesystem::path& folder) {
  if (folder.empty()) return;
  const std::string path = without_last_slash(folder).string();
  names_.emplace(path, short_name(path));
}

std::vector<std::string> AuditLog::without_folders() const {
  std::vector<std::string> notes;
  for (const std::string& note : notes_) {
    std::string& text = notes.emplace_back();
    for (size_t i = 0; i < note.size();) {
      std::optional<size_t> end;
      for (const auto& [path, name] : names_) {
        end = end_of_mention(note, i, path);
        if (!end) continue;
        text += name;
        break;
      }
      if (!end) text += note[i];
      i = end.value_or(i + 1);
    }
  }
  return notes;
}

}  // namespace palimpsest::audit
