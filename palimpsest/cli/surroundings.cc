#include "palimpsest/cli/surroundings.h"

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "palimpsest/cli/chat.h"
#include "palimpsest/config/value.h"

namespace palimpsest::cli {

using config::Value;

config::ConfigContext surroundings() {
  config::ConfigContext world;
  world.environment = [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
  };
  world.now = local_time();
  world.hydra = Value(
      Value::Map{{"run", Value(Value::Map{{"dir", "outputs/${now:%Y-%m-%d}/${now:%H-%M-%S}"}})},
                 {"runtime", Value(Value::Map{{"cwd", std::filesystem::current_path().string()},
                                              {"output_dir", "${hydra:run.dir}"}})},
                 {"job", Value(Value::Map{{"name", "eval"}, {"num", 0}})}});
  return world;
}

}  // namespace palimpsest::cli
