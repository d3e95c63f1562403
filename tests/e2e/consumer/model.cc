// A program of somebody else that runs a model: prints what follows the given tokens.

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "palimpsest/engine/engine_loader.h"

int main(int argc, char** argv) {
  using namespace palimpsest;
  if (argc < 3) return 2;
  std::vector<int64_t> ids;
  for (int i = 2; i < argc; ++i) ids.push_back(std::atoll(argv[i]));
  engine::EngineLoader loader;
  const std::unique_ptr<model::LanguageModel> model = loader.load(argv[1], {.threads = 1});
  const std::vector<model::Prompt> prompts = {{.ids = ids}};
  for (const model::Generation& generation : model->generate(prompts, {.max_new_tokens = 3})) {
    for (const int64_t id : generation.ids) std::printf("%lld ", static_cast<long long>(id));
  }
  std::printf("\n");
  return 0;
}
