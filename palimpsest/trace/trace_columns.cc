#include "palimpsest/trace/internal/trace_columns.h"

#include <fstream>
#include <system_error>

namespace palimpsest::trace {

bool is_column_file(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;  // a pipe would wait
  // Eight bytes with the length of the header, of which the upper ones are 0, and then the header.
  std::ifstream file(path, std::ios::binary);
  char head[9] = {};
  if (!file.read(head, sizeof head)) return false;
  return head[4] == 0 && head[5] == 0 && head[6] == 0 && head[7] == 0 && head[8] == '{';
}

bool has_column_name(const std::filesystem::path& path) {
  return path.extension() == ".safetensors";
}

}  // namespace palimpsest::trace
