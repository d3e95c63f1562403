// What the subcommands that run or describe a model share: its options on the command line, where
// the Hugging Face cache is, and the loader that both programs have.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "palimpsest/cli/command_line.h"
#include "palimpsest/cli/program.h"
#include "palimpsest/engine/backend.h"
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

// Throws Error, which names --threads, for a number that no machine has.
void check_threads(int threads);

// Also does what --isa says. Throws Error, which names the option. Does not return for a device that
// the libtorch program has (handover.h), so it comes before anything is read.
model::ModelOptions model_options(const ModelArguments& arguments, const ProgramContext& context);

// The variables of the process's environment that say where the Hugging Face cache is.
model::HubEnvironment hub_environment();

// For ProgramContext: the engine on such a backend.
std::function<std::unique_ptr<model::ModelLoader>(const model::HubEnvironment&)> engine_loader_on(
    std::unique_ptr<engine::Backend> (*make_backend)());

}  // namespace palimpsest::cli
