// ZLIB (Carlini et al. 2021, "Extracting Training Data from Large Language Models"): the loss in
// relation to the amount of information in the text, as measured by a general-purpose compressor.
//
//   score = avg_loss / (bytes of zlib.compress, default level, of the text in UTF-8)
#include "palimpsest/attack/internal/attacks.h"

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

std::optional<double> zlib_score(const trace::Trace& trace) {
  const std::optional<double> loss = trace::avg_loss(trace);
  if (!loss || (!trace.text && !trace.zlib_size)) return std::nullopt;
  return *loss / static_cast<double>(trace.text ? compressed_size(*trace.text) : *trace.zlib_size);
}

Attack zlib_attack() {
  return {
      .name = "zlib",
      .measures = "average loss over the compressed size of the text in bytes",
      .cost = "one forward pass per example; 0.3 MB per thread for the compressor",
      .use = "texts of very different complexity but similar length",
      .avoid = "sets of different lengths: longer texts score lower, members or not",
      .paper = "Carlini et al. 2021, arXiv 2012.07805",
      .needs = {needs_loss(), needs_text_size()},
      .score = [](const trace::Trace& trace, const ParameterValues&) { return zlib_score(trace); }};
}

}  // namespace palimpsest::attack
