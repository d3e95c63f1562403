// The elements of a JSON array in a file, one text at a time, without reading the whole of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace palimpsest::data {

// Finds where elements end (brackets and strings); whether an element is valid JSON is for whoever
// parses it. Throws Error for a file that is no array, ends early or goes on after it.
class JsonArraySplitter {
 public:
  explicit JsonArraySplitter(const std::filesystem::path& path);

  // False at the end of the array.
  bool next(std::string& element);

  static constexpr size_t kLongest = size_t{1} << 30;

 private:
  int get();  // the next byte, -1 at the end
  int get_non_space();
  [[noreturn]] void fail(const char* what) const;

  std::filesystem::path path_;
  std::ifstream file_;
  std::string buffer_;
  size_t position_ = 0;
  int64_t line_ = 1;
  bool started_ = false;
  bool ended_ = false;
};

}  // namespace palimpsest::data
