// The post-processors of tokenizer.json. They add special tokens around the text and trim offsets.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/tokenizer/encoding.h"
#include "palimpsest/tokenizer/internal/component_fields.h"

namespace palimpsest::tokenizer {

// Immutable; threads may share a post-processor.
class PostProcessor {
 public:
  virtual ~PostProcessor() = default;

  // The number of tokens that it adds to a text. Truncation leaves room for them.
  virtual int64_t added_tokens() const = 0;

  // Works on a list, which starts with the one encoding of the text and is joined in the end. In a
  // Sequence, each processor gets the parts that the processor before it made.
  virtual void process(std::vector<Encoding>& parts, bool add_special_tokens) const = 0;

  // Whether it reads tokens and offsets. If so, and if offsets are requested, tokens must be filled
  // too.
  virtual bool trims_offsets() const { return false; }
};

using PostProcessorPtr = std::shared_ptr<const PostProcessor>;

// A row of the table of post-processors; see NormalizerKind.
struct PostProcessorKind {
  std::string_view type;
  PostProcessorPtr (*load)(ComponentFields& fields);
};

const std::vector<PostProcessorKind>& post_processor_table();

// Throws Error, which begins with `where`, for a kind or a field that is not supported.
PostProcessorPtr load_post_processor(const Json& json, const std::string& where);

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
PostProcessorPtr make_bos_eos_processor(const NamedToken& bos, const NamedToken& eos);

}  // namespace palimpsest::tokenizer
