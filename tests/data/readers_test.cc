#include <gtest/gtest.h>

#include "palimpsest/data/internal/record_reader.h"
#include "tests/support/compressed.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::data {
namespace {

std::vector<std::string> values(const std::filesystem::path& path, const char* key) {
  std::vector<std::string> found;
  for (const Record& record : read_records(path)) found.push_back(record.text(key));
  return found;
}

using Texts = std::vector<std::string>;

TEST(RecordReaderTest, ReadsTheSameFromEveryFormat) {
  const TempFolder folder;
  const Texts expected = {"a", "b, \"c\"\nd", ""};
  EXPECT_EQ(values(folder.write("x.jsonl",
                                "{\"q\": \"a\"}\n\n{\"q\": \"b, \\\"c\\\"\\nd\"}\r\n{\"q\": \"\"}"),
                   "q"),
            expected);
  EXPECT_EQ(
      values(folder.write("x.json",
                          "  [{\"q\": \"a\"}, {\"q\": \"b, \\\"c\\\"\\nd\"},\n{\"q\": \"\"} ]\n"),
             "q"),
      expected);
  EXPECT_EQ(values(folder.write("lines.json",
                                "{\"q\": \"a\"}\n{\"q\": \"b, \\\"c\\\"\\nd\"}\n{\"q\": \"\"}\n"),
                   "q"),
            expected);
  EXPECT_EQ(values(folder.write("x.csv", "q,r\na,1\n\"b, \"\"c\"\"\nd\",2\n\n,3\n"), "q"),
            expected);
}

TEST(RecordReaderTest, SkipsAByteOrderMark) {
  const TempFolder folder;
  for (const auto& [name, text] : {std::pair("x.jsonl", "\xEF\xBB\xBF{\"q\": \"a\"}"),
                                   std::pair("x.json", "\xEF\xBB\xBF[{\"q\": \"a\"}]"),
                                   std::pair("x.csv", "\xEF\xBB\xBFq\na\n")}) {
    EXPECT_EQ(values(folder.write(name, text), "q"), Texts{"a"}) << name;
  }
}

TEST(RecordReaderTest, ReadsCompressedFiles) {
  const TempFolder folder;
  const std::string lines = "{\"q\": \"a\"}\n{\"q\": \"b\"}\n";
  const std::string array = "[{\"q\": \"a\"}, {\"q\": \"b\"}]";
  for (const auto& [name, bytes] :
       {std::pair("x.jsonl.gz", gzip_of(lines)), std::pair("x.jsonl.zst", zstd_of(lines)),
        std::pair("x.json.gz", gzip_of(array)), std::pair("y.json.zst", zstd_of(lines)),
        std::pair("x.csv.gz", gzip_of("q\na\nb\n")), std::pair("x.csv.zst", zstd_of("q\na\nb"))}) {
    EXPECT_EQ(values(folder.write(name, bytes), "q"), (Texts{"a", "b"})) << name;
  }
  expect_contains(
      error_of([&] { read_records(folder.write("cut.jsonl.gz", gzip_of(lines).substr(0, 25))); }),
      "cut.jsonl.gz");
  expect_contains(error_of([&] { read_records(folder.write("x.parquet.gz", "")); }), "ends in");
}

TEST(RecordReaderTest, AFolderIsOneDataSet) {
  const TempFolder folder;
  folder.write("part-00001.csv", "q\nc\n");
  folder.write("part-00000.jsonl.gz", gzip_of("{\"q\": \"a\"}\n{\"q\": \"b\"}\n"));
  folder.write("part-00002.jsonl", "");
  folder.write("part-00003.json", "[{\"q\": \"d\"}]");
  folder.write("README.md", "not data");
  folder.write(".hidden.json", "{");
  EXPECT_EQ(values(folder.path(), "q"), (Texts{"a", "b", "c", "d"}));
  expect_contains(read_records(folder.path())[2].where(), "part-00001.csv:2");
  const TempFolder empty;
  expect_contains(error_of([&] { read_records(empty.path()); }), "holds no data file");
}

// MUSE's own files hold plain texts.
TEST(RecordReaderTest, ATextIsARecord) {
  const TempFolder folder;
  EXPECT_EQ(values(folder.write("x.json", "[\"a, ]\", \"b\"]"), "text"), (Texts{"a, ]", "b"}));
  EXPECT_EQ(values(folder.write("x.jsonl", "\"a\"\n{\"text\": \"b\"}\n"), "text"),
            (Texts{"a", "b"}));
}

TEST(RecordReaderTest, SaysWhereARecordIs) {
  const TempFolder folder;
  expect_contains(read_records(folder.write("x.jsonl", "{}\n{\"a\": 1}"))[1].where(), "x.jsonl:2");
  expect_contains(read_records(folder.write("x.json", "[{}, {}]"))[1].where(), "x.json, record 1");
  expect_contains(read_records(folder.write("x.csv", "a\n\"1\n2\"\n3"))[1].where(), "x.csv:4");
}

TEST(RecordReaderTest, RefusesWhatIsMalformed) {
  const TempFolder folder;
  const auto refused = [&](const char* name, const std::string& text) {
    return error_of([&] { read_records(folder.write(name, text)); });
  };
  expect_contains(refused("x.txt", "a"), "ends in .json, .jsonl or .csv");
  expect_contains(refused("x.jsonl", "{\"a\": }"), "x.jsonl:1");
  expect_contains(refused("x.jsonl", "[1]"), "not a JSON object");
  expect_contains(refused("x.jsonl", "\n\n"), "no record");
  expect_contains(refused("x.json", "[]"), "no record");
  expect_contains(refused("x.json", "[{\"a\": 1}"), "the array is not complete");
  expect_contains(refused("x.json", "[{\"a\": \"]"), "the array is not complete");
  expect_contains(refused("x.json", "[{}] {}"), "continues after the array");
  expect_contains(refused("x.json", "[{},]"), "x.json, record 1");
  expect_contains(refused("x.csv", ""), "empty");
  expect_contains(refused("x.csv", "a,a\n1,2\n"), "two columns are called 'a'");
  expect_contains(refused("x.csv", "a,b\n1\n"), "the number of cells differs");
  expect_contains(refused("x.csv", "a\n\"1"), "not closed");
  expect_contains(refused("x.csv", "a\n\"1\"2\n"), "after a closing quote");
  expect_contains(refused("x.jsonl", "{\"a\": \"\xFF\"}"), "x.jsonl:1");
  expect_contains(error_of([&] { read_records(folder.path() / "absent.jsonl"); }), "absent.jsonl");
}

TEST(RecordTest, GivesTextsListsAndLabels) {
  const Record record = Record::from_json(
      R"({"q": "a", "list": ["b", "c"], "n": 3, "yes": true, "none": null, "deep": {"a": 1}})",
      "here");
  EXPECT_EQ(record.text("q"), "a");
  EXPECT_EQ(record.find_text("none"), std::nullopt);
  EXPECT_TRUE(record.texts("list").is_list);
  EXPECT_EQ(record.texts("list").texts, (Texts{"b", "c"}));
  EXPECT_FALSE(record.texts("q").is_list);
  EXPECT_EQ(record.label("n"), "3");
  EXPECT_EQ(record.label("yes"), "true");
  EXPECT_EQ(record.label("deep"), std::nullopt);
  expect_contains(error_of([&] { record.text("answer"); }), "the keys q, list, n, yes, none, deep");
  expect_contains(error_of([&] { record.text("none"); }), "here");
  expect_contains(error_of([&] { record.text("n"); }), "not a text");
  expect_contains(error_of([&] { record.texts("n"); }), "not a text");
}

}  // namespace
}  // namespace palimpsest::data
