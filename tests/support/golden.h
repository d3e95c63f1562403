// Golden data: JSON files under tests/golden, plain or compressed (.json.gz).
#pragma once

#include <zlib.h>

#include <array>
#include <memory>
#include <string>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/json.h"

namespace palimpsest {

// The bytes of a file, decompressed. `name` is relative to tests/golden.
inline std::string read_golden_bytes(const std::string& name) {
  const std::string path = std::string(PALIMPSEST_GOLDEN_DIR) + "/" + name;
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (!file) throw Error({.what = "the golden file cannot be opened", .where = path});
  std::string bytes;
  std::array<char, 1 << 16> buffer;
  int count = 0;
  while ((count = gzread(file.get(), buffer.data(), buffer.size())) > 0) {
    bytes.append(buffer.data(), static_cast<size_t>(count));
  }
  if (count < 0) throw Error({.what = "the golden file is damaged", .where = path});
  return bytes;
}

inline Json read_golden(const std::string& name) {  // "text/rouge.json.gz"
  return parse_json(read_golden_bytes(name), name);
}

}  // namespace palimpsest
