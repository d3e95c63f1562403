#include <gtest/gtest.h>

#include <string>

#include "palimpsest/base/error.h"
#include "palimpsest/config/internal/yaml_reader.h"
#include "palimpsest/config/internal/yaml_writer.h"
#include "palimpsest/python_text/internal/number.h"
#include "tests/config/golden_values.h"
#include "tests/support/golden.h"

namespace palimpsest::config {
namespace {

Json read(const std::string& text) {
  try {
    Value value = read_yaml(text, "x.yaml");
    if (value.is_null()) value = Value(Value::Map{});  // OmegaConf loads nothing as an empty map
    return {{"value", to_golden(value)}};
  } catch (const Error& error) {
    return {{"error", error.what()}};
  }
}

void expect_reads_alike(const Json& cases) {
  ASSERT_FALSE(cases.empty());
  for (const Json& c : cases) {
    SCOPED_TRACE(c["text"].dump());
    const Json found = read(c["text"]);
    if (c.contains("error")) {
      EXPECT_TRUE(found.contains("error")) << found;
    } else {
      EXPECT_EQ(found, Json({{"value", c["value"]}}));
    }
  }
}

TEST(YamlGoldenTest, ReadsScalarsAsOmegaConf) {
  expect_reads_alike(read_golden("config/yaml.json")["scalars"]);
}

TEST(YamlGoldenTest, ReadsDocumentsAsOmegaConf) {
  expect_reads_alike(read_golden("config/yaml.json")["documents"]);
}

TEST(YamlGoldenTest, WritesTextsAsOmegaConf) {
  const Json cases = read_golden("config/yaml.json")["texts"];
  ASSERT_GE(cases.size(), 100U);
  for (const Json& c : cases) {
    SCOPED_TRACE(c["text"].dump());
    const auto text = c["text"].get<std::string>();
    const Value nested(Value::List{Value(Value::List{Value(text)})});
    const Value values(Value::Map{{"k", text},
                                  {"l", Value(Value::List{Value(text)})},
                                  {"m", Value(Value::Map{{"n", nested}})}});
    EXPECT_EQ(to_yaml(values), c["yaml"].get<std::string>());
    const Value items(Value::List{1, Value(Value::Map{})});
    Value in_list(Value::Map{{text, items}});
    in_list.set("z", text);
    const Value keys(
        Value::Map{{"o", Value(Value::Map{{text, 1}})}, {"p", Value(Value::List{in_list})}});
    EXPECT_EQ(to_yaml(keys), c["key_yaml"].get<std::string>());
  }
}

TEST(YamlGoldenTest, WritesNumbersAsOmegaConf) {
  const Json golden = read_golden("config/yaml.json");
  for (const Json& c : golden["numbers"]) {
    const double number = *python_text::parse_real(c["value"].get<std::string>());
    EXPECT_EQ(to_yaml(Value(Value::Map{{"k", number}})), c["yaml"].get<std::string>());
  }
}

}  // namespace
}  // namespace palimpsest::config
