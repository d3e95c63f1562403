#include "palimpsest/base/internal/lock_holder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/temp_folder.h"

namespace palimpsest {
namespace {

using std::chrono::seconds;

TEST(LockHolderTest, WhatIsWrittenIsRead) {
  const TempFolder folder;
  const auto file = folder.write("lock", lock_holder_line("palimpsest eval --shard 2/7"));
  const std::optional<LockHolder> holder = read_lock_holder(file);
  ASSERT_TRUE(holder.has_value());
  EXPECT_EQ(holder->command, "palimpsest eval --shard 2/7");
  EXPECT_EQ(holder->pid, ::getpid());
  EXPECT_FALSE(holder->host.empty());
  EXPECT_FALSE(read_lock_holder(folder.write("empty", "")).has_value());
  EXPECT_FALSE(read_lock_holder(folder.write("other", R"({"host": 3})")).has_value());
  EXPECT_FALSE(read_lock_holder(folder.path() / "absent").has_value());
}

// On this machine the process list tells, however old the lock file is.
TEST(LockHolderTest, AProcessOfThisMachineLivesAsLongAsItIsListed) {
  const TempFolder folder;
  LockHolder holder = *read_lock_holder(folder.write("lock", lock_holder_line("a")));
  EXPECT_FALSE(may_live(holder, seconds(0)));  // ours: an earlier process had the same number
  holder.pid = ::getppid();
  EXPECT_TRUE(may_live(holder, seconds(1000)));
  const pid_t gone = ::fork();
  if (gone == 0) ::_exit(0);
  ASSERT_EQ(::waitpid(gone, nullptr, 0), gone);
  holder.pid = gone;
  EXPECT_FALSE(may_live(holder, seconds(0)));
}

TEST(LockHolderTest, AProcessElsewhereLivesAsLongAsItGivesSigns) {
  const LockHolder holder{.host = "a-host-of-another-name", .pid = ::getpid(), .command = "a"};
  EXPECT_TRUE(may_live(holder, seconds(0)));
  EXPECT_TRUE(may_live(holder, kHolderIsGone - seconds(1)));
  EXPECT_FALSE(may_live(holder, kHolderIsGone));
}

TEST(LockHolderTest, OnADiskOfThisMachineTheSystemsLockIsEnough) {
  const TempFolder folder;
  folder.write("lock", R"({"host": "elsewhere", "pid": 1, "command": "a"})");
  const int descriptor = ::open((folder.path() / "lock").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(descriptor, 0);
  if (!is_shared_by_machines(descriptor))
    EXPECT_FALSE(may_be_held_elsewhere(descriptor, folder.path() / "lock"));
  else
    EXPECT_TRUE(may_be_held_elsewhere(descriptor, folder.path() / "lock"));
  ::close(descriptor);
}

TEST(LockHolderTest, AHeartbeatEndsWithItsOwner) {
  const TempFolder folder;
  folder.write("lock", "");
  const int descriptor = ::open((folder.path() / "lock").c_str(), O_RDWR | O_CLOEXEC);
  { const LockHeartbeat heartbeat(descriptor); }
  EXPECT_EQ(::close(descriptor), 0);
}

}  // namespace
}  // namespace palimpsest
