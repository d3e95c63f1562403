// Splits a JSON array in a file into its elements, one text at a time, without reading the whole
// file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "palimpsest/base/internal/input_stream.h"

namespace palimpsest::data {

// It only finds where elements end (by brackets and strings); it does not check that an element is
// valid JSON. Throws Error if the file is not an array, ends early, or has text after the array.
class JsonArraySplitter {
 public:
  explicit JsonArraySplitter(const std::filesystem::path& path);

  // Returns false at the end of the array.
  bool next(std::string& element);

  static constexpr size_t kLongest = size_t{1} << 30;  // the longest element in bytes

 private:
  int get();  // the next byte, or -1 at the end
  int get_non_space();
  [[noreturn]] void fail(const char* what) const;

  std::filesystem::path path_;
  std::unique_ptr<InputStream> input_;
  std::string buffer_;
  size_t position_ = 0;
  int64_t line_ = 1;
  bool started_ = false;
  bool ended_ = false;
};

}  // namespace palimpsest::data
