#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/config/compose.h"
#include "palimpsest/config/internal/yaml_writer.h"
#include "tests/config/golden_values.h"
#include "tests/support/golden.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::config {
namespace {

void write_tree(const TempFolder& folder, const Json& files) {
  for (const auto& [name, text] : files.items()) {
    std::filesystem::create_directories((folder.path() / name).parent_path());
    folder.write(name, text.get<std::string>());
  }
}

// The configuration as YAML, or "error: …".
std::string attempt(const auto& body) {
  try {
    return body();
  } catch (const Error& error) {
    return std::string("error: ") + error.what();
  }
}

TEST(ComposeGoldenTest, ComposesWhatHydraComposes) {
  const Json golden = read_golden("config/compose.json");
  ASSERT_GE(golden["cases"].size(), 60U);
  const ConfigContext context = golden_context();
  for (const Json& c : golden["cases"]) {
    SCOPED_TRACE(c["name"].get<std::string>());
    const TempFolder folder;
    write_tree(folder, golden["trees"][c["tree"].get<size_t>()]);
    Composition composition;
    const std::string yaml = attempt([&] {
      composition =
          compose({.folders = {folder.path()}, .config_name = c["config"]},
                  parse_overrides(c["overrides"].get<std::vector<std::string>>()), context);
      return to_yaml(composition.config);
    });
    if (c.contains("error")) {
      EXPECT_TRUE(yaml.starts_with("error: ")) << yaml;
      continue;
    }
    EXPECT_EQ(yaml, c["yaml"].get<std::string>());
    const std::string resolved =
        attempt([&] { return to_yaml(resolve(composition, context, OnFailure::kThrow)); });
    if (c.contains("resolved_error")) {
      EXPECT_TRUE(resolved.starts_with("error: ")) << resolved;
    } else {
      EXPECT_EQ(resolved, c["resolved"].get<std::string>());
    }
  }
}

}  // namespace
}  // namespace palimpsest::config
