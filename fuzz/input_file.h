// A fuzzer's input as a file, for readers that take a path. The folder lies in memory where the
// system has such a place, belongs to this process and is removed at its end.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>

namespace palimpsest {

class InputFolder {
 public:
  InputFolder() {
    std::error_code ignored;
    const std::filesystem::path memory = "/dev/shm";
    const bool has_memory = std::filesystem::is_directory(memory, ignored);
    std::string name =
        (has_memory ? memory : std::filesystem::temp_directory_path()) / "palimpsest-fuzz-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  ~InputFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  InputFolder(const InputFolder&) = delete;
  InputFolder& operator=(const InputFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // By plain system calls: a stream would cost more than many a reader.
  std::filesystem::path write(const char* name, std::string_view bytes) const {
    std::filesystem::path file = path_ / name;
    const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (descriptor < 0 || ::write(descriptor, bytes.data(), bytes.size()) != std::ssize(bytes))
      std::abort();
    ::close(descriptor);
    return file;
  }

 private:
  std::filesystem::path path_;
};

inline const InputFolder& input_folder() {
  static const InputFolder folder;
  return folder;
}

inline std::string_view input_text(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace palimpsest
