#include "palimpsest/report/internal/written_results.h"

#include <gtest/gtest.h>

#include "palimpsest/base/internal/json.h"
#include "palimpsest/base/internal/sha256.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::report {
namespace {

constexpr const char* kContent = "a result";

class WrittenResultsTest : public testing::Test {
 protected:
  void write_provenance(const std::string& kind) {
    Json files = Json::array();
    files.push_back({{"name", "mia.json"}, {"sha256", sha256_of(kContent)}});
    folder_.write("provenance.json",
                  to_text({{"palimpsest_provenance", 1}, {"kind", kind}, {"files", files}}));
  }
  std::string refusal(std::string_view bytes) {
    return error_of([&] { require_written(folder_.path(), "mia.json", bytes); });
  }
  void expect_accepted(std::string_view bytes) {
    EXPECT_NO_THROW(require_written(folder_.path(), "mia.json", bytes));
  }

  TempFolder folder_;
};

TEST_F(WrittenResultsTest, AFileWithAnotherHashIsRefused) {
  write_provenance("mia");
  expect_accepted(kContent);
  expect_contains(refusal("another"), "it was changed after it was written");
  folder_.write(".palimpsest.start", "");
  expect_contains(refusal("another"), "an audit is writing to this folder, or was cut short");
}

TEST_F(WrittenResultsTest, AFileIsReadWhereItsBytesAreNotGiven) {
  write_provenance("mia");
  folder_.write("mia.json", kContent);
  EXPECT_NO_THROW(require_written(folder_.path(), "mia.json"));
  EXPECT_NO_THROW(require_written(folder_.path(), "absent.csv"));  // it has no hash
  folder_.write("mia.json", "another");
  expect_contains(error_of([&] { require_written(folder_.path(), "mia.json"); }), "mia.json");
}

TEST_F(WrittenResultsTest, WithoutAHashNothingIsRefused) {
  expect_accepted("anything");
  write_provenance("eval");
  expect_accepted("anything");
  for (const char* text :
       {"[]", "3", R"({"kind": "mia"})", R"({"kind": "mia", "files": {}})",
        R"({"kind": "mia", "files": [1, {}, {"name": "mia.json", "sha256": 7}]})"}) {
    folder_.write("provenance.json", text);
    expect_accepted("anything");
  }
  folder_.write("provenance.json", "{");
  expect_contains(refusal("anything"), "provenance.json");
}

}  // namespace
}  // namespace palimpsest::report
