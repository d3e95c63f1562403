#include "palimpsest/torch/torch_loader.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "palimpsest/base/error.h"
#include "palimpsest/base/file.h"
#include "palimpsest/model/adapter.h"
#include "palimpsest/torch/guarded.h"
#include "palimpsest/torch/threads.h"
#include "palimpsest/torch/torch_model.h"

namespace palimpsest {
namespace {

using torch::TorchModelParts;

}  // namespace

TorchLoader::TorchLoader(FindModel find_base) : find_base_(std::move(find_base)) {}

std::unique_ptr<LanguageModel> TorchLoader::load(const std::filesystem::path& folder,
                                                 const ModelOptions& options) {
  std::optional<Adapter> adapter = Adapter::open(folder);
  std::filesystem::path base = folder;
  if (adapter && !std::filesystem::exists(folder / "config.json")) {
    base = find_base_ ? find_base_(adapter->base()) : folder / adapter->base();
  }
  const std::filesystem::path config = base / "config.json";
  Architecture architecture = read_architecture(read_file(config), config.string());

  return torch::guarded([&]() -> std::unique_ptr<LanguageModel> {
    torch::arrange_threads(options.threads);
    ModelInfo info{.architecture = architecture, .source = folder.string()};
    for (const Parameter& parameter : parameters(architecture)) {
      info.num_parameters += num_elements(parameter);
    }
    info.dtype = "float32";
    info.device = "cpu";
    info.generation = read_generation_config(base);
    TorchModelParts parts;
    parts.pool = std::make_unique<WorkerPool>(options.threads);
    parts.source = std::make_unique<torch::WeightSource>(architecture, Checkpoint::open(base),
                                                         std::move(adapter), *parts.pool);
    parts.ops = torch::make_cpu_ops(parts.source->architecture(), *parts.pool);
    info.streamed = options.stream_layers.value_or(false);
    parts.decoder = std::make_unique<torch::Decoder>(*parts.source, *parts.ops, info.streamed);
    return std::make_unique<torch::TorchModel>(std::move(parts), std::move(info),
                                               torch::ScorerOptions());
  });
}

}  // namespace palimpsest
