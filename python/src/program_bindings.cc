#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "palimpsest/base/internal/short_name.h"
#include "palimpsest/cli/models.h"
#include "palimpsest/cli/program.h"
#include "palimpsest/cli/version.h"
#include "palimpsest/engine/internal/backend.h"
#include "python/src/bindings.h"
#include "python/src/python_model.h"

namespace palimpsest::python {
namespace {

namespace nb = nanobind;

int run_program(const std::vector<std::string>& arguments, const std::filesystem::path& configs,
                const nb::object& devices) {
  const Held functions(devices);
  const auto engine = cli::engine_loader_on(engine::make_cpu_backend);
  const cli::ProgramContext context{
      .make_loader = [&](const model::HubEnvironment& hub) -> std::unique_ptr<model::ModelLoader> {
        return std::make_unique<DeviceLoader>(engine(hub), functions);
      },
      .configs = configs};
  const nb::gil_scoped_release released;
  return cli::run(arguments, context);
}

}  // namespace

void add_program(nb::module_& module) {
  module.def("run_program", run_program, nb::arg("arguments"), nb::arg("configs"),
             nb::arg("devices"),
             "Runs the command line `palimpsest ARGUMENTS` and returns its exit status.");
  module.def("version_and_commit", &cli::version_and_commit,
             "The version and the commit: \"0.1.0, commit 1a2b3c4\".");
  module.def(
      "model_names",
      [](const std::vector<std::string>& given) { return display_names(given, model_path_parts); },
      nb::arg("given"),
      "The names by which results call these folders, hub ids or other names of models.");
}

}  // namespace palimpsest::python
