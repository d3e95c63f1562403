// Reads files as a whole or line by line, and writes them so that a failure never leaves half a
// file behind.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace palimpsest {

class InputStream;

// Whether the folder of `path` lists this name. A link that leads nowhere counts too, as do a
// folder and a pipe: whoever then reads the file learns what is wrong with it. To take such a name
// for an absent file would be to ignore a part of the input.
bool is_listed(const std::filesystem::path& path);

// "out" for "out/": to be used where a name beside the folder is made ("out.run"), which would
// otherwise lie in it.
std::filesystem::path without_last_slash(const std::filesystem::path& path);

// Throws Error if the path leads to a folder, a pipe, a socket or a device. A pipe can be read only
// once, and opening it may wait for ever; a device may have no end. A missing file is not reported
// here, but when it is opened.
void require_plain_file(const std::filesystem::path& path);

// The bytes of a plain file. Throws Error (with the reason) if it cannot be read.
std::string read_file(const std::filesystem::path& path);

// Reads a text file one line at a time. The memory needed depends on the longest line, not on the
// size of the file. Lines end in \n or \r\n; the line ending of the last line may be missing. A
// UTF-8 byte order mark is skipped. A file that is compressed by gzip or zstd is decompressed while
// it is read.
class LineReader {
 public:
  // What may be read: plain files alone, or pipes and devices as well (standard input).
  enum class Source { kPlainFile, kAny };

  explicit LineReader(std::filesystem::path path, Source source = Source::kPlainFile);
  LineReader(LineReader&& other) noexcept;
  LineReader& operator=(LineReader&& other) noexcept;
  ~LineReader();

  // Reads the next line. Returns false at the end of the file. Throws Error if the line is longer
  // than kMaxLine bytes.
  bool next(std::string& line);

  // The number of the line last returned, from 1.
  int64_t line_number() const { return line_number_; }
  // "data.jsonl:17", for messages.
  std::string where() const;

  static constexpr int64_t kMaxLine = int64_t{1} << 30;

 private:
  bool refill();

  std::filesystem::path path_;
  std::unique_ptr<InputStream> input_;
  std::string buffer_;
  size_t position_ = 0;
  int64_t line_number_ = 0;
};

// Replaces a file, the target, in one step. The bytes are written to a hidden file beside the
// target. commit() flushes the hidden file to the disk and renames it to the target. Without
// commit() the target is left unchanged. If the path is a link, the file that it leads to is
// replaced. A device or a pipe is written to directly. Failures (no such folder, disk full) throw
// SystemError.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  void commit();
  // Like commit(), but replaces nothing: if something with the target's name exists already, it is
  // left as it is, and the result is false.
  bool commit_new();

 private:
  void flush();
  void finish(int renamed);

  std::filesystem::path path_;
  std::filesystem::path beside_;  // the hidden file; empty: the target is written to directly
  std::FILE* file_ = nullptr;
};

// Writes a whole file with AtomicFile.
void write_file(const std::filesystem::path& path, std::string_view bytes);

// Flushes the folder of `file` to the disk. Only then is it certain that a new or renamed file
// keeps its name after a crash.
void sync_folder_of(const std::filesystem::path& file);

// Creates the folder (and its parents) if it does not exist. Throws Error if that is impossible, or
// SystemError if the disk is full or broken.
void make_folder(const std::filesystem::path& path);

}  // namespace palimpsest
