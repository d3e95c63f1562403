#include <gtest/gtest.h>

#include <string>

#include "palimpsest/base/error.h"
#include "palimpsest/config/internal/resolver.h"
#include "palimpsest/config/internal/yaml_reader.h"
#include "tests/config/golden_values.h"
#include "tests/support/golden.h"

namespace palimpsest::config {
namespace {

TEST(ResolverGoldenTest, ResolvesWhatOmegaConfResolves) {
  const Json golden = read_golden("config/interpolation.json");
  const Value config = read_yaml(golden["manifest"]["context"].get<std::string>(), "context.yaml");
  const ConfigContext context = golden_context();
  ASSERT_GE(golden["cases"].size(), 100U);
  for (const Json& c : golden["cases"]) {
    SCOPED_TRACE(c["it"].dump());
    Value root = config;
    root.set("it", c["it"].get<std::string>());
    const Value resolved = Resolver(root, nullptr, context).resolve(OnFailure::kKeep);
    const Value& found = *resolved.find("it");
    if (c.contains("error")) {
      EXPECT_TRUE(found.is_unreadable()) << to_golden(found);
      EXPECT_THROW(found.require_readable(), Error);
    } else {
      EXPECT_EQ(to_golden(found), c["value"]);
    }
  }
}

}  // namespace
}  // namespace palimpsest::config
