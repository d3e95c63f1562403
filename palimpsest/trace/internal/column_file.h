// A safetensors file of columns that grow while it is written, of any length in little memory: each
// column is kept in a file of its own, without a name, until all are complete. So the file takes
// twice its size on the disk for a moment.
//
//   ColumnFile file("x.safetensors");
//   const size_t column = file.add("logprob", ColumnType::kFloat32);
//   file.append_float(column, -0.5);
//   file.commit({{"model", "mine"}});
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/base/internal/file.h"

namespace palimpsest::trace {

// kId is stored in 2 or 4 bytes if all numbers fit, and else in 8.
enum class ColumnType { kFloat64, kInt64, kFloat32, kId, kByte };

class ColumnFile {
 public:
  explicit ColumnFile(const std::filesystem::path& path);
  ~ColumnFile();
  ColumnFile(const ColumnFile&) = delete;
  ColumnFile& operator=(const ColumnFile&) = delete;

  size_t add(std::string name, ColumnType type);
  // The number of elements.
  int64_t size(size_t column) const;

  void append_float(size_t column, double value);            // kFloat32 or kFloat64
  void append_int(size_t column, int64_t value);             // kInt64, kId or kByte
  void append_bytes(size_t column, std::string_view bytes);  // kByte

  // Writes the file: the metadata and the columns, the widest first, so that every number is
  // aligned. Columns in `left_out` are not written. Failures throw SystemError.
  void commit(const std::map<std::string, std::string>& metadata,
              const std::vector<size_t>& left_out = {});

 private:
  class Column;
  std::filesystem::path path_;
  AtomicFile file_;
  std::vector<std::unique_ptr<Column>> columns_;
};

}  // namespace palimpsest::trace
