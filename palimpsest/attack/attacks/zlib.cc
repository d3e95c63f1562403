// ZLIB (Carlini et al. 2021, "Extracting Training Data from Large Language Models"): the loss in
// relation to the amount of information in the text, as measured by a general-purpose compressor.
//
//   score = avg_loss / (bytes of zlib.compress, default level, of the text in UTF-8)
#include "palimpsest/attack/attack.h"
#include "palimpsest/attack/internal/compressed_size.h"

namespace palimpsest::attack {
namespace {

std::optional<double> zlib_score(const trace::Trace& trace) {
  const std::optional<double> loss = trace::avg_loss(trace);
  if (!loss || (!trace.text && !trace.zlib_size)) return std::nullopt;
  return *loss / static_cast<double>(trace.text ? compressed_size(*trace.text) : *trace.zlib_size);
}

}  // namespace

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
