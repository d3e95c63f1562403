#include "palimpsest/attack/internal/compressed_size.h"

#include <zlib.h>

#include <limits>
#include <new>
#include <vector>

#include "palimpsest/base/error.h"

namespace palimpsest::attack {
namespace {

// zlib's compressor with its quarter of a megabyte of tables, which a short text takes less time to
// pass through than they take to be set up.
class Compressor {
 public:
  Compressor() {
    const int status = ::deflateInit(&stream_, Z_DEFAULT_COMPRESSION);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    PALIMPSEST_CHECK(status == Z_OK);
  }
  ~Compressor() { ::deflateEnd(&stream_); }
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  int64_t size_of(std::string_view bytes) {
    PALIMPSEST_CHECK(bytes.size() <= std::numeric_limits<uInt>::max());
    PALIMPSEST_CHECK(::deflateReset(&stream_) == Z_OK);
    output_.resize(::deflateBound(&stream_, static_cast<uLong>(bytes.size())));
    // zlib does not write to its input, but its old interface does not say so.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    stream_.next_out = output_.data();
    stream_.avail_out = static_cast<uInt>(output_.size());
    PALIMPSEST_CHECK(::deflate(&stream_, Z_FINISH) == Z_STREAM_END);
    return static_cast<int64_t>(stream_.total_out);
  }

 private:
  z_stream stream_ = {};
  std::vector<Bytef> output_;
};

}  // namespace

int64_t compressed_size(std::string_view bytes) {
  thread_local Compressor compressor;
  return compressor.size_of(bytes);
}

}  // namespace palimpsest::attack
