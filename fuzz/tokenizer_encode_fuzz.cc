// Any text through small tokenizers of every kind: with and without offsets the ids are the same,
// offsets lie within the text, a byte-level tokenizer gives the text back, and any ids decode.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/text/internal/utf8.h"
#include "palimpsest/tokenizer/internal/byte_level.h"
#include "palimpsest/tokenizer/tokenizer.h"

namespace palimpsest {
namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

constexpr std::string_view kAdded =
    R"("added_tokens": [{"id": 0, "content": "<s>", "special": true, "lstrip": true, "rstrip": true},
        {"id": 1, "content": "Word", "single_word": true}, {"id": 2, "content": "  "}], )";

// All byte-level characters and a few merges.
std::string byte_level_vocab() {
  std::string vocab = "{";
  for (unsigned byte = 0; byte < 256; ++byte) {
    const std::string c =
        text::to_utf8(tokenizer::byte_level_character(static_cast<unsigned char>(byte)));
    vocab += (c == "\"" || c == "\\" ? "\"\\" : "\"") + c + "\": " + std::to_string(byte) + ", ";
  }
  return vocab + R"("th": 256, "the": 257, "Ġthe": 258, "ĠĠ": 259})";
}

std::vector<tokenizer::Tokenizer> make_tokenizers() {
  const std::string bytes =
      R"("decoder": {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true},
    "model": {"type": "BPE", "vocab": )" +
      byte_level_vocab() + R"(, "merges": ["t h", "th e", "Ġ the", "Ġ Ġ"]}})";
  const std::string pieces =
      R"("model": {"type": "BPE", "unk_token": "?", "fuse_unk": true, "byte_fallback": true,
         "vocab": {"?": 0, "▁": 1, "a": 2, "b": 3, "▁a": 4, "▁▁": 5, "é": 6, "ab": 7},
         "merges": ["▁ a", "▁ ▁", "a b"]}})";
  const std::string unigram =
      R"("model": {"type": "Unigram", "unk_id": 0, "vocab": [["?", 0], ["▁", -2], ["a", -3], ["▁a", -2.5], ["aa", -4]]}})";
  const std::string words =
      R"("model": {"type": "WordPiece", "unk_token": "?", "continuing_subword_prefix": "##",
         "max_input_chars_per_word": 20, "vocab": {"?": 0, "a": 1, "##a": 2, "##b": 3, "e": 4}}})";
  const std::string files[] = {
      R"({"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true},)" +
          bytes,
      R"({"pre_tokenizer": {"type": "Sequence", "pretokenizers": [
          {"type": "Split", "pattern": {"Regex": "(?i:'s|'t)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"},
           "behavior": "Isolated", "invert": false},
          {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": false}]},)" +
          bytes,
      R"({"normalizer": {"type": "NFC"}, "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true},
          "post_processor": {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true},)" +
          std::string(kAdded) + bytes,
      R"({"normalizer": {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "▁"},
          {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]},)" +
          std::string(kAdded) + pieces,
      R"({"pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": false},)" +
          std::string(kAdded) + pieces,
      R"({"normalizer": {"type": "Sequence", "normalizers": [{"type": "Nmt"}, {"type": "NFKC"}, {"type": "Lowercase"}]},
          "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first"},
          "decoder": {"type": "Metaspace", "replacement": "▁"},)" +
          std::string(kAdded) + unigram,
      R"({"normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true},
          "pre_tokenizer": {"type": "BertPreTokenizer"}, "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": true},)" +
          std::string(kAdded) + words,
      R"({"normalizer": {"type": "Sequence", "normalizers": [{"type": "NFD"}, {"type": "StripAccents"}, {"type": "Strip", "strip_left": true, "strip_right": true}]},
          "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "UnicodeScripts"}, {"type": "Digits", "individual_digits": true},
          {"type": "Punctuation", "behavior": "MergedWithNext"}, {"type": "Whitespace"}]},)" +
          words,
  };
  std::vector<tokenizer::Tokenizer> tokenizers;
  for (const std::string& file : files) {
    tokenizers.push_back(tokenizer::Tokenizer::from_texts({.tokenizer = file}, "fuzz"));
  }
  return tokenizers;
}

constexpr size_t kLossless = 2;  // the first ones give every text back

void run(std::string_view input) {
  static const std::vector<tokenizer::Tokenizer> tokenizers = make_tokenizers();
  if (input.empty()) return;
  const size_t chosen = static_cast<unsigned char>(input[0]) % tokenizers.size();
  const tokenizer::Tokenizer& tokenizer = tokenizers[chosen];
  const std::string_view text = input.substr(1);
  std::vector<int64_t> ids;
  for (const char c : text) ids.push_back(static_cast<unsigned char>(c) * 3 - 2);
  tokenizer.decode(ids);
  const bool valid = !text::find_invalid_utf8(text);
  try {
    const tokenizer::Encoding fast = tokenizer.encode(text);
    const tokenizer::Encoding full =
        tokenizer.encode(text, {.with_tokens = true, .with_offsets = true});
    check(valid);
    check(fast.ids == full.ids);
    check(full.tokens.size() == full.ids.size() && full.offsets.size() == full.ids.size());
    const auto characters = static_cast<int64_t>(text::count_code_points(text));
    for (const tokenizer::TextOffset& offset : full.offsets) {
      check(offset.begin >= 0 && offset.begin <= offset.end && offset.end <= characters);
    }
    const std::string back = tokenizer.decode(fast.ids);
    check(chosen >= kLossless || back == text);
  } catch (const Error&) {
    check(!valid);
  }
}

}  // namespace
}  // namespace palimpsest

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  palimpsest::run({reinterpret_cast<const char*>(data), size});
  return 0;
}
