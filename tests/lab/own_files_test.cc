#include "palimpsest/lab/internal/own_files.h"

#include <gtest/gtest.h>

#include "palimpsest/base/internal/file.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::lab {
namespace {

TEST(OwnFilesTest, ReplacesItsOwnFiles) {
  const TempFolder folder;
  const std::filesystem::path out = folder.path() / "new" / "data";
  write_own_files(out, {{"a", "1"}, {"b", "2"}});
  write_own_files(out, {{"a", "3"}});
  write_own_files(out, {{"a", "3"}, {"b", "4"}});
  EXPECT_EQ(read_file(out / "a"), "3");
  EXPECT_EQ(read_file(out / "b"), "4");
}

TEST(OwnFilesTest, NeverReplacesOthers) {
  const TempFolder folder;
  folder.write("b", "mine");
  const auto write = [&](const char* b) { write_own_files(folder.path(), {{"a", "1"}, {"b", b}}); };
  expect_contains(error_of([&] { write("2"); }), "b: the lab would replace this file");
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "a"));  // nothing was written
  EXPECT_EQ(folder.read("b"), "mine");
  write("mine");  // the same bytes: nothing is lost
  write("2");
  folder.write("b", "changed by its user");
  expect_contains(error_of([&] { write("3"); }), "was changed since; move it elsewhere");
  std::filesystem::remove(folder.path() / "b");
  std::filesystem::create_directory(folder.path() / "b");
  expect_contains(error_of([&] { write("3"); }), "b: this is a folder");
}

TEST(OwnFilesTest, ARecordThatSaysNothingProtectsEveryFile) {
  const TempFolder folder;
  folder.write("a", "mine");
  for (const char* record : {"[]", "{}", R"({"files": 1})", R"({"files": {"a": 1}})"}) {
    folder.write(".palimpsest-lab.json", record);
    expect_contains(error_of([&] { write_own_files(folder.path(), {{"a", "1"}}); }), "replace");
  }
  folder.write(".palimpsest-lab.json", "{");
  expect_contains(error_of([&] { write_own_files(folder.path(), {{"a", "1"}}); }), "JSON");
}

}  // namespace
}  // namespace palimpsest::lab
