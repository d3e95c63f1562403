// The command-line options that control how data sets are prepared. All subcommands that read data
// sets share them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "palimpsest/cli/command_line.h"
#include "palimpsest/data/preparation.h"

namespace palimpsest::cli {

// The values of these options, as the user wrote them.
struct DataArguments {
  std::string kind = "auto";
  std::string prompt_template = "auto";
  std::string attention_mask = "ne_pad";
  std::string labels = "published";
  std::vector<std::string> variables;  // variables of the chat template, each NAME=VALUE
  data::PreparationOptions options;    // all other options, set directly
};

// The heading of these options in the help.
inline constexpr const char* kDataOptions = "From records to examples";

// `arguments` must exist until the command's action has finished.
void add_data_options(Command& command, DataArguments& arguments);

// Converts the arguments. Throws Error if one is wrong; the message names the option.
data::PreparationOptions preparation_options(const DataArguments& arguments);

// The examples of a data file, with what prepared them.
struct PreparedData {
  data::DataPreparation preparation;
  std::vector<data::Example> examples;
};
// Prepares a data file with the tokenizer of a folder, and logs the choices and the warnings.
PreparedData prepare_data(data::PreparationOptions options,
                          const std::filesystem::path& tokenizer_folder,
                          const std::filesystem::path& file);

}  // namespace palimpsest::cli
