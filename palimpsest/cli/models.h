// Code that all subcommands that run or describe a model share: the command-line options for the
// model, the location of the Hugging Face cache, and the loader of `palimpsest` and
// `palimpsest-torch`.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "palimpsest/cli/command_line.h"
#include "palimpsest/cli/program.h"
#include "palimpsest/engine/internal/backend.h"
#include "palimpsest/model/hub.h"
#include "palimpsest/model/model_loader.h"

namespace palimpsest::cli {

// The values of the options, as the user wrote them.
struct ModelArguments {
  std::string model;
  std::string device = "cpu";
  std::string dtype = "float32";  // also the default of `eval` configurations
  int threads = 0;
  double memory_limit = 0;  // GiB; 0: the free memory of the machine
  std::string weights = "auto";
  std::string stream_layers = "auto";
  std::string isa = "auto";
};

// The heading in the help of the options that say how to run a model.
inline constexpr const char* kDeviceOptions = "Device and memory";

// Adds --model and the options that say how to run it: --device, --dtype, --threads,
// --memory-limit, --weights … `arguments` must exist until the command's action has finished.
void add_model_options(Command& command, ModelArguments& arguments);
// Adds all of these options except --model.
void add_device_options(Command& command, ModelArguments& arguments);
// Adds only the options that say how much of the machine the model may use: --threads,
// --memory-limit, --weights, --stream-layers and --isa.
void add_resource_options(Command& command, ModelArguments& arguments);

// Adds --isa alone, for commands that train.
void add_isa_option(Command& command, std::string& isa);
// Makes the kernels use these vector instructions from now on. Throws Error if they are not
// available; the message names the option.
void use_isa(const std::string& isa);

// Throws Error if the number is out of range; the message names --threads.
void check_threads(int threads);

// The number of threads that the arguments ask for; 0: one per core.
int threads_of(const ModelArguments& arguments, const ProgramContext& context);

// Converts the arguments, and calls use_isa(). Throws Error if an argument is wrong; the message
// names the option. Does not return if the device needs palimpsest-torch (handover.h), so it must
// be called before any input is read.
model::ModelOptions model_options(const ModelArguments& arguments, const ProgramContext& context);

// The environment variables of this process that say where the Hugging Face cache is.
model::HubEnvironment hub_environment();

// The folders that a model's files are read from: its own, that of its tokenizer and, for an
// adapter, that of the base model. Throws Error if one of them is not found. Returns none for an
// empty name.
std::vector<std::filesystem::path> model_folders(const std::string& model,
                                                 const model::HubEnvironment& environment);

// Returns a function for ProgramContext::make_loader. The loaders that it makes run models with the
// engine, on a backend from make_backend().
std::function<std::unique_ptr<model::ModelLoader>(const model::HubEnvironment&)> engine_loader_on(
    std::unique_ptr<engine::Backend> (*make_backend)());

}  // namespace palimpsest::cli
