// A file that is mapped into memory for reading. Pages are read when they are accessed, and can be
// released again.
//
// A mapping has one owner and may be read by many threads. If another program truncates the file
// while it is mapped, the process is killed, as with every mapping. So files must be replaced, not
// overwritten.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace palimpsest {

class MappedFile {
 public:
  // Throws Error, with the reason, if the file cannot be read or is not a regular file. Throws
  // SystemError if the system refuses the mapping.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  // The whole content; empty for an empty file.
  std::span<const std::byte> bytes() const { return bytes_; }

  // Tells the system that a part of bytes() is not needed for now. Its whole pages leave the
  // process, and are the first that the system drops if memory is short. They are read again when
  // they are accessed. This is only a hint.
  void release(std::span<const std::byte> part) const;

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace palimpsest
