#include "palimpsest/evidence/provenance.h"

#include <gtest/gtest.h>

#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/sha256.h"
#include "tests/evidence/contains_all.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::evidence {
namespace {

Provenance some() {
  return {.kind = "mia",
          .started = "2026-11-17T17:50:00Z",
          .command = {"palimpsest", "mia", "--model", "/data/my model", "--forget=/data/f.json"},
          .version = "0.1.0",
          .commit = "abc",
          .computing = {{"device", "cpu"}},
          .left_out = {"texts"},
          .plan = PlanReference{"2026-11-01T00:00:00Z", std::string(64, 'a')},
          .settings = {{"--margin", "0.05"}, {"--primary", std::nullopt}},
          .inputs = {{.role = "model",
                      .path = "/data/my model",
                      .files = {{"config.json", 2, sha256_of("{}")}},
                      .sha256 = sha256_of("{}")}},
          .files = {{"mia.json", 3, sha256_of("abc")}}};
}

TEST(ProvenanceTest, ReadsWhatItWrote) {
  const std::string text = provenance_to_text(some());
  EXPECT_EQ(provenance_to_text(provenance_from_text(text, "here")), text);
  Provenance bare{.kind = "report"};
  EXPECT_EQ(provenance_from_text(provenance_to_text(bare), "here").plan, std::nullopt);
}

TEST(ProvenanceTest, EveryChangedByteIsNoticed) {
  const std::string text = provenance_to_text(some());
  for (size_t i = 0; i < text.size(); ++i) {
    for (const char byte : {'x', ' ', '0'}) {
      if (text[i] == byte) continue;
      std::string changed = text;
      changed[i] = byte;
      EXPECT_THROW(provenance_from_text(changed, "here"), Error) << i << byte;
    }
  }
  EXPECT_THROW(provenance_from_text(text + " ", "here"), Error);
  EXPECT_THROW(provenance_from_text(text.substr(0, text.size() - 1), "here"), Error);
}

TEST(ProvenanceTest, TimeCommandAndFilesAreNotPartOfTheIdentity) {
  Provenance other = some();
  other.started = "later";
  other.command = {"palimpsest"};
  other.files.clear();
  EXPECT_EQ(identity_of(other), identity_of(some()));
  other.settings[0].value = "0.1";
  EXPECT_NE(identity_of(other), identity_of(some()));
}

TEST(ProvenanceTest, ThePageSaysWhenHowAndWhatItCannotProve) {
  std::string page;
  for (const report::PageEntry& entry : provenance_entries(some()))
    page += entry.title + ": " + entry.text + "\n";
  expect_all(page, {"2026-11-17T17:50:00Z (UTC)", "mia --model '/data/my model'",
                    "as planned on 2026-11-01T00:00:00Z", "not forgery", "--margin=0.05"});
}

TEST(ProvenanceTest, WithoutPaths) {
  const std::string text = provenance_to_text(without_paths(some()));
  EXPECT_EQ(text.find("/data"), std::string::npos) << text;
  expect_all(text, {"my model", "--forget=f.json"});
}

TEST(HashResultsTest, ListsTheEntriesInOrder) {
  const TempFolder folder;
  std::filesystem::create_directories(folder.path() / "figures" / "deep");
  folder.write("mia.json", "abc");
  folder.write("other.txt", "x");
  folder.write(".palimpsest.lock", "x");
  folder.write("figures/b.svg", "");
  folder.write("figures/.a.svg.17.partial", "");
  folder.write("figures/deep/a.svg", "abc");
  std::filesystem::create_symlink("nothing", folder.path() / "nowhere");
  const std::vector<HashedFile> files =
      hash_results(folder.path(), {"figures", "mia.json", "absent", "nowhere"});
  ASSERT_EQ(files.size(), 3U);
  EXPECT_EQ(files[0].name, "figures/b.svg");
  EXPECT_EQ(files[1].name, "figures/deep/a.svg");
  EXPECT_EQ(files[2], (HashedFile{"mia.json", 3, sha256_of("abc")}));
}

TEST(FirstStartTest, AResumedRunKeepsItsTime) {
  const TempFolder folder;
  EXPECT_EQ(first_start(folder.path(), "one", "early", true), "early");
  EXPECT_EQ(first_start(folder.path(), "one", "late", true), "early");
  EXPECT_EQ(first_start(folder.path(), "two", "late", true), "late") << "another run";
  EXPECT_EQ(first_start(folder.path(), "one", "later", true), "later") << "the note is the other's";
}

TEST(FirstStartTest, AFinishedRunThatIsRepeatedKeepsItsTime) {
  const TempFolder folder;
  Provenance provenance = some();
  const std::string identity = identity_of(provenance);
  provenance.started = first_start(folder.path(), identity, "early", true);
  finish_run(folder.path(), provenance);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / ".palimpsest.start"));
  EXPECT_EQ(first_start(folder.path(), identity, "late", false), "early");
  EXPECT_FALSE(std::filesystem::exists(folder.path() / ".palimpsest.start"));
  EXPECT_EQ(first_start(folder.path(), "another", "late", false), "late");
  folder.write("provenance.json", "broken");
  folder.write(".palimpsest.start", "broken");
  EXPECT_EQ(first_start(folder.path(), identity, "late", false), "late");
}

TEST(OwnFolderTest, ResultsOfAnotherKindAreNotReplaced) {
  const TempFolder folder;
  EXPECT_NO_THROW(require_own_folder(folder.path(), "mia"));
  finish_run(folder.path(), some());
  EXPECT_NO_THROW(require_own_folder(folder.path(), "mia"));
  expect_contains(
      error_of([&] { require_own_folder(folder.path(), "report"); }),
      "the folder holds the results of `palimpsest mia`, whose provenance.json and page "
      "would be replaced; give another folder, or remove this one first");
  for (const char* text : {"null", "{", R"({"kind": "mia"})"}) {  // of no run
    folder.write("provenance.json", text);
    EXPECT_NO_THROW(require_own_folder(folder.path(), "report"));
  }
}

TEST(OwnFolderTest, ARunThatReplacesResultsKeepsItsTime) {
  const TempFolder folder;
  const Provenance provenance = some();
  finish_run(folder.path(), provenance);
  const std::string identity = identity_of(provenance);
  EXPECT_EQ(first_start(folder.path(), identity, "late", true), provenance.started);
  begin_replacing(folder.path());
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "provenance.json"));
  EXPECT_EQ(first_start(folder.path(), identity, "late", true), provenance.started);
}

}  // namespace
}  // namespace palimpsest::evidence
