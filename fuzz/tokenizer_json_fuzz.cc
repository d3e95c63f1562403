// Any bytes as tokenizer.json (and, behind a NUL, tokenizer_config.json): loads or is refused with
// an Error, and what loads can encode and decode.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "palimpsest/base/error.h"
#include "palimpsest/tokenizer/tokenizer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace palimpsest;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t end = input.find('\0');
  tokenizer::TokenizerTexts texts;
  texts.tokenizer = input.substr(0, end);
  if (end != std::string_view::npos) texts.tokenizer_config = input.substr(end + 1);
  try {
    const tokenizer::Tokenizer tokenizer = tokenizer::Tokenizer::from_texts(texts, "fuzz");
    const tokenizer::Encoding encoding =
        tokenizer.encode("It's é e\u0301 <s> 12  x\n", {.with_tokens = true, .with_offsets = true});
    tokenizer.decode(encoding.ids);
    tokenizer.decode(encoding.ids, {.skip_special_tokens = true});
  } catch (const Error&) {
  }
  return 0;
}
