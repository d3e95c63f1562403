// What the subcommands that run or describe a model share: its options on the command line, where
// the Hugging Face cache is, and the loader of this program.
#pragma once

#include <memory>
#include <string>

#include "palimpsest/cli/command_line.h"
#include "palimpsest/model/hub.h"
#include "palimpsest/model/model_loader.h"

namespace palimpsest::cli {

// As the user writes them.
struct ModelArguments {
  std::string model;
  std::string device = "cpu";
  std::string dtype = "float32";  // as in a configuration of `eval` that names none
  int threads = 0;
  double memory_limit = 0;  // GiB; 0: what the machine has free
  std::string weights = "auto";
  std::string stream_layers = "auto";
  std::string isa = "auto";
};

// --model, and how to run it: --device, --dtype, --threads, --memory-limit, --weights … The
// arguments must live until the action of the command is over.
void add_model_options(Command& command, ModelArguments& arguments);
// All of them but --model.
void add_device_options(Command& command, ModelArguments& arguments);
// Only how much of the machine the model may use: --threads, --memory-limit, --weights,
// --stream-layers and --isa.
void add_resource_options(Command& command, ModelArguments& arguments);

// --isa alone, for commands that train.
void add_isa_option(Command& command, std::string& isa);
// Has kernels use these vector instructions from now on. Throws Error, which names the option.
void use_isa(const std::string& isa);

// Also does what --isa says. Throws Error, which names the option. Does not return for a device that
// the libtorch program has (handover.h), so it comes before anything is read.
ModelOptions model_options(const ModelArguments& arguments);

// The variables of the process's environment that say where the Hugging Face cache is.
HubEnvironment hub_environment();

std::unique_ptr<ModelLoader> make_model_loader(const HubEnvironment& environment);

}  // namespace palimpsest::cli
