#include "tests/text/golden_file.h"

#include <zlib.h>

#include <array>
#include <memory>

#include "palimpsest/base/error.h"

namespace palimpsest {

Json read_golden(const std::string& name) {
  const std::string path = std::string(PALIMPSEST_GOLDEN_DIR) + "/" + name;
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (file == nullptr) throw Error({.what = "the golden file cannot be read", .where = path});
  std::string text;
  std::array<char, 65536> block;
  int got = 0;
  while ((got = gzread(file.get(), block.data(), block.size())) > 0) {
    text.append(block.data(), static_cast<size_t>(got));
  }
  if (got < 0) throw Error({.what = "the golden file is damaged", .where = path});
  return parse_json(text, path);
}

}  // namespace palimpsest
