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
    for (const char* name : {"mia.json", "report.html"})
      files.push_back({{"name", name}, {"sha256", sha256_of(kContent)}});
    Json document = {{"palimpsest_provenance", 1}, {"kind", kind}, {"files", files}};
    document["digest"] = sha256_of(to_text(document));
    folder_.write("provenance.json", to_text(document));
  }
  WrittenResults written() { return WrittenResults(folder_.path()); }
  std::string refusal(std::string_view bytes) {
    return error_of([&] { written().require("mia.json", bytes); });
  }
  void expect_accepted(std::string_view bytes) {
    EXPECT_NO_THROW(written().require("mia.json", bytes));
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
  EXPECT_NO_THROW(written().require("mia.json"));
  EXPECT_NO_THROW(written().require("absent.csv"));  // it has no hash
  folder_.write("mia.json", "another");
  expect_contains(error_of([&] { written().require("mia.json"); }), "mia.json");
}

TEST_F(WrittenResultsTest, EvaluationsAndAuditsAreProtectedAlike) {
  write_provenance("eval");
  expect_accepted(kContent);
  expect_contains(refusal("another"), "run the evaluation again, or restore the file");
}

// A report has the same numbers without the page.
TEST_F(WrittenResultsTest, AResultThatIsMissingIsRefused) {
  write_provenance("mia");
  EXPECT_NO_THROW(written().require_present({"mia.json"}));
  expect_contains(error_of([&] { written().require_present({"report.html"}); }),
                  "mia.json: the file is missing, and provenance.json has its hash");
}

TEST_F(WrittenResultsTest, ResultsThatNoHashProtectsAreNamed) {
  const std::set<std::string> files = {"mia.json", "MUSE_EVAL.json", "MUSE_RUN.json", "notes.txt"};
  EXPECT_TRUE(written().without_hash(files).empty());  // there is no provenance.json
  write_provenance("mia");
  EXPECT_EQ(written().without_hash(files),
            (std::vector<std::string>{"MUSE_EVAL.json", "MUSE_RUN.json"}));
}

TEST_F(WrittenResultsTest, WithoutAHashNothingIsRefused) {
  expect_accepted("anything");
  for (const char* text :
       {R"({"kind": "mia"})", R"({"kind": "mia", "files": {}})",
        R"({"kind": "mia", "files": [1, {}, {"name": "mia.json", "sha256": 7}]})"}) {
    folder_.write("provenance.json", text);  // that of another program
    expect_accepted("anything");
  }
}

TEST_F(WrittenResultsTest, ADamagedProvenanceIsRefused) {
  for (const char* text : {"{", "null", "[]", "3", "", R"({"palimpsest_provenance": 1})"}) {
    folder_.write("provenance.json", text);
    expect_contains(refusal("anything"), "provenance.json");
  }
  write_provenance("mia");
  std::string text = folder_.read("provenance.json");
  text.replace(text.find("mia.json"), 3, "aim");
  folder_.write("provenance.json", text);
  expect_contains(refusal("anything"), "its digest does not match");
}

}  // namespace
}  // namespace palimpsest::report
