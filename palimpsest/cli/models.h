// What the subcommands that run or describe a model share: its options on the command line, where
// its folder is, and the loader that the build provides.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "palimpsest/model/adapter.h"
#include "palimpsest/model/hub.h"
#include "palimpsest/model/model_loader.h"

namespace palimpsest::cli {

// As the user writes them.
struct ModelArguments {
  std::string model;
  std::string device = "cpu";
  std::string dtype = "auto";
  int threads = 0;
  double memory_limit = 0;  // GiB; 0: what the machine has free
  std::string stream_layers = "auto";
};

// --model, and how to run it: --device, --dtype, --threads, --memory-limit and --stream-layers. The
// arguments must live as long as the app.
void add_model_options(CLI::App& app, ModelArguments& arguments);
// All of them but --model.
void add_device_options(CLI::App& app, ModelArguments& arguments);

// Throws Error, which names the option.
ModelOptions model_options(const ModelArguments& arguments);

// The variables of the process's environment that say where the Hugging Face cache is.
HubEnvironment hub_environment();

// The folder of an adapter's base: a path beside the adapter, else a path or a hub id as the user
// would write it, of the revision that the adapter names. Throws Error if it is not found.
std::filesystem::path find_base(const Adapter& adapter, const std::filesystem::path& folder,
                                const HubEnvironment& environment);

// The folder whose tokenizer and chat template go with a model: its own or, where an adapter has
// none, its base's.
std::filesystem::path find_tokenizer(const std::filesystem::path& folder,
                                     const HubEnvironment& environment);

// Throws Error where the program was built without libtorch.
std::unique_ptr<ModelLoader> make_model_loader(const HubEnvironment& environment);

}  // namespace palimpsest::cli
