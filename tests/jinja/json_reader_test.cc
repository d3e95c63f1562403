#include "palimpsest/jinja/internal/json_reader.h"

#include <gtest/gtest.h>

#include <string>

#include "palimpsest/jinja/internal/repr.h"

namespace palimpsest::jinja {
namespace {

std::string show(const std::string& json) {
  Budget budget({});
  return to_repr(parse_json_value(json, "file", &budget), budget);
}

std::string json_failure(const std::string& json) {
  try {
    return "no error: " + show(json);
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(TemplateJsonReaderTest, ReadsWhatPythonReads) {
  EXPECT_EQ(
      show(R"({"b": [1, 2.0, -3, 1e3], "a": {"x": null, "y": true}, "s": "\u00e9\ud83d\ude00"})"),
      "{'b': [1, 2.0, -3, 1000.0], 'a': {'x': None, 'y': True}, 's': 'é😀'}");
  EXPECT_EQ(show(R"({"a": 1, "b": 2, "a": 3})"), "{'a': 3, 'b': 2}");
  EXPECT_EQ(show("9223372036854775807"), "9223372036854775807");
}

TEST(TemplateJsonReaderTest, RefusesWhatItCannotKeep) {
  EXPECT_EQ(json_failure("9223372036854775808"),
            "file: an integer does not fit into 64 bits (found 9223372036854775808)");
  EXPECT_EQ(json_failure("[100000000000000000000000]"),
            "file: an integer does not fit into 64 bits (found 100000000000000000000000)");
  EXPECT_NE(json_failure("[1,]").find("file: this is not valid JSON"), std::string::npos);
  EXPECT_NE(json_failure("\"\xff\"").find("file: this is not valid JSON"), std::string::npos);
  EXPECT_NE(json_failure(std::string("[1]\0[2]", 7)).find("byte 4 is 0"), std::string::npos);
  EXPECT_NE(json_failure(std::string(100000, '[')).find("nested more than 200 deep"),
            std::string::npos);
}

}  // namespace
}  // namespace palimpsest::jinja
