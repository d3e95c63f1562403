#include "palimpsest/trace/internal/column_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/json.h"

namespace palimpsest::trace {
namespace {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

constexpr size_t kBuffer = size_t{1} << 18;
constexpr size_t kAlignment = 8;

[[noreturn]] void fail_to_spool(const std::filesystem::path& folder) {
  throw SystemError(fmt::format("{}: a temporary file cannot be written: {}", folder.string(),
                                std::strerror(errno)),
                    errno);
}

// A file without a name: it goes when it is closed, however the process ends.
int open_anonymous_file(const std::filesystem::path& folder) {
  const std::filesystem::path existing = folder.empty() ? "." : folder;
  const int descriptor = ::open(existing.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor >= 0) return descriptor;
  std::string name =
      (existing / ".palimpsest.columns.XXXXXX").string();  // not every file system can
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named < 0) fail_to_spool(existing);
  ::unlink(name.c_str());
  return named;
}

size_t width_of(ColumnType type) {
  switch (type) {
    case ColumnType::kFloat32:
      return 4;
    case ColumnType::kByte:
      return 1;
    case ColumnType::kFloat64:
    case ColumnType::kInt64:
    case ColumnType::kId:
      break;
  }
  return 8;
}

}  // namespace

class ColumnFile::Column {
 public:
  Column(std::string name, ColumnType type, const std::filesystem::path& folder)
      : name_(std::move(name)), type_(type), folder_(folder) {}
  ~Column() {
    if (file_ >= 0) ::close(file_);
  }
  Column(const Column&) = delete;
  Column& operator=(const Column&) = delete;

  const std::string& name() const { return name_; }
  int64_t size() const { return bytes_ / static_cast<int64_t>(width_of(type_)); }

  void append(const void* bytes, size_t count) {
    bytes_ += static_cast<int64_t>(count);
    buffer_.append(static_cast<const char*>(bytes), count);
    if (buffer_.size() >= kBuffer) spill();
  }
  void append_int(int64_t value) {
    if (type_ == ColumnType::kByte) {
      const auto byte = static_cast<char>(value);
      return append(&byte, 1);
    }
    largest_ = std::max(largest_, value);
    smallest_ = std::min(smallest_, value);
    append(&value, sizeof value);
  }
  void append_float(double value) {
    if (type_ == ColumnType::kFloat64) return append(&value, sizeof value);
    const auto narrow = static_cast<float>(value);
    append(&narrow, sizeof narrow);
  }

  // In the file.
  size_t stored_width() const { return type_ == ColumnType::kId ? id_width() : width_of(type_); }
  const char* stored_type() const {
    switch (type_) {
      case ColumnType::kFloat64:
        return "F64";
      case ColumnType::kFloat32:
        return "F32";
      case ColumnType::kByte:
        return "U8";
      case ColumnType::kInt64:
      case ColumnType::kId:
        break;
    }
    return stored_width() == 2 ? "U16" : stored_width() == 4 ? "I32" : "I64";
  }
  void copy_to(AtomicFile& out) {
    std::string part;
    for (int64_t at = 0; at < spilled_;) {
      part.resize(static_cast<size_t>(std::min<int64_t>(spilled_ - at, kBuffer)));
      const ssize_t got = ::pread(file_, part.data(), part.size(), at);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) fail_to_spool(folder_);
      // Whole numbers only: what is left over is read again.
      part.resize(static_cast<size_t>(got) / width_of(type_) * width_of(type_));
      at += std::ssize(part);
      write_to(out, part);
    }
    write_to(out, buffer_);
  }

 private:
  size_t id_width() const {
    if (smallest_ >= 0 && largest_ <= std::numeric_limits<uint16_t>::max()) return 2;
    const bool fits = largest_ <= std::numeric_limits<int32_t>::max() &&
                      smallest_ >= std::numeric_limits<int32_t>::min();
    return fits ? 4 : 8;
  }
  void spill() {
    if (file_ < 0) file_ = open_anonymous_file(folder_);
    for (std::string_view left = buffer_; !left.empty();) {
      const ssize_t written = ::pwrite(file_, left.data(), left.size(), spilled_);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail_to_spool(folder_);
      left.remove_prefix(static_cast<size_t>(written));
      spilled_ += written;
    }
    buffer_.clear();
  }
  void write_to(AtomicFile& out, const std::string& bytes) const {
    const size_t width = stored_width();
    if (width == width_of(type_)) return out.write(bytes);
    std::string narrow;
    narrow.reserve(bytes.size() / sizeof(int64_t) * width);
    // The lowest bytes come first, of negative numbers, too.
    for (size_t i = 0; i < bytes.size(); i += sizeof(int64_t))
      narrow.append(bytes.data() + i, width);
    out.write(narrow);
  }

  std::string name_;
  ColumnType type_;
  std::filesystem::path folder_;
  int file_ = -1;
  int64_t spilled_ = 0;  // bytes in the file
  std::string buffer_;
  int64_t bytes_ = 0;  // all
  int64_t largest_ = 0;
  int64_t smallest_ = 0;
};

ColumnFile::ColumnFile(const std::filesystem::path& path) : path_(path), file_(path) {}

ColumnFile::~ColumnFile() = default;

size_t ColumnFile::add(std::string name, ColumnType type) {
  columns_.push_back(std::make_unique<Column>(std::move(name), type, path_.parent_path()));
  return columns_.size() - 1;
}

int64_t ColumnFile::size(size_t column) const {
  return columns_[column]->size();
}

void ColumnFile::append_float(size_t column, double value) {
  columns_[column]->append_float(value);
}

void ColumnFile::append_int(size_t column, int64_t value) {
  columns_[column]->append_int(value);
}

void ColumnFile::append_bytes(size_t column, std::string_view bytes) {
  columns_[column]->append(bytes.data(), bytes.size());
}

void ColumnFile::commit(const std::map<std::string, std::string>& metadata,
                        const std::vector<size_t>& left_out) {
  std::vector<Column*> columns;
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (std::ranges::find(left_out, i) == left_out.end()) columns.push_back(columns_[i].get());
  }
  std::ranges::stable_sort(columns, [](const Column* a, const Column* b) {
    return a->stored_width() > b->stored_width();
  });
  Json header = {{"__metadata__", metadata}};
  int64_t end = 0;
  for (const Column* column : columns) {
    const int64_t begin = end;
    end += column->size() * static_cast<int64_t>(column->stored_width());
    header[column->name()] = {{"dtype", column->stored_type()},
                              {"shape", {column->size()}},
                              {"data_offsets", {begin, end}}};
  }
  std::string text = to_line(header);
  text.resize((text.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');
  const auto length = static_cast<uint64_t>(text.size());
  file_.write({reinterpret_cast<const char*>(&length), sizeof length});
  file_.write(text);
  for (Column* column : columns) column->copy_to(file_);
  file_.commit();
}

}  // namespace palimpsest::trace
