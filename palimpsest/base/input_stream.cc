#include "palimpsest/base/internal/input_stream.h"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "palimpsest/base/error.h"

namespace palimpsest {
namespace {

constexpr size_t kInputBlock = size_t{1} << 16;
constexpr std::string_view kGzipMagic = "\x1F\x8B";
constexpr std::string_view kZstdMagic = "\x28\xB5\x2F\xFD";

// What gzip and zstd share: a block of compressed bytes at a time, and one message for what cannot
// be decompressed.
class CompressedStream : public InputStream {
 public:
  explicit CompressedStream(std::unique_ptr<PlainInput> file) : file_(std::move(file)) {
    block_.resize(kInputBlock);
  }

 protected:
  // The next block; empty at the end of the file.
  std::string_view next_block() {
    return {block_.data(), file_->read(block_.data(), block_.size())};
  }

  [[noreturn]] void fail(const char* what) const {
    throw Error({.what = fmt::format("the compressed file {}", what),
                 .where = file_->path(),
                 .hint = "copy or compress it again"});
  }
  static constexpr const char* kDamaged = "is damaged";
  static constexpr const char* kCutShort = "ends early";

 private:
  std::unique_ptr<PlainInput> file_;
  std::string block_;
};

// A gzip file may consist of several members, one after the other.
class GzipStream : public CompressedStream {
 public:
  explicit GzipStream(std::unique_ptr<PlainInput> file) : CompressedStream(std::move(file)) {
    constexpr int kGzipFormat = 16;
    if (inflateInit2(&stream_, MAX_WBITS + kGzipFormat) != Z_OK) throw std::bad_alloc();
  }
  ~GzipStream() override { inflateEnd(&stream_); }
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;

  size_t read(char* bytes, size_t size) override {
    size_t done = 0;
    while (done < size) {
      if (stream_.avail_in == 0 && !refill()) break;
      if (std::exchange(at_member_end_, false)) inflateReset(&stream_);
      const size_t room = std::min(size - done, kInputBlock);
      stream_.next_out = reinterpret_cast<Bytef*>(bytes + done);
      stream_.avail_out = static_cast<uInt>(room);
      const int status = inflate(&stream_, Z_NO_FLUSH);
      done += room - stream_.avail_out;
      at_member_end_ = status == Z_STREAM_END;
      if (status == Z_MEM_ERROR) throw std::bad_alloc();
      if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) fail(kDamaged);
    }
    return done;
  }

 private:
  // False at the end of the file, which must be the end of a member.
  bool refill() {
    const std::string_view block = next_block();
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(block.data()));
    stream_.avail_in = static_cast<uInt>(block.size());
    if (block.empty() && !at_member_end_) fail(kCutShort);
    return !block.empty();
  }

  z_stream stream_ = {};
  bool at_member_end_ = false;
};

// A zstd file may consist of several frames, one after the other. A frame that asks for a window
// of more than 128 MB is refused by the library.
class ZstdStream : public CompressedStream {
 public:
  explicit ZstdStream(std::unique_ptr<PlainInput> file)
      : CompressedStream(std::move(file)), stream_(ZSTD_createDStream()) {
    if (stream_ == nullptr) throw std::bad_alloc();
  }

  size_t read(char* bytes, size_t size) override {
    ZSTD_outBuffer out{.dst = bytes, .size = size, .pos = 0};
    while (out.pos < size) {
      if (in_.pos == in_.size && !has_more_output_ && !refill()) break;
      const size_t before = out.pos;
      const size_t hint = ZSTD_decompressStream(stream_.get(), &out, &in_);
      if (ZSTD_isError(hint) != 0) fail(kDamaged);
      at_frame_end_ = hint == 0;
      // A full output may hide more that the decoder holds back.
      has_more_output_ = !at_frame_end_ && out.pos == out.size && out.pos > before;
    }
    return out.pos;
  }

 private:
  bool refill() {
    const std::string_view block = next_block();
    in_ = {.src = block.data(), .size = block.size(), .pos = 0};
    if (block.empty() && !at_frame_end_) fail(kCutShort);
    return !block.empty();
  }

  struct Free {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };
  std::unique_ptr<ZSTD_DStream, Free> stream_;
  ZSTD_inBuffer in_ = {};
  bool has_more_output_ = false;
  bool at_frame_end_ = false;
};

[[noreturn]] void fail_to_read(const char* kind, const std::filesystem::path& path, int code) {
  const std::string what = fmt::format("{} cannot be read: {}", kind, std::strerror(code));
  if (is_machine_failure(code)) {
    throw SystemError(fmt::format("{}: {}", path.string(), what), code);
  }
  throw Error({.what = what, .where = path.string()});
}

}  // namespace

void fail_to_open(const std::filesystem::path& path, int code) {
  fail_to_read("the file", path, code);
}

void fail_to_open_folder(const std::filesystem::path& path, int code) {
  fail_to_read("the folder", path, code);
}

PlainInput::PlainInput(const std::filesystem::path& path, LineReader::Source source)
    : path_(path.string()) {
  std::error_code ignored;
  const bool is_folder = std::filesystem::is_directory(path, ignored);
  if (is_folder || source == LineReader::Source::kPlainFile) require_plain_file(path);
  file_.reset(std::fopen(path.c_str(), "rb"));
  if (file_ == nullptr) fail_to_open(path, errno);
  start_.resize(kZstdMagic.size());
  start_.resize(read_on(start_.data(), start_.size()));
}

size_t PlainInput::read(char* bytes, size_t size) {
  const size_t taken = std::min(size, start_.size() - position_);
  std::copy_n(start_.data() + position_, taken, bytes);
  position_ += taken;
  return taken + read_on(bytes + taken, size - taken);
}

size_t PlainInput::read_on(char* bytes, size_t size) {
  const size_t got = std::fread(bytes, 1, size, file_.get());
  if (std::ferror(file_.get()) != 0) throw SystemError(path_ + ": reading the file failed");
  return got;
}

std::unique_ptr<InputStream> InputStream::open(const std::filesystem::path& path,
                                               LineReader::Source source) {
  auto file = std::make_unique<PlainInput>(path, source);
  if (file->start().starts_with(kGzipMagic)) return std::make_unique<GzipStream>(std::move(file));
  if (file->start().starts_with(kZstdMagic)) return std::make_unique<ZstdStream>(std::move(file));
  return file;
}

bool is_compressed_name(const std::filesystem::path& path) {
  return path.extension() == ".gz" || path.extension() == ".zst";
}

}  // namespace palimpsest
