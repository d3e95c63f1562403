#include "palimpsest/base/internal/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <thread>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/hash.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest {
namespace {

std::vector<std::string> lines_of(const std::filesystem::path& path) {
  LineReader reader(path);
  std::vector<std::string> lines;
  std::string line;
  while (reader.next(line)) lines.push_back(line);
  EXPECT_EQ(reader.line_number(), static_cast<int64_t>(lines.size()));
  return lines;
}

TEST(LineReaderTest, SplitsLinesOfBothKinds) {
  TempFolder folder;
  EXPECT_EQ(lines_of(folder.write("a", "one\ntwo\r\n\nlast")),
            (std::vector<std::string>{"one", "two", "", "last"}));
  EXPECT_EQ(lines_of(folder.write("b", "one\n")), (std::vector<std::string>{"one"}));
  EXPECT_TRUE(lines_of(folder.write("c", "")).empty());
  EXPECT_EQ(lines_of(folder.write("d", "\xEF\xBB\xBFone")), (std::vector<std::string>{"one"}));
}

TEST(LineReaderTest, HandlesLinesLongerThanItsBuffer) {
  TempFolder folder;
  const std::string longest(200'001, 'x');
  const std::string middle(65'536, 'y');
  EXPECT_EQ(lines_of(folder.write("a", longest + "\n" + middle + "\n" + longest)),
            (std::vector<std::string>{longest, middle, longest}));
}

TEST(LineReaderTest, SaysWhere) {
  TempFolder folder;
  const auto path = folder.write("a", "one\ntwo\n");
  LineReader reader(path);
  std::string line;
  reader.next(line);
  reader.next(line);
  EXPECT_EQ(reader.where(), path.string() + ":2");
}

TEST(IsListedTest, CountsWhatCannotBeRead) {
  const TempFolder folder;
  EXPECT_FALSE(is_listed(folder.path() / "absent"));
  EXPECT_FALSE(is_listed(folder.path() / "absent" / "file"));
  EXPECT_FALSE(is_listed(folder.write("file", "") / "file"));
  EXPECT_FALSE(is_listed(folder.path() / std::string(1000, 'x')));  // no folder can hold it
  EXPECT_TRUE(is_listed(folder.path() / "file"));
  std::filesystem::create_directory(folder.path() / "folder");
  std::filesystem::create_symlink("nowhere", folder.path() / "dangling");
  std::filesystem::create_symlink("loop", folder.path() / "loop");
  ASSERT_EQ(::mkfifo((folder.path() / "pipe").c_str(), 0600), 0);
  for (const char* name : {"folder", "dangling", "loop", "pipe"}) {
    EXPECT_TRUE(is_listed(folder.path() / name)) << name;
    EXPECT_THROW(read_file(folder.path() / name), Error) << name;
  }
}

TEST(ReadFileTest, GivesTheBytes) {
  TempFolder folder;
  const std::string bytes("a\0b\n", 4);
  EXPECT_EQ(read_file(folder.write("a", bytes)), bytes);
}

TEST(ReadFileTest, RefusesWhatCannotBeRead) {
  TempFolder folder;
  expect_contains(error_of([&] { read_file(folder.path() / "none"); }), "No such file");
  expect_contains(error_of([&] { read_file(folder.path()); }), "this is a folder");
  expect_contains(error_of([&] { LineReader reader(folder.path() / "none"); }), "No such file");
}

TEST(AtomicFileTest, ReplacesTheTargetOnlyWhenCommitted) {
  TempFolder folder;
  const auto path = folder.write("a", "old");
  {
    AtomicFile file(path);
    file.write("new");
    EXPECT_EQ(folder.read("a"), "old");
  }
  EXPECT_EQ(folder.read("a"), "old");
  {
    AtomicFile file(path);
    file.write("new ");
    file.write("text");
    file.commit();
  }
  EXPECT_EQ(folder.read("a"), "new text");
  // Nothing is left beside it.
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(AtomicFileTest, FailsWhereTheFolderIsMissing) {
  TempFolder folder;
  EXPECT_THROW(write_file(folder.path() / "none" / "a", "x"), SystemError);
}

TEST(AtomicFileTest, AFullDiskLeavesTheOldFile) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full on this system";
  // /dev/full refuses every byte, as a full disk does.
  EXPECT_THROW(
      {
        TempFolder folder;
        std::filesystem::create_symlink(
            "/dev/full", folder.path() / (".a." + std::to_string(::getpid()) + ".partial"));
        write_file(folder.path() / "a", std::string(1 << 20, 'x'));
      },
      SystemError);
}

TEST(AtomicFileTest, DevicesAndPipesStayWhatTheyAre) {
  TempFolder folder;
  const std::filesystem::path pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { LineReader(pipe, LineReader::Source::kAny).next(got); });
  write_file(pipe, "through the pipe");
  reader.join();
  EXPECT_EQ(got, "through the pipe");
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  std::filesystem::create_symlink("/dev/null", folder.path() / "null");
  write_file(folder.path() / "null", "x");
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path() / "null"));
}

TEST(AtomicFileTest, ALinkStaysALink) {
  TempFolder folder;
  std::filesystem::create_directory(folder.path() / "elsewhere");
  folder.write("elsewhere/file", "old");
  std::filesystem::create_symlink("elsewhere/file", folder.path() / "link");
  write_file(folder.path() / "link", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path() / "link"));
  EXPECT_EQ(folder.read("elsewhere/file"), "new");
}

// A configuration that is a pipe made the program wait for ever.
TEST(PlainFileTest, PipesDevicesAndFoldersAreRefusedBeforeTheyAreOpened) {
  TempFolder folder;
  const std::filesystem::path pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const auto refusal = [](const std::filesystem::path& path) {
    std::string message = error_of([&] { read_file(path); });
    EXPECT_EQ(error_of([&] { LineReader reader(path); }), message);
    EXPECT_EQ(error_of([&] { require_plain_file(path); }), message);
    EXPECT_EQ(error_of([&] { Fingerprint().add_file(path); }), message);
    return message;
  };
  EXPECT_EQ(refusal(pipe), pipe.string() +
                               ": this is a pipe, not a file; write its content to a file "
                               "and give that file");
  EXPECT_EQ(refusal("/dev/zero"), "/dev/zero: this is a device, not a file");
  EXPECT_EQ(refusal(folder.path()), folder.path().string() + ": this is a folder, not a file");
  std::filesystem::create_symlink(pipe, folder.path() / "link");
  expect_contains(refusal(folder.path() / "link"), "this is a pipe");
  folder.write("plain", "x");
  EXPECT_NO_THROW(require_plain_file(folder.path() / "plain"));
  EXPECT_NO_THROW(require_plain_file(folder.path() / "absent"));
}

TEST(PlainFileTest, LinesMayComeFromAPipe) {
  TempFolder folder;
  const std::filesystem::path pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] { write_file(pipe, "one\ntwo\n"); });
  LineReader reader(pipe, LineReader::Source::kAny);
  std::string line;
  EXPECT_TRUE(reader.next(line));
  EXPECT_EQ(line, "one");
  EXPECT_TRUE(reader.next(line));
  EXPECT_FALSE(reader.next(line));
  writer.join();
  expect_contains(error_of([&] { LineReader(folder.path(), LineReader::Source::kAny); }),
                  "this is a folder");
}

TEST(MakeFolderTest, MakesNestedFoldersAndRefusesFiles) {
  TempFolder folder;
  make_folder(folder.path() / "x" / "y");
  make_folder(folder.path() / "x" / "y");
  EXPECT_TRUE(std::filesystem::is_directory(folder.path() / "x" / "y"));
  folder.write("file", "");
  EXPECT_THROW(make_folder(folder.path() / "file"), Error);
  EXPECT_THROW(make_folder(folder.path() / "file" / "below"), Error);
}

}  // namespace
}  // namespace palimpsest
