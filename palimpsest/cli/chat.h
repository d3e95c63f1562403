// Chat templates as the subcommands use them: with the tokenizer's special tokens, the variables of
// the command line and, since a template may ask for it, the time.
#pragma once

#include <string>
#include <vector>

#include "palimpsest/jinja/chat_template.h"
#include "palimpsest/tokenizer/tokenizer.h"

namespace palimpsest::cli {

// The time on this machine.
python_text::CivilTime local_time();

// `variables` are NAME=VALUE each; a value is text, unless it can only be meant as JSON. Throws
// Error for one without a value.
jinja::ChatOptions chat_options(const std::vector<std::string>& variables);
// With what the tokenizer calls its special tokens.
jinja::ChatOptions chat_options(const tokenizer::Tokenizer& tokenizer,
                                const std::vector<std::string>& variables);

}  // namespace palimpsest::cli
