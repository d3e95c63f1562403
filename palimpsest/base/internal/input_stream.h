// The bytes of an input file. A file that is compressed by gzip or zstd is decompressed while it is
// read; its first bytes tell, not its name.
#pragma once

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "palimpsest/base/internal/file.h"

namespace palimpsest {

// Throws because a file could not be opened, with the system's reason (errno): SystemError if the
// machine has run out of something, such as open files, otherwise Error.
[[noreturn]] void fail_to_open(const std::filesystem::path& path, int code);
// The same for a folder whose entries could not be read.
[[noreturn]] void fail_to_open_folder(const std::filesystem::path& path, int code);

class InputStream {
 public:
  // Throws as fail_to_open() does if the file cannot be opened, and Error if it is of a kind that
  // `source` excludes.
  static std::unique_ptr<InputStream> open(const std::filesystem::path& path,
                                           LineReader::Source source);

  virtual ~InputStream() = default;
  // Reads up to `size` bytes, and fewer only at the end. Throws Error if a compressed file is
  // damaged or ends early, and SystemError if the system cannot read on.
  virtual size_t read(char* bytes, size_t size) = 0;
};

// The bytes as they lie on the disk, compressed or not.
class PlainInput : public InputStream {
 public:
  PlainInput(const std::filesystem::path& path, LineReader::Source source);

  const std::string& path() const { return path_; }
  // The first bytes, which read() gives all the same.
  const std::string& start() const { return start_; }
  size_t read(char* bytes, size_t size) override;

 private:
  size_t read_on(char* bytes, size_t size);

  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::string start_;
  size_t position_ = 0;  // in start_
};

// Whether the name ends as compressed files do: .gz or .zst.
bool is_compressed_name(const std::filesystem::path& path);

}  // namespace palimpsest
