// The options with which the subcommands render chat templates. They hold the tokenizer's special
// tokens, the variables from the command line, and the current time, because a template may ask for
// it.
#pragma once

#include <string>
#include <vector>

#include "palimpsest/jinja/chat_template.h"
#include "palimpsest/tokenizer/tokenizer.h"

namespace palimpsest::cli {

// The current local time of this machine.
python_text::CivilTime local_time();

// Each of `variables` has the form NAME=VALUE. A value that can only be meant as JSON (a list, an
// object, a quoted text, true, false or null) is parsed as JSON. Any other value is a text. Throws
// Error for a variable without a name or a value.
jinja::ChatOptions chat_options(const std::vector<std::string>& variables);
// The same options, together with the tokenizer's special tokens.
jinja::ChatOptions chat_options(const tokenizer::Tokenizer& tokenizer,
                                const std::vector<std::string>& variables);

}  // namespace palimpsest::cli
