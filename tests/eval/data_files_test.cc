#include "palimpsest/eval/data_files.h"

#include <gtest/gtest.h>

#include "tests/eval/setup.h"
#include "tests/support/expect_error.h"

namespace palimpsest::eval {
namespace {

class DataFilesTest : public testing::Test {
 protected:
  void put(const std::string& name, const std::string& bytes = "{\"text\": \"x\"}\n") const {
    std::filesystem::create_directories((folder_.path() / name).parent_path());
    folder_.write(name, bytes);
  }

  std::string find(const std::string& args) const {
    const DataFile file = find_data_file(parameter_of(Json::parse(args), "hf_args"), locations());
    return std::filesystem::relative(file.path, folder_.path()).string() + file.slice;
  }

  DataLocations locations() const {
    return {.data_dir = folder_.path() / "data",
            .hub = {.hf_hub_cache = (folder_.path() / "hub").string()}};
  }

  const TempFolder folder_;
};

TEST_F(DataFilesTest, LooksUnderTheFolderForData) {
  put("data/TOFU/forget10.json");
  put("data/locuslab/TOFU/holdout10.jsonl");
  put("data/MUSE-News/knowmem/forget_qa.json");
  put("data/MUSE-News/train.csv", "text\nx\n");
  EXPECT_EQ(find(R"({"path": "locuslab/TOFU", "name": "forget10", "split": "train"})"),
            "data/TOFU/forget10.json");
  EXPECT_EQ(find(R"({"path": "locuslab/TOFU", "name": "holdout10", "split": "train[:2]"})"),
            "data/locuslab/TOFU/holdout10.jsonl[:2]");
  EXPECT_EQ(find(R"({"path": "muse-bench/MUSE-News", "name": "knowmem", "split": "forget_qa"})"),
            "data/MUSE-News/knowmem/forget_qa.json");
  EXPECT_EQ(find(R"({"path": "muse-bench/MUSE-News"})"), "data/MUSE-News/train.csv");
}

TEST_F(DataFilesTest, TakesFoldersAndFilesAsTheyAre) {
  put("own/forget.jsonl");
  const std::string own = (folder_.path() / "own").string();
  EXPECT_EQ(find(R"({"path": ")" + own + R"(", "split": "forget"})"), "own/forget.jsonl");
  EXPECT_EQ(find(R"({"path": ")" + own + R"(/forget.jsonl"})"), "own/forget.jsonl");
  EXPECT_EQ(find(R"({"path": "json", "data_files": ")" + own + R"(/forget.jsonl"})"),
            "own/forget.jsonl");
  EXPECT_EQ(
      find(R"({"path": "json", "split": "a", "data_files": {"a": ")" + own + R"(/forget.jsonl"}})"),
      "own/forget.jsonl");
}

TEST_F(DataFilesTest, LooksIntoTheCache) {
  const std::string commit(40, 'a');
  put("hub/datasets--locuslab--TOFU/refs/main", commit);
  put("hub/datasets--locuslab--TOFU/snapshots/" + commit + "/forget10.json");
  EXPECT_EQ(find(R"({"path": "locuslab/TOFU", "name": "forget10", "split": "train"})"),
            "hub/datasets--locuslab--TOFU/snapshots/" + commit + "/forget10.json");
}

TEST_F(DataFilesTest, SaysHowToGetWhatIsAbsent) {
  std::string message = error_of([&] { find(R"({"path": "locuslab/TOFU", "name": "forget10"})"); });
  expect_contains(message, "huggingface-cli download --repo-type dataset locuslab/TOFU");
  expect_contains(message, "hf_args");
  put("data/TOFU/other.json");
  message = error_of([&] { find(R"({"path": "locuslab/TOFU", "name": "forget10"})"); });
  expect_contains(message, "forget10");
  expect_contains(message, "data/TOFU");
  expect_contains(error_of([&] { find(R"({"name": "forget10"})"); }), "'path'");
  expect_contains(error_of([&] { find(R"({"path": "x/y", "name": "../../etc/passwd"})"); }),
                  "not a name");
  expect_contains(error_of([&] { find(R"({"path": "json", "data_files": "absent.json"})"); }),
                  "absent.json");
}

TEST_F(DataFilesTest, SaysHowToConvertParquet) {
  put("data/MUSE-News/knowmem/forget_qa-00000-of-00001.parquet");
  const std::string message = error_of([&] {
    find(R"({"path": "muse-bench/MUSE-News", "name": "knowmem", "split": "forget_qa"})");
  });
  expect_contains(message, "read_parquet");
  expect_contains(message, "knowmem/forget_qa.jsonl");
}

TEST_F(DataFilesTest, CutsSlices) {
  put("d.jsonl", "{\"a\": 1}\n{\"a\": 2}\n{\"a\": 3}\n{\"a\": 4}\n");
  const auto count = [&](const std::string& slice) {
    return read_data_file({folder_.path() / "d.jsonl", slice}).size();
  };
  EXPECT_EQ(count(""), 4U);
  EXPECT_EQ(count("[:3]"), 3U);
  EXPECT_EQ(count("[1:]"), 3U);
  EXPECT_EQ(count("[1:3]"), 2U);
  EXPECT_EQ(count("[-1:]"), 1U);
  EXPECT_EQ(count("[:50%]"), 2U);
  EXPECT_EQ(count("[-50%:]"), 2U);
  EXPECT_EQ(count("[:999]"), 4U);
  EXPECT_EQ(read_data_file({folder_.path() / "d.jsonl", "[1:3]"})[0].label("a"), "2");
  for (const char* bad : {"[3:1]", "[", "[:", "[x:]", "[:99999999999999999999]", "[]", "[1]",
                          "[:101%]", "[-101%:]"}) {
    error_of([&] { count(bad); });
  }
  // Halves go to the even neighbour, as in Python.
  put("d.jsonl", "{\"a\": 1}\n{\"a\": 2}\n{\"a\": 3}\n{\"a\": 4}\n{\"a\": 5}\n");
  EXPECT_EQ(count("[:50%]"), 2U);
  EXPECT_EQ(count("[:30%]"), 2U);
  EXPECT_EQ(count("[50%:]"), 3U);
}

}  // namespace
}  // namespace palimpsest::eval
