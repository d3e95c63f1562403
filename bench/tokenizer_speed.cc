// How fast a tokenizer loads and encodes, on one thread. bench/peers/tokenizer_peer.py makes the
// folder and the text, runs this beside the `tokenizers` package and checks that both give the same
// ids.
//
//   tokenizer_speed FOLDER TEXT.jsonl    (one JSON string per line)

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/json.h"
#include "palimpsest/tokenizer/tokenizer.h"

namespace palimpsest {
namespace {

constexpr int kRounds = 3;

double best_seconds(const std::function<void()>& work) {
  double best = 1e30;
  for (int round = 0; round < kRounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  return best;
}

void run(const std::string& folder, const std::string& text_file) {
  std::vector<std::string> texts;
  int64_t bytes = 0;
  LineReader reader(text_file);
  for (std::string line; reader.next(line);) {
    texts.push_back(parse_json(line, reader.where()).get<std::string>());
    bytes += static_cast<int64_t>(texts.back().size());
  }
  const double load = best_seconds([&] { tokenizer::Tokenizer::load(folder); });
  // A tokenizer for each round, so that none profits from the words of the one before.
  int64_t tokens = 0;
  uint64_t sum = 0;
  const auto encode = [&](bool with_offsets) {
    return best_seconds([&] {
      const tokenizer::Tokenizer tokenizer = tokenizer::Tokenizer::load(folder);
      const auto encodings = tokenizer.encode_batch(
          texts, {.with_tokens = with_offsets, .with_offsets = with_offsets}, 1);
      tokens = 0;
      sum = 0;
      for (const tokenizer::Encoding& encoding : encodings) {
        tokens += static_cast<int64_t>(encoding.ids.size());
        for (const int64_t id : encoding.ids) sum = sum * 31 + static_cast<uint64_t>(id);
      }
    });
  };
  Json result;
  result["load_seconds"] = load;
  result["encode_seconds"] = encode(false) - load;
  result["encode_with_offsets_seconds"] = encode(true) - load;
  result["megabytes"] = static_cast<double>(bytes) / 1e6;
  result["tokens"] = tokens;
  result["checksum"] = sum;
  fmt::print("{}\n", result.dump());
}

}  // namespace
}  // namespace palimpsest

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: tokenizer_bench FOLDER TEXT.jsonl\n");
    return 2;
  }
  try {
    palimpsest::run(argv[1], argv[2]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "tokenizer_bench: {}\n", error.what());
    return 1;
  }
  return 0;
}
