#include "palimpsest/run/internal/journal.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "palimpsest/base/error.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::run {
namespace {

const std::string kJournalPlan(32, 'a');

TEST(JournalTest, KeepsWhatWasCommitted) {
  const TempFolder folder;
  {
    Journal journal(folder.path() / "j", kJournalPlan);
    journal.commit(2, std::string("one\0two", 7));
    journal.commit(0, "");
  }
  const Journal again(folder.path() / "j", kJournalPlan);
  ASSERT_EQ(again.size(), 2U);
  EXPECT_EQ(again.read(2), std::string("one\0two", 7));
  EXPECT_EQ(again.read(0), "");
}

// Cut anywhere, the file gives the batches that are whole, and can be written on.
TEST(JournalTest, SurvivesBeingCutAnywhere) {
  const TempFolder folder;
  size_t first_end = 0;
  {
    Journal journal(folder.path() / "j", kJournalPlan);
    journal.commit(0, "half of it");
    first_end = folder.read("j").size();
    journal.commit(1, "a quarter");
  }
  const std::string whole = folder.read("j");
  for (size_t length = 0; length <= whole.size(); ++length) {
    folder.write("cut", whole.substr(0, length));
    {
      Journal journal(folder.path() / "cut", kJournalPlan);
      const size_t expected = length == whole.size() ? 2 : length >= first_end ? 1 : 0;
      EXPECT_EQ(journal.size(), expected) << length;
      journal.commit(7, "three");
    }
    const Journal again(folder.path() / "cut", kJournalPlan);
    ASSERT_TRUE(again.has(7)) << length;
    EXPECT_EQ(again.read(7), "three");
  }
}

TEST(JournalTest, NoticesDamage) {
  const TempFolder folder;
  {
    Journal journal(folder.path() / "j", kJournalPlan);
    journal.commit(0, "half of it");
  }
  std::string bytes = folder.read("j");
  bytes[bytes.size() - 3] ^= 1;
  folder.write("j", bytes);
  EXPECT_EQ(Journal(folder.path() / "j", kJournalPlan).size(), 0U);
}

TEST(JournalTest, AnotherPlanStartsAnew) {
  const TempFolder folder;
  Journal(folder.path() / "j", kJournalPlan).commit(0, "half of it");
  EXPECT_EQ(Journal(folder.path() / "j", std::string(32, 'b')).size(), 0U);
  EXPECT_EQ(Journal(folder.path() / "j", kJournalPlan).size(), 0U);
}

// It may hold hours of work, which this version cannot read.
TEST(JournalTest, ANewerOneIsRefusedAndKept) {
  const TempFolder folder;
  const std::string bytes = "palimpsest journal 3\nsomething else";
  folder.write("j", bytes);
  const std::string refusal = error_of([&] { Journal(folder.path() / "j", kJournalPlan); });
  expect_contains(refusal, "/j: this journal is of a newer version (expected at most version 2, ");
  expect_contains(refusal, "found 3); finish the run with the version");
  EXPECT_EQ(folder.read("j"), bytes);
  folder.write("j", "palimpsest journal 1\nsomething else");
  EXPECT_EQ(Journal(folder.path() / "j", kJournalPlan).size(), 0U);
}

TEST(JournalTest, OthersFilesAreNotOverwrittenThroughALink) {
  const TempFolder folder;
  folder.write("mine", "precious");
  std::filesystem::create_symlink("mine", folder.path() / "j");
  EXPECT_THROW(Journal(folder.path() / "j", kJournalPlan), SystemError);
  EXPECT_EQ(folder.read("mine"), "precious");
}

TEST(JournalTest, APipeIsRefusedAtOnce) {
  const TempFolder folder;
  ASSERT_EQ(::mkfifo((folder.path() / "j").c_str(), 0600), 0);
  EXPECT_THROW(Journal::open_to_read(folder.path() / "j"), SystemError);
  EXPECT_THROW(Journal(folder.path() / "j", kJournalPlan), SystemError);
}

TEST(JournalTest, TwoRunsDoNotShareAFile) {
  const TempFolder folder;
  const Journal first(folder.path() / "j", kJournalPlan);
  expect_contains(error_of([&] { Journal(folder.path() / "j", kJournalPlan); }), "another run");
}

TEST(JournalTest, ALazyOneIsMadeByItsFirstCommit) {
  const TempFolder folder;
  const std::filesystem::path journals = folder.path() / "run";
  {
    LazyJournal journal(journals, kJournalPlan);
    EXPECT_FALSE(journal.has(0));
    EXPECT_FALSE(std::filesystem::exists(journals));
    journal.commit(4, "four");
  }
  const LazyJournal again(journals, kJournalPlan);
  ASSERT_TRUE(again.has(4));
  EXPECT_EQ(again.read(4), "four");
  EXPECT_FALSE(again.has(5));
}

// Larger than what is checked at once, and written while others are read.
TEST(JournalTest, PayloadsOfAnySize) {
  const TempFolder folder;
  const auto payload = [](int64_t batch) {
    return std::string((size_t{3} << 20) + static_cast<size_t>(batch),
                       static_cast<char>('a' + batch));
  };
  {
    Journal journal(folder.path() / "j", kJournalPlan);
    for (int64_t i = 0; i < 3; ++i) {
      journal.commit(i, payload(i));
      EXPECT_EQ(journal.read(0), payload(0));
    }
  }
  const Journal again(folder.path() / "j", kJournalPlan);
  for (int64_t i = 0; i < 3; ++i) EXPECT_EQ(again.read(i), payload(i));
}

// The later one counts: a result that was refused and made again.
TEST(JournalTest, ABatchMayBeCommittedAgain) {
  const TempFolder folder;
  {
    Journal journal(folder.path() / "j", kJournalPlan);
    journal.commit(0, "bad");
    journal.commit(0, "better");
    EXPECT_EQ(journal.read(0), "better");
  }
  EXPECT_EQ(Journal(folder.path() / "j", kJournalPlan).read(0), "better");
}

TEST(JournalTest, WithoutAFolderALazyOneKeepsWhatItIsGiven) {
  LazyJournal journal("", kJournalPlan);
  EXPECT_FALSE(journal.has(1));
  journal.commit(1, "one");
  EXPECT_EQ(journal.read(1), "one");
  EXPECT_FALSE(LazyJournal("", kJournalPlan).has(1));
  EXPECT_EQ(journal.take(1), "one");
  EXPECT_FALSE(journal.has(1));  // it was moved out
}

TEST(JournalTest, AFileKeepsWhatIsTakenFromIt) {
  const TempFolder folder;
  LazyJournal journal(folder.path(), kJournalPlan);
  journal.commit(1, "one");
  EXPECT_EQ(journal.take(1), "one");
  EXPECT_EQ(journal.read(1), "one");
}

TEST(JournalTest, LieBesideTheResultUntilItIsWhole) {
  const TempFolder folder;
  const std::filesystem::path result = folder.path() / "out.jsonl";
  EXPECT_EQ(journal_folder(result), folder.path() / "out.jsonl.run");
  EXPECT_EQ(journal_folder(folder.path() / "traces/"), folder.path() / "traces.run");
  LazyJournal(journal_folder(result), kJournalPlan).commit(0, "x");
  folder.write("out.jsonl", "whole");
  remove_journals(result);
  EXPECT_FALSE(std::filesystem::exists(journal_folder(result)));
  EXPECT_EQ(folder.read("out.jsonl"), "whole");
  remove_journals(result);  // and where there are none
}

}  // namespace
}  // namespace palimpsest::run
