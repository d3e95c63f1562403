// Stop strings: generation ends as soon as the new text contains one of them, regardless of token
// boundaries.
//
//   options.should_stop = stop_at({"\n\n", "Question:"}, [&](std::span<const int64_t> ids) {
//     return tokenizer.decode(ids);
//   });
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace palimpsest::model {

// Makes a predicate for GenerateOptions::should_stop: whether decode(new_ids) contains one of the
// strings. It must be called after every new token, because it checks only the end of the text. It
// keeps no state, so many prompts may share it. If there are no strings, it is always false. Throws
// Error for an empty string.
std::function<bool(std::span<const int64_t>)> stop_at(
    std::vector<std::string> strings, std::function<std::string(std::span<const int64_t>)> decode);

}  // namespace palimpsest::model
