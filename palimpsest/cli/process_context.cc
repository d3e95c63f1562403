#include "palimpsest/cli/process_context.h"

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "palimpsest/cli/chat.h"
#include "palimpsest/config/value.h"

namespace palimpsest::cli {

using config::Value;

config::ConfigContext process_context() {
  config::ConfigContext config_context;
  config_context.environment = [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
  };
  config_context.now = local_time();
  config_context.hydra = Value(
      Value::Map{{"run", Value(Value::Map{{"dir", "outputs/${now:%Y-%m-%d}/${now:%H-%M-%S}"}})},
                 {"runtime", Value(Value::Map{{"cwd", std::filesystem::current_path().string()},
                                              {"output_dir", "${hydra:run.dir}"}})},
                 {"job", Value(Value::Map{{"name", "eval"}, {"num", 0}})}});
  return config_context;
}

}  // namespace palimpsest::cli
