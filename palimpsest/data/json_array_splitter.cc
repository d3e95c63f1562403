#include "palimpsest/data/internal/json_array_splitter.h"

#include <fmt/format.h>

#include "palimpsest/base/error.h"

namespace palimpsest::data {

JsonArraySplitter::JsonArraySplitter(const std::filesystem::path& path)
    : path_(path), input_(InputStream::open(path, LineReader::Source::kPlainFile)) {}

void JsonArraySplitter::fail(const char* what) const {
  throw Error({.what = what, .where = fmt::format("{}:{}", path_.string(), line_)});
}

int JsonArraySplitter::get() {
  if (position_ == buffer_.size()) {
    buffer_.resize(size_t{1} << 16);
    buffer_.resize(input_->read(buffer_.data(), buffer_.size()));
    position_ = 0;
    if (buffer_.empty()) return -1;
  }
  const char byte = buffer_[position_++];
  if (byte == '\n') ++line_;
  return static_cast<unsigned char>(byte);
}

int JsonArraySplitter::get_non_space() {
  int byte = get();
  while (byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n') byte = get();
  return byte;
}

bool JsonArraySplitter::next(std::string& element) {
  if (ended_) return false;
  int byte = get_non_space();
  if (!started_) {
    started_ = true;
    if (byte == 0xEF && get() == 0xBB && get() == 0xBF) byte = get_non_space();
    if (byte != '[') fail("the file is not a JSON array");
    byte = get_non_space();
    if (byte == ']') {
      ended_ = true;
      return false;
    }
  }
  element.clear();
  int64_t depth = 0;
  bool in_string = false;
  for (bool escaped = false;; byte = get()) {
    if (byte < 0) fail("the array is not complete");
    if (in_string) {
      in_string = escaped || byte != '"';
      escaped = !escaped && byte == '\\';
    } else if (byte == '"') {
      in_string = true;
    } else if (byte == '{' || byte == '[') {
      ++depth;
    } else if (depth == 0 && (byte == ',' || byte == ']')) {
      ended_ = byte == ']';
      if (ended_ && get_non_space() >= 0) fail("the file continues after the array");
      return true;
    } else if (byte == '}' || byte == ']') {
      --depth;
    }
    if (element.size() == kLongest) fail("a record is larger than 1 GiB");
    element += static_cast<char>(byte);
  }
}

}  // namespace palimpsest::data
