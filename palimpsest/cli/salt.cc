#include "palimpsest/cli/salt.h"

#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"

namespace palimpsest::cli {
namespace {

constexpr size_t kLeastSalt = 16;  // bytes

std::string random_salt() {
  std::array<unsigned char, 32> bytes;
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw SystemError("the system provides no random numbers", errno);
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text + "\n";
}

bool is_inside(const std::filesystem::path& file, const std::filesystem::path& folder) {
  std::error_code ignored;
  const auto relative = std::filesystem::weakly_canonical(file, ignored)
                            .lexically_relative(std::filesystem::weakly_canonical(folder, ignored));
  return !relative.empty() && *relative.begin() != "..";
}

}  // namespace

std::string read_salt(const std::filesystem::path& file, const std::filesystem::path& results) {
  if (file.empty()) return random_salt();
  if (!results.empty() && is_inside(file, results)) {
    throw Error(
        {.what = "the salt must not be in the folder of the results",
         .where = file.string(),
         .hint = "whoever has both can find out which text a hash stands for, by guessing"});
  }
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    const mode_t before = ::umask(0077);
    try {
      write_file(file, random_salt());
    } catch (...) {
      ::umask(before);
      throw;
    }
    ::umask(before);
  }
  std::string salt = read_file(file);
  if (salt.size() < kLeastSalt) {
    throw Error({.what = "the salt is too short to be a secret",
                 .where = file.string(),
                 .expected = fmt::format("at least {} bytes", kLeastSalt),
                 .found = fmt::format("{}", salt.size())});
  }
  return salt;
}

}  // namespace palimpsest::cli
