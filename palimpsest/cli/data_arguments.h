// The options with which the subcommands that read data sets say how to prepare them.
#pragma once

#include <string>
#include <vector>

#include "palimpsest/cli/command_line.h"
#include "palimpsest/data/preparation.h"

namespace palimpsest::cli {

// As the user writes them.
struct DataArguments {
  std::string kind = "auto";
  std::string prompt_template = "auto";
  std::string attention_mask = "ne_pad";
  std::string labels = "published";
  std::vector<std::string> variables;  // NAME=VALUE of the chat template
  data::PreparationOptions options;    // the others, written to directly
};

// The arguments must live until the action of the command is over.
void add_data_options(Command& command, DataArguments& arguments);

// What they ask for. Throws Error that names the option.
data::PreparationOptions preparation_options(const DataArguments& arguments);

}  // namespace palimpsest::cli
