#include "palimpsest/cli/surroundings.h"

#include <fmt/chrono.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <optional>
#include <string>

#include "palimpsest/config/value.h"

namespace palimpsest::cli {

using config::Value;

config::Surroundings surroundings() {
  config::Surroundings world;
  world.environment = [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
  };
  const std::tm now = fmt::localtime(std::time(nullptr));
  world.now = {.year = now.tm_year + 1900,
               .month = now.tm_mon + 1,
               .day = now.tm_mday,
               .hour = now.tm_hour,
               .minute = now.tm_min,
               .second = now.tm_sec};
  world.hydra = Value(
      Value::Map{{"run", Value(Value::Map{{"dir", "outputs/${now:%Y-%m-%d}/${now:%H-%M-%S}"}})},
                 {"runtime", Value(Value::Map{{"cwd", std::filesystem::current_path().string()},
                                              {"output_dir", "${hydra:run.dir}"}})},
                 {"job", Value(Value::Map{{"name", "eval"}, {"num", 0}})}});
  return world;
}

}  // namespace palimpsest::cli
