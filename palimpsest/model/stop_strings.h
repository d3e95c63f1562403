// Stop strings: generation ends once the new text holds one of them, wherever the boundaries of its
// tokens lie.
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

namespace palimpsest {

// A predicate for GenerateOptions::should_stop: whether decode(new_ids) holds one of the strings.
// It must be asked after every new token, and looks only at as many of the last tokens as matter;
// it keeps no state, so that many prompts may share it. Without strings it is always false. Throws
// Error for an empty string.
std::function<bool(std::span<const int64_t>)> stop_at(
    std::vector<std::string> strings, std::function<std::string(std::span<const int64_t>)> decode);

}  // namespace palimpsest
