#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/config/internal/sweep.h"
#include "tests/config/golden_values.h"
#include "tests/support/golden.h"

namespace palimpsest::config {
namespace {

Json describe(const Override& override) {
  constexpr const char* kKinds[] = {"CHANGE", "ADD", "FORCE_ADD", "DEL"};
  Json json = {{"kind", kKinds[static_cast<size_t>(override.kind)]},
               {"key", override.key},
               {"package", override.package ? Json(*override.package) : Json()}};
  if (const auto* choice = std::get_if<ChoiceSweep>(&override.value)) {
    json["sweep"] = Json::array();
    for (const Value& value : choice->values) json["sweep"].push_back(to_golden(value));
  } else if (const auto* glob = std::get_if<GlobSweep>(&override.value)) {
    json["glob"] = {glob->include, glob->exclude};
  } else {
    json["value"] = to_golden(override.single());
  }
  return json;
}

Json parse(const std::string& line) {
  try {
    return describe(parse_override(line));
  } catch (const Error& error) {
    return {{"error", error.what()}};
  }
}

TEST(OverrideGoldenTest, ReadsWhatHydraReads) {
  const Json golden = read_golden("config/override.json");
  ASSERT_GE(golden["overrides"].size(), 80U);
  for (Json expected : golden["overrides"]) {
    const auto line = expected["line"].get<std::string>();
    SCOPED_TRACE(line);
    expected.erase("line");
    const Json found = parse(line);
    if (expected.contains("error")) {
      EXPECT_TRUE(found.contains("error")) << found;
    } else {
      EXPECT_EQ(found, expected);
    }
  }
}

TEST(OverrideGoldenTest, SweepsGiveHydrasJobsInItsOrder) {
  const Json golden = read_golden("config/override.json");
  for (const Json& c : golden["sweeps"]) {
    SCOPED_TRACE(c["lines"].dump());
    Json expected = c["jobs"];
    for (Json& job : expected) {
      for (Json& override : job) override.erase("line");
    }
    Json found = Json::array();
    const auto lines = c["lines"].get<std::vector<std::string>>();
    for (const std::vector<Override>& job : expand_sweep({}, parse_overrides(lines))) {
      found.push_back(Json::array());
      for (const Override& override : job) {
        found.back().push_back(describe(override));
        // The line of a job says the same as the job.
        EXPECT_EQ(parse(override.line), describe(override));
      }
    }
    EXPECT_EQ(found, expected);
  }
}

}  // namespace
}  // namespace palimpsest::config
