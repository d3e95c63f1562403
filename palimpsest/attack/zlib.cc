#include "palimpsest/attack/zlib.h"

#include <zlib.h>

#include <vector>

#include "palimpsest/base/error.h"

namespace palimpsest {

int64_t compressed_size(std::string_view bytes) {
  uLongf size = ::compressBound(static_cast<uLong>(bytes.size()));
  std::vector<Bytef> compressed(size);
  const int status =
      ::compress(compressed.data(), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                 static_cast<uLong>(bytes.size()));
  PALIMPSEST_CHECK(status == Z_OK);
  return static_cast<int64_t>(size);
}

std::optional<double> zlib_score(const Trace& trace, const AttackOptions&) {
  const std::optional<double> loss = avg_loss(trace);
  if (!loss || !trace.text) return std::nullopt;
  return *loss / static_cast<double>(compressed_size(*trace.text));
}

}  // namespace palimpsest
