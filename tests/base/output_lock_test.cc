#include "palimpsest/base/internal/output_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <optional>

#include "palimpsest/base/error.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/json.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest {
namespace {

constexpr const char* kLockName = ".palimpsest.lock";

// What is in the folder, hidden files too.
std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

// Runs `body` in a process of its own, which then waits to be killed.
class OtherProcess {
 public:
  template <class Body>
  explicit OtherProcess(const Body& body) {
    int ready[2] = {};
    EXPECT_EQ(::pipe(ready), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::alarm(60);  // should nobody kill it
      body();
      EXPECT_EQ(::write(ready[1], "x", 1), 1);
      for (;;) ::pause();
    }
    ::close(ready[1]);
    char byte = 0;
    EXPECT_EQ(::read(ready[0], &byte, 1), 1);
    ::close(ready[0]);
  }
  ~OtherProcess() { kill(); }
  OtherProcess(const OtherProcess&) = delete;
  OtherProcess& operator=(const OtherProcess&) = delete;

  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = 0;
};

TEST(OutputLockTest, SaysWhoHoldsIt) {
  const TempFolder folder;
  const OutputLock lock = OutputLock::of_folder(folder.path(), "palimpsest eval");
  const Json holder = parse_json(folder.read(kLockName), "the lock");
  EXPECT_EQ(holder["command"], "palimpsest eval");
  EXPECT_EQ(holder["pid"], ::getpid());
  const std::string message =
      error_of([&] { OutputLock::of_folder(folder.path() / ".", "palimpsest mia"); });
  expect_contains(message, "another run (`palimpsest eval`, process " + std::to_string(::getpid()) +
                               " on host " + holder["host"].get<std::string>() +
                               ") is writing to this folder");
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{kLockName});
}

TEST(OutputLockTest, GoesWithItsOwner) {
  const TempFolder folder;
  {
    OutputLock first = OutputLock::of_folder(folder.path(), "a");
    const OutputLock second = std::move(first);
    EXPECT_TRUE(std::filesystem::exists(folder.path() / kLockName));
  }
  EXPECT_TRUE(names_in(folder.path()).empty());
  OutputLock::of_folder(folder.path(), "b");
}

TEST(OutputLockTest, PartsAndFilesHaveLocksOfTheirOwn) {
  const TempFolder folder;
  const OutputLock one = OutputLock::of_folder(folder.path(), "a", "shard-1");
  const OutputLock part = OutputLock::of_folder(folder.path(), "a", "shard-2");
  const OutputLock file = OutputLock::of_file(folder.path() / "out.jsonl", "a");
  const OutputLock other = OutputLock::of_file(folder.path() / "other.jsonl", "a");
  const auto refused = [](const auto& lock) {
    expect_contains(error_of(lock), "another run (`a`");
  };
  refused([&] { OutputLock::of_folder(folder.path(), "b", "shard-2"); });
  refused([&] { OutputLock::of_file(folder.path() / "out.jsonl", "b"); });
  EXPECT_EQ(names_in(folder.path()),
            (std::vector<std::string>{".other.jsonl.palimpsest.lock", ".out.jsonl.palimpsest.lock",
                                      ".palimpsest.shard-1.lock", ".palimpsest.shard-2.lock"}));
}

TEST(OutputLockTest, TheWholeAndAPartExcludeEachOther) {
  const TempFolder folder;
  const std::filesystem::path file = folder.path() / "out.jsonl";
  {
    const OutputLock part = OutputLock::of_folder(folder.path(), "the part", "shard-2");
    const OutputLock of_file = OutputLock::of_file(file, "the part", "shard-2");
    const auto refused = [](const auto& lock) {
      expect_contains(error_of(lock), "another run (`the part`");
    };
    refused([&] { OutputLock::of_folder(folder.path(), "b"); });
    refused([&] { OutputLock::of_file(file, "b"); });
    const OutputLock other = OutputLock::of_file(folder.path() / "other.jsonl", "b");
  }
  const OutputLock whole = OutputLock::of_folder(folder.path(), "the whole");
  const OutputLock whole_file = OutputLock::of_file(file, "the whole");
  EXPECT_EQ(names_in(folder.path()),
            (std::vector<std::string>{".out.jsonl.palimpsest.lock", kLockName}));
  expect_contains(error_of([&] { OutputLock::of_folder(folder.path(), "b", "shard-1"); }),
                  "another run (`the whole`");
  expect_contains(error_of([&] { OutputLock::of_file(file, "b", "shard-1"); }),
                  "another run (`the whole`");
  EXPECT_EQ(names_in(folder.path()),
            (std::vector<std::string>{".out.jsonl.palimpsest.lock", kLockName}));
}

TEST(OutputLockTest, APartThatWasKilledIsInNobodysWay) {
  const TempFolder folder;
  std::optional<OutputLock> lock;
  OtherProcess other([&] { lock = OutputLock::of_folder(folder.path(), "a", "shard-2"); });
  expect_contains(error_of([&] { OutputLock::of_folder(folder.path(), "b"); }), "another run");
  other.kill();
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{".palimpsest.shard-2.lock"});
  const OutputLock whole = OutputLock::of_folder(folder.path(), "b");
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{kLockName});
}

TEST(OutputLockTest, ALinkLeadsToTheSameLock) {
  const TempFolder folder;
  std::filesystem::create_directory(folder.path() / "real");
  std::filesystem::create_symlink("real", folder.path() / "link");
  const OutputLock lock = OutputLock::of_folder(folder.path() / "real", "a");
  expect_contains(error_of([&] { OutputLock::of_folder(folder.path() / "link/", "b"); }),
                  "another run");
}

// A folder that somebody else made may hold links and pipes with the names of our own files.
TEST(OutputLockTest, OthersFilesAreNotOverwrittenThroughALink) {
  const TempFolder folder;
  folder.write("mine", "precious");
  std::filesystem::create_symlink("mine", folder.path() / kLockName);
  expect_contains(error_of([&] { OutputLock::of_folder(folder.path(), "a"); }),
                  ".palimpsest.lock: the lock file of this output is a link; remove it");
  const std::string partial = ".out." + std::to_string(::getpid()) + ".partial";
  std::filesystem::create_symlink("mine", folder.path() / partial);
  EXPECT_THROW(write_file(folder.path() / "out", "new"), SystemError);
  EXPECT_EQ(folder.read("mine"), "precious");
}

TEST(OutputLockTest, APipeIsNotWaitedFor) {
  const TempFolder folder;
  const std::string part = ".palimpsest.shard-2.lock";
  ASSERT_EQ(::mkfifo((folder.path() / ".palimpsest.shard-1.lock").c_str(), 0600), 0);
  {
    const OutputLock lock = OutputLock::of_folder(folder.path(), "a");
    // The pipe goes as the lock files of killed parts do.
    EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{kLockName});
    expect_contains(error_of([&] { OutputLock::of_folder(folder.path(), "b"); }), "another run");
  }
  ASSERT_EQ(::mkfifo((folder.path() / kLockName).c_str(), 0600), 0);
  {
    const OutputLock lock = OutputLock::of_folder(folder.path(), "a", "shard-2");
    EXPECT_EQ(names_in(folder.path()), (std::vector<std::string>{kLockName, part}));
    expect_contains(error_of([&] { OutputLock::of_folder(folder.path(), "b", "shard-2"); }),
                    "another run");
  }
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{kLockName});
}

TEST(OutputLockTest, AFolderIsNoFile) {
  const TempFolder folder;
  std::filesystem::create_directory(folder.path() / "d");
  for (const char* name : {"d", "d/", "d/.", "new/"}) {
    expect_contains(error_of([&] { OutputLock::of_file(folder.path() / name, "a"); }),
                    "this is a folder, not a file");
  }
  {
    const OutputLock lock = OutputLock::of_replaced_folder(folder.path() / "d", "a");
    EXPECT_TRUE(std::filesystem::exists(folder.path() / ".d.palimpsest.lock"));
  }
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "new"));
}

// They can be opened twice, and no lock file is made beside them.
TEST(OutputLockTest, DevicesAndPipesHaveNone) {
  const TempFolder folder;
  const std::filesystem::path pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::filesystem::path& file : {std::filesystem::path("/dev/null"), pipe}) {
    const OutputLock one = OutputLock::of_file(file, "a");
    EXPECT_NO_THROW(OutputLock::of_file(file, "b"));
    EXPECT_FALSE(std::filesystem::exists(
        file.parent_path() / fmt::format(".{}.palimpsest.lock", file.filename().string())));
  }
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"pipe"});
}

TEST(OutputLockTest, EmptyFoldersThatItMadeGoAgain) {
  const TempFolder folder;
  std::filesystem::create_directory(folder.path() / "mine");
  { const OutputLock lock = OutputLock::of_folder(folder.path() / "mine/a/b", "a"); }
  { const OutputLock lock = OutputLock::of_file(folder.path() / "mine/c/out.jsonl", "a"); }
  EXPECT_TRUE(names_in(folder.path() / "mine").empty());
  {
    const OutputLock lock = OutputLock::of_folder(folder.path() / "mine/a/b", "a");
    folder.write("mine/a/result", "x");
  }
  EXPECT_EQ(names_in(folder.path() / "mine/a"), std::vector<std::string>{"result"});
}

TEST(OutputLockTest, SaysWhyAFolderCannotBeWritten) {
  const TempFolder folder;
  folder.write("file", "x");
  EXPECT_THROW(OutputLock::of_folder(folder.path() / "file", "a"), Error);
  EXPECT_THROW(OutputLock::of_folder(folder.path() / "file/below", "a"), Error);
  EXPECT_THROW(OutputLock::of_folder(folder.path() / "new" / std::string(300, 'x'), "a"), Error);
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"file"});
}

TEST(OutputLockTest, AKilledRunHoldsNothing) {
  const TempFolder folder;
  std::optional<OutputLock> lock;
  OtherProcess other([&] { lock = OutputLock::of_folder(folder.path(), "palimpsest demo"); });
  expect_contains(error_of([&] { OutputLock::of_folder(folder.path(), "a"); }),
                  "`palimpsest demo`, process " + std::to_string(other.pid()));
  other.kill();
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{kLockName});
  { const OutputLock mine = OutputLock::of_folder(folder.path(), "a"); }
  EXPECT_TRUE(names_in(folder.path()).empty());
}

// Four processes take the lock and leave it as fast as they can: no two hold it at once.
TEST(OutputLockTest, TheFileMayGoWhileAnotherTakesIt) {
  const TempFolder folder;
  const std::filesystem::path out = folder.path() / "out";
  const auto contend = [&]() -> bool {
    int taken = 0;
    for (int i = 0; i < 20000 && taken < 200; ++i) {
      try {
        const OutputLock lock = OutputLock::of_folder(out, "a");
        ++taken;
        const int mark =
            ::open((folder.path() / "mark").c_str(), O_CREAT | O_EXCL | O_WRONLY, 0600);
        if (mark < 0) return false;
        ::close(mark);
        ::unlink((folder.path() / "mark").c_str());
      } catch (const Error&) {  // it is another's
      }
    }
    return taken > 0;
  };
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    children.push_back(::fork());
    if (children.back() == 0) ::_exit(contend() ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  // Whoever made the folder leaves it where another has just taken its lock.
  std::error_code absent;
  std::filesystem::remove(out, absent);
  EXPECT_FALSE(absent);
  EXPECT_TRUE(names_in(folder.path()).empty());
}

TEST(OutputLockTest, UnfinishedFilesOfKilledRunsGo) {
  const TempFolder folder;
  for (const char* name : {"out", "out/traces", "out/traces/deeper"})
    std::filesystem::create_directory(folder.path() / name);
  std::optional<AtomicFile> killed;
  std::optional<AtomicFile> further;
  OtherProcess other([&] {
    killed.emplace(folder.path() / "out/mia.json");
    further.emplace(folder.path() / "out/traces/forget.jsonl");
  });
  // Written by somebody who lives, and not made by AtomicFile.
  AtomicFile own(folder.path() / "out/report.html");
  const std::string own_name = ".report.html." + std::to_string(::getpid()) + ".partial";
  for (const char* name : {"out/.hidden.partial", "out/mine.7.partial", "out/notes.partial"})
    folder.write(name, "x");
  std::filesystem::create_directory(folder.path() / "out/.folder.7.partial");
  std::vector<std::string> others = {".folder.7.partial", ".hidden.partial", own_name,
                                     "mine.7.partial",    "notes.partial",   "traces"};
  std::ranges::sort(others);
  const size_t before = names_in(folder.path() / "out").size();
  { const OutputLock lock = OutputLock::of_folder(folder.path() / "out", "a"); }
  EXPECT_EQ(names_in(folder.path() / "out").size(), before);  // their maker still writes
  EXPECT_EQ(names_in(folder.path() / "out/traces").size(), 2U);
  other.kill();
  { const OutputLock lock = OutputLock::of_folder(folder.path() / "out", "a"); }
  EXPECT_EQ(names_in(folder.path() / "out"), others);
  EXPECT_EQ(names_in(folder.path() / "out/traces"), std::vector<std::string>{"deeper"});
  own.write("whole");
  own.commit();
  EXPECT_EQ(folder.read("out/report.html"), "whole");
}

TEST(OutputLockTest, OfAFileOnlyItsOwnUnfinishedFilesGo) {
  const TempFolder folder;
  for (const char* name : {".out.jsonl.12.partial", ".out.13.partial", ".x.out.jsonl.14.partial"})
    folder.write(name, "x");
  { const OutputLock lock = OutputLock::of_file(folder.path() / "out.jsonl", "a"); }
  EXPECT_EQ(names_in(folder.path()),
            (std::vector<std::string>{".out.13.partial", ".x.out.jsonl.14.partial"}));
}

}  // namespace
}  // namespace palimpsest
