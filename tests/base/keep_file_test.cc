#include "palimpsest/base/internal/keep_file.h"

#include <gtest/gtest.h>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest {
namespace {

std::string kept_name(const TempFolder& folder) {
  return keep_file(folder.path() / "log").path.filename().string();
}

TEST(KeepFileTest, ANameIsNeverReused) {
  const TempFolder folder;
  for (const char* text : {"first", "second", "third"}) {
    write_file(folder.path() / "log", text);
    EXPECT_FALSE(keep_file(folder.path() / "log").was_kept_before);
  }
  write_file(folder.path() / "log", "new");
  EXPECT_EQ(folder.read("log.old"), "first");
  EXPECT_EQ(folder.read("log.old.1"), "second");
  EXPECT_EQ(folder.read("log.old.2"), "third");
}

TEST(KeepFileTest, TheSameBytesAreKeptOnce) {
  const TempFolder folder;
  for (const char* text : {"first", "second", "first", "second"}) {
    write_file(folder.path() / "log", text);
    keep_file(folder.path() / "log");
  }
  const KeptFile again = keep_file(folder.path() / "log");
  EXPECT_TRUE(again.was_kept_before);
  EXPECT_EQ(again.path, folder.path() / "log.old.1");
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "log.old.2"));
}

TEST(KeepFileTest, FoldersAndBrokenLinksAreLeftAlone) {
  const TempFolder folder;
  folder.write("log", "text");
  std::filesystem::create_directory(folder.path() / "log.old");
  std::filesystem::create_symlink("nowhere", folder.path() / "log.old.1");
  EXPECT_EQ(kept_name(folder), "log.old.2");
  EXPECT_EQ(folder.read("log.old.2"), "text");
}

// Such a link has the bytes of the log, and will have those of the next one.
TEST(KeepFileTest, ALinkToTheFileKeepsNothing) {
  const TempFolder folder;
  folder.write("log", "text");
  std::filesystem::create_symlink("log", folder.path() / "log.old");
  EXPECT_EQ(kept_name(folder), "log.old.1");
  write_file(folder.path() / "log", "new");
  EXPECT_EQ(folder.read("log.old.1"), "text");
}

// Writing to a link replaces the file that it leads to.
TEST(KeepFileTest, OfALinkTheContentsAreKept) {
  const TempFolder folder;
  folder.write("real", "text");
  std::filesystem::create_symlink("real", folder.path() / "log");
  EXPECT_EQ(kept_name(folder), "log.old");
  write_file(folder.path() / "log", "new");
  EXPECT_EQ(folder.read("log.old"), "text");
}

TEST(KeepFileTest, ACopyReplacesNothing) {
  const TempFolder folder;
  folder.write("log", "text");
  folder.write("taken", "mine");
  EXPECT_FALSE(copy_to_new_file(folder.path() / "log", folder.path() / "taken"));
  EXPECT_EQ(folder.read("taken"), "mine");
  EXPECT_TRUE(copy_to_new_file(folder.path() / "log", folder.path() / "free"));
  EXPECT_EQ(folder.read("free"), "text");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 3);
}

TEST(KeepFileTest, WhatCannotBeKeptIsAnError) {
  const TempFolder folder;
  const std::string longest(255, 'x');  // no name is left that is longer
  folder.write(longest, "text");
  try {
    keep_file(folder.path() / longest);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const SystemError& error) {
    expect_contains(error.what(), "the earlier results cannot be kept");
    expect_contains(error.what(), "File name too long");
  }
  EXPECT_EQ(folder.read(longest), "text");
}

}  // namespace
}  // namespace palimpsest
