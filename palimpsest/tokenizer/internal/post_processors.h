// The post-processors of tokenizer.json: special tokens around the text, and trimmed offsets.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "palimpsest/tokenizer/encoding.h"
#include "palimpsest/tokenizer/internal/component_fields.h"

namespace palimpsest::tokenizer {

// Immutable; threads may share one.
class PostProcessor {
 public:
  virtual ~PostProcessor() = default;

  // How many tokens it adds to one text: truncation leaves room for them.
  virtual int64_t added_tokens() const = 0;

  // Works on a list, which starts as the one encoding of the text and is joined in the end: a
  // processor behind another one in a Sequence sees the parts that the first one made.
  virtual void process(std::vector<Encoding>& parts, bool add_special_tokens) const = 0;

  // Whether it looks at tokens and offsets (if offsets are wanted, tokens must be there too).
  virtual bool trims_offsets() const { return false; }
};

using PostProcessorPtr = std::shared_ptr<const PostProcessor>;

// One line of the table of post-processors, see NormalizerKind.
struct PostProcessorKind {
  std::string_view type;
  PostProcessorPtr (*load)(ComponentFields& fields);
};

const std::vector<PostProcessorKind>& post_processor_table();

// Throws Error, with the place in front, for a kind or a field that is not supported.
PostProcessorPtr load_post_processor(const Json& json, const std::string& where);

// Runs a processor over one encoding and joins what comes out.
Encoding post_process(const PostProcessor& processor, Encoding encoding, bool add_special_tokens);

// A special token in front of the text and one behind it; an empty name stands for none. What
// transformers puts in place of the file's post-processor for some classes of tokenizer.
struct NamedToken {
  std::string token;
  int64_t id = 0;
};
PostProcessorPtr make_bos_eos_processor(const NamedToken& bos, const NamedToken& eos);

}  // namespace palimpsest::tokenizer
