#include "palimpsest/lab/internal/stage.h"

#include <gtest/gtest.h>

#include "palimpsest/base/internal/file.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::lab {
namespace {

void make(const std::filesystem::path& target, const std::string& fingerprint,
          const std::string& contents) {
  Stage stage(target, fingerprint);
  write_file(stage.begin(10) / "result", contents);
  stage.commit("{\"x\": 1}");
}

// A folder as a run leaves it that is killed while it fills or removes it.
void abandon(const TempFolder& folder, const std::string& name) {
  std::filesystem::create_directories(folder.path() / name);
  folder.write(name + "/.palimpsest-unfinished", "");
  folder.write(name + "/half", "half of a result");
}

TEST(StageTest, AppearsWholeAndIsFoundAgain) {
  const TempFolder folder;
  const std::filesystem::path target = folder.path() / "model";
  {
    Stage stage(target, "a");
    EXPECT_FALSE(stage.done());
    write_file(stage.begin(10) / "result", "one");
    EXPECT_FALSE(std::filesystem::exists(target));
  }
  EXPECT_FALSE(
      std::filesystem::exists(folder.path() / "model.partial"));  // stopped: nothing is left
  EXPECT_FALSE(Stage(target, "a").done());
  make(target, "a", "two");
  const Stage again(folder.path() / "model/", "a");
  EXPECT_TRUE(again.done());
  EXPECT_EQ(again.facts(), "{\"x\":1}");
  EXPECT_EQ(read_file(target / "result"), "two");
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "model.partial"));
}

TEST(StageTest, SomethingElseReplacesIt) {
  const TempFolder folder;
  const std::filesystem::path target = folder.path() / "model";
  make(target, "a", "one");
  EXPECT_FALSE(Stage(target, "b").done());
  EXPECT_EQ(read_file(target / "result"), "one");  // until the new one is complete
  make(target, "b", "two");
  EXPECT_EQ(read_file(target / "result"), "two");
}

// Killed after the old result went aside and before the new one took its place.
TEST(StageTest, AnInterruptedReplacementLosesNothing) {
  const TempFolder folder;
  const std::filesystem::path target = folder.path() / "model";
  make(target, "a", "one");
  folder.write("model/.palimpsest-unfinished", "");
  std::filesystem::rename(target, folder.path() / ".model.replaced");
  std::filesystem::create_directory(folder.path() / "model.partial");
  EXPECT_TRUE(Stage(target, "a").done());
  EXPECT_EQ(read_file(target / "result"), "one");
  EXPECT_FALSE(std::filesystem::exists(target / ".palimpsest-unfinished"));
  // Killed while the old one was removed.
  abandon(folder, ".model.replaced");
  EXPECT_TRUE(Stage(target, "a").done());
  EXPECT_FALSE(std::filesystem::exists(folder.path() / ".model.replaced"));
  make(target, "b", "two");
  EXPECT_EQ(read_file(target / "result"), "two");
  EXPECT_FALSE(std::filesystem::exists(folder.path() / ".model.replaced"));
}

// Killed after the new result took its place.
TEST(StageTest, WhatAKilledReplacementLeftGoes) {
  const TempFolder folder;
  const std::filesystem::path target = folder.path() / "model";
  make(target, "a", "one");
  for (const char* fingerprint : {"a", "b"}) {
    for (const char* left : {".model.replaced", "model.partial"}) abandon(folder, left);
    folder.write("model/.palimpsest-unfinished", "");
    EXPECT_EQ(Stage(target, fingerprint).done(), fingerprint == std::string("a"));
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(target), {}), 2);
  }
}

TEST(StageTest, WhatAUserPutBesideItStays) {
  const TempFolder folder;
  const std::filesystem::path target = folder.path() / "model";
  for (const char* name : {"model.partial", ".model.replaced"}) {
    make(target, "a", "one");
    std::filesystem::create_directory(folder.path() / name);
    const std::filesystem::path thesis = folder.write(name + std::string("/thesis"), "mine");
    EXPECT_TRUE(Stage(target, "a").done());
    const std::string error = error_of([&] { Stage(target, "b"); });
    expect_contains(error, name + std::string(": the lab needs this name"));
    expect_contains(error, "move it elsewhere");
    EXPECT_EQ(read_file(thesis), "mine");
    EXPECT_EQ(read_file(target / "result"), "one");
    std::filesystem::remove_all(folder.path() / name);
    // A link is not a folder of the lab, whatever it leads to.
    abandon(folder, "elsewhere");
    std::filesystem::create_symlink("elsewhere", folder.path() / name);
    expect_contains(error_of([&] { Stage(target, "b"); }), "the lab needs this name");
    EXPECT_EQ(folder.read("elsewhere/half"), "half of a result");
    std::filesystem::remove(folder.path() / name);
  }
  // The name of the old result is needed only where there is one.
  std::filesystem::remove_all(target);
  std::filesystem::create_directory(folder.path() / ".model.replaced");
  folder.write(".model.replaced/lab.json", "mine");
  make(target, "a", "one");
  EXPECT_EQ(folder.read(".model.replaced/lab.json"), "mine");
}

TEST(StageTest, WhatAUserPutIntoItStays) {
  const TempFolder folder;
  const std::filesystem::path target = folder.path() / "model";
  make(target, "a", "one");
  std::filesystem::create_directory(target / "audit");
  folder.write("model/audit/mia.json", "results");
  EXPECT_TRUE(Stage(target, "a").done());
  const std::string error = error_of([&] { Stage(target, "b"); });
  expect_contains(error, "the lab did not write all of it (found 'audit'); move that elsewhere");
  // Nor is it replaced if the file comes while the new result is made.
  std::filesystem::remove_all(target / "audit");
  expect_contains(error_of([&] {
                    Stage stage(target, "b");
                    write_file(stage.begin(10) / "result", "two");
                    folder.write("model/notes", "mine");
                    stage.commit("{}");
                  }),
                  "(found 'notes')");
  EXPECT_EQ(read_file(target / "result"), "one");
  EXPECT_EQ(folder.read("model/notes"), "mine");
  EXPECT_FALSE(std::filesystem::exists(target / ".palimpsest-unfinished"));
}

// Its lab.json does not list the files.
TEST(StageTest, AFolderOfAnEarlierVersionIsReplaced) {
  const TempFolder folder;
  const std::filesystem::path target = folder.path() / "model";
  std::filesystem::create_directory(target);
  folder.write("model/lab.json", R"({"palimpsest_lab": 1, "fingerprint": "a", "facts": {}})");
  folder.write("model/config.json", "{}");
  folder.write("model/tokenizer.json", "{}");
  const std::filesystem::path notes = folder.write("model/notes", "mine");
  expect_contains(error_of([&] { Stage(target, "b"); }), "(found 'notes')");
  std::filesystem::remove(notes);
  make(target, "b", "two");
  EXPECT_FALSE(std::filesystem::exists(target / "config.json"));
}

TEST(StageTest, IsLocked) {
  const TempFolder folder;
  const Stage stage(folder.path() / "model", "a", "palimpsest lab train");
  expect_contains(error_of([&] { Stage(folder.path() / "model/", "b"); }),
                  "another run (`palimpsest lab train`");
}

TEST(StageTest, ALinkLeadsToTheFolder) {
  const TempFolder folder;
  std::filesystem::create_directory(folder.path() / "real");
  std::filesystem::create_symlink("real", folder.path() / "link");
  std::filesystem::create_symlink("nowhere", folder.path() / "dangling");
  for (const char* contents : {"one", "two"}) {
    make(folder.path() / "link", contents, contents);
    make(folder.path() / "dangling", contents, contents);
    EXPECT_EQ(read_file(folder.path() / "real" / "result"), contents);
    EXPECT_EQ(read_file(folder.path() / "nowhere" / "result"), contents);
  }
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path() / "link"));
}

TEST(StageTest, NeverReplacesWhatItDidNotMake) {
  const TempFolder folder;
  std::filesystem::create_directory(folder.path() / "mine");
  folder.write("mine/notes.txt", "notes");
  expect_contains(error_of([&] { Stage(folder.path() / "mine", "a"); }), "did not make");
  folder.write("file", "x");
  expect_contains(error_of([&] { Stage(folder.path() / "file", "a"); }), "did not make");
  folder.write("mine/lab.json", "{\"other\": 1}");
  expect_contains(error_of([&] { Stage(folder.path() / "mine", "a"); }), "not a stage file");
  // Nor a stage whose name is like that of an old one.
  make(folder.path() / "model", "a", "one");
  make(folder.path() / "model.replaced", "a", "another");
  make(folder.path() / "model", "b", "two");
  EXPECT_EQ(read_file(folder.path() / "model.replaced" / "result"), "another");
  folder.write("mine/lab.json", "[");
  expect_contains(error_of([&] { Stage(folder.path() / "mine", "a"); }), "lab.json");
}

TEST(StageTest, AnEmptyFolderMayBeFilled) {
  const TempFolder folder;
  std::filesystem::create_directory(folder.path() / "empty");
  make(folder.path() / "empty", "a", "one");
  EXPECT_EQ(read_file(folder.path() / "empty" / "result"), "one");
}

TEST(StageTest, AsksForRoomOnTheDisk) {
  const TempFolder folder;
  {
    Stage stage(folder.path() / "model", "a");
    // The machine lacks it: no fault of the call.
    expect_contains(error_of<SystemError>([&] { stage.begin(int64_t{1} << 60); }),
                    "too little space");
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace palimpsest::lab
