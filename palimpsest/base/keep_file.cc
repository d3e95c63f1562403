#include "palimpsest/base/internal/keep_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <system_error>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"

namespace palimpsest {
namespace {

// False where either cannot be read, and where `b` is a link: it may lead to `a`, which is about to
// be replaced.
bool have_same_bytes(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code code;
  if (!std::filesystem::is_regular_file(std::filesystem::symlink_status(b, code))) return false;
  const uintmax_t size = std::filesystem::file_size(a, code);
  if (code || std::filesystem::file_size(b, code) != size || code) return false;
  std::ifstream first(a, std::ios::binary);
  std::ifstream second(b, std::ios::binary);
  if (!first || !second) return false;
  using Bytes = std::istreambuf_iterator<char>;
  return std::equal(Bytes(first), Bytes(), Bytes(second), Bytes());
}

// Of the file itself where the path is a link: writing replaces what the link leads to.
bool link_to_new_file(const std::filesystem::path& file, const std::filesystem::path& name) {
  return ::linkat(AT_FDCWD, file.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

}  // namespace

bool copy_to_new_file(const std::filesystem::path& file, const std::filesystem::path& copy) {
  AtomicFile target(copy);
  target.write(read_file(file));
  return target.commit_new();
}

KeptFile keep_file(const std::filesystem::path& file) {
  for (int64_t number = 0;; ++number) {
    std::filesystem::path name = file.string() + ".old";
    if (number > 0) name += fmt::format(".{}", number);
    if (is_listed(name)) {
      if (have_same_bytes(file, name)) return {.path = name, .was_kept_before = true};
      continue;
    }
    if (link_to_new_file(file, name)) {
      sync_folder_of(name);
      return {.path = name};
    }
    if (errno == EEXIST) continue;
    try {
      if (copy_to_new_file(file, name)) return {.path = name};
    } catch (const std::runtime_error& error) {
      throw SystemError(
          fmt::format("{}: the earlier results cannot be kept: {}; nothing was overwritten",
                      file.string(), error.what()));
    }
  }
}

}  // namespace palimpsest
