// Files: whole and line-by-line reading, and writing that never leaves half a result behind.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace palimpsest {

// The bytes of a file. Throws Error (with the reason) if it cannot be read.
std::string read_file(const std::filesystem::path& path);

// Reads a text file one line at a time; memory follows the longest line, not the file.
// Lines end in \n or \r\n, the last one may lack it; a UTF-8 byte order mark is skipped.
class LineReader {
 public:
  explicit LineReader(std::filesystem::path path);

  // False at the end of the file. Throws Error where a line is longer than kMaxLine.
  bool next(std::string& line);

  // The number of the line last returned, from 1.
  int64_t line_number() const { return line_number_; }
  // "data.jsonl:17", for messages.
  std::string where() const;

  static constexpr int64_t kMaxLine = int64_t{1} << 30;

 private:
  bool refill();

  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::filesystem::path path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::string buffer_;
  size_t position_ = 0;
  int64_t line_number_ = 0;
};

// Replaces a file in one step: the bytes go to a hidden file beside it, are flushed to the disk and
// renamed over the target by commit(); without it the target is left as it was. Of a link the file
// that it leads to is replaced; a device or a pipe is written to directly. Failures (no such folder,
// disk full) throw SystemError.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  void commit();

 private:
  std::filesystem::path path_;
  std::filesystem::path beside_;  // empty: straight into the target
  std::FILE* file_ = nullptr;
};

// AtomicFile in one call.
void write_file(const std::filesystem::path& path, std::string_view bytes);

// Makes the folder (and those above it) unless it is there. Throws Error if that is impossible.
void make_folder(const std::filesystem::path& path);

}  // namespace palimpsest
