// A file mapped into memory for reading. Nothing is read before it is touched, and what was read
// can be given back.
//
// A mapping belongs to one owner and may be read by many threads. A file that somebody cuts short
// while it is mapped ends the process, as with every mapping: files are replaced, not overwritten.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace palimpsest::model {

class MappedFile {
 public:
  // Throws Error (with the reason) if the file cannot be read or is not a plain file, SystemError
  // if the system refuses the mapping.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  // All of it; empty for an empty file.
  std::span<const std::byte> bytes() const { return bytes_; }

  // Says that a part of bytes() is not needed for now: its whole pages leave the process and are
  // the first that the system drops when memory is short. They come back when touched. Only advice.
  void release(std::span<const std::byte> part) const;

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace palimpsest::model
