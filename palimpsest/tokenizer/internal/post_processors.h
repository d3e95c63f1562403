// The post-processors of tokenizer.json. They add special tokens around the text and trim offsets.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "palimpsest/tokenizer/internal/component_fields.h"
#include "palimpsest/tokenizer/tokenizer.h"

namespace palimpsest::tokenizer {

// Threads may share a post-processor.
struct PostProcessor {
  // Works on a list, which starts with the one encoding of the text and is joined in the end. In a
  // Sequence, each processor gets the parts that the processor before it made. Empty if there is no
  // post-processor.
  std::function<void(std::vector<Encoding>& parts, bool add_special_tokens)> process = nullptr;
  // The number of tokens that it adds to a text. Truncation leaves room for them.
  int64_t added_tokens = 0;
  // Whether it reads tokens and offsets. If so, and if offsets are requested, tokens must be filled
  // too.
  bool trims_offsets = false;
};

// Throws Error, which begins with `where`, for a kind or a field that is not supported.
PostProcessor load_post_processor(const Json& json, const std::string& where);

// Runs a processor on one encoding and joins the resulting parts.
Encoding post_process(const PostProcessor& processor, Encoding encoding, bool add_special_tokens);

// A special token by name and id.
struct NamedToken {
  std::string token;
  int64_t id = 0;
};
// Makes a processor that puts one special token before the text and one after it; an empty name
// means none. For some tokenizer classes, transformers uses it in place of the file's
// post-processor.
PostProcessor make_bos_eos_processor(const NamedToken& bos, const NamedToken& eos);

}  // namespace palimpsest::tokenizer
