#include "palimpsest/evidence/verify.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>

#include "palimpsest/attack/mia_files.h"
#include "palimpsest/audit/audit.h"
#include "palimpsest/base/internal/file.h"
#include "palimpsest/evidence/provenance.h"
#include "tests/evidence/contains_all.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::evidence {
namespace {

namespace fs = std::filesystem;

// An audit of the example traces, whose copies lie in the pack as if a model had been run.
class VerifyTest : public testing::Test {
 protected:
  void SetUp() override {
    const fs::path traces = fs::path(PALIMPSEST_EXAMPLES_DIR) / "traces";
    fs::create_directories(folder_.path() / "traces");
    for (const char* name : {"forget.jsonl", "holdout.jsonl"})
      fs::copy_file(traces / name, folder_.path() / "traces" / name);
    spec_.source =
        audit::AuditTraces{.audited = {.forget = folder_.path() / "traces" / "forget.jsonl",
                                       .holdout = folder_.path() / "traces" / "holdout.jsonl"}};
    spec_.attacks = "loss,min_k:k=0.3";
    spec_.options.clusters.independent = true;
    spec_.options.margin = 0.06;
    write();
  }

  void write(const attack::AttackTable& attacks = attack::default_attack_table()) {
    const audit::Audit done = audit::audit(spec_, {.attacks = attacks});
    folder_.write("mia.json", attack::mia_to_json(done.report, done.record));
    folder_.write("scores.csv", attack::mia_to_csv(done.report));
    finish();
  }

  void finish() {
    Provenance provenance{
        .kind = "mia", .started = "2026-11-17T17:50:00Z", .settings = settings_of(spec_)};
    provenance.inputs = {{.role = "model"}};
    provenance.files = hash_results(folder_.path(), {"mia.json", "scores.csv", "traces"});
    finish_run(folder_.path(), provenance);
  }

  PackCheck check() const { return verify_pack(folder_.path()); }

  TempFolder folder_;
  audit::AuditSpec spec_;
};

TEST_F(VerifyTest, AnUntouchedPackMatches) {
  const PackCheck found = check();
  EXPECT_TRUE(found.matches()) << check_to_text(found, "pack");
  ASSERT_EQ(found.recomputed.size(), 2U);
  EXPECT_EQ(found.recomputed[0].what, "mia.json");
  EXPECT_EQ(found.files, 4U);
  EXPECT_EQ(found.digest.size(), 64U);
  EXPECT_FALSE(found.not_recomputed.empty());
  expect_all(check_to_text(found, "pack"), {"all 4 files", "not forgery", found.digest.c_str()});
  expect_all(check_to_json(found, "pack"), {"\"matches\": true"});
}

TEST_F(VerifyTest, ItMayBeMoved) {
  const TempFolder other;
  fs::copy(folder_.path(), other.path() / "copy", fs::copy_options::recursive);
  EXPECT_TRUE(verify_pack(other.path() / "copy").matches());
}

TEST_F(VerifyTest, ChangedMissingAndAddedFilesAreNamed) {
  folder_.write("mia.json", folder_.read("mia.json") + " ");
  folder_.write("notes.txt", "");
  fs::remove(folder_.path() / "scores.csv");
  const PackCheck found = check();
  EXPECT_FALSE(found.matches());
  EXPECT_EQ(found.changed, std::vector<std::string>{"mia.json"});
  EXPECT_EQ(found.missing, std::vector<std::string>{"scores.csv"});
  EXPECT_EQ(found.added, std::vector<std::string>{"notes.txt"});
  expect_all(check_to_text(found, "pack"), {"changed: mia.json", "missing: scores.csv"});
}

TEST_F(VerifyTest, ResultsThatDoNotBelongToTheTracesAreFound) {
  // Somebody puts in the results of other settings, with right hashes.
  audit::AuditSpec other = spec_;
  other.options.margin = 0.2;
  const audit::Audit done = audit::audit(other);
  folder_.write("mia.json", attack::mia_to_json(done.report, done.record));
  finish();
  const PackCheck found = check();
  EXPECT_TRUE(found.changed.empty());
  EXPECT_FALSE(found.recomputed[0].equal);
  EXPECT_FALSE(found.matches());
}

attack::AttackTable with_own_attack() {
  attack::AttackTable attacks = attack::default_attack_table();
  attacks.push_back({.name = "own",
                     .measures = "the number of tokens",
                     .score = [](const trace::Trace& trace, const attack::ParameterValues&) {
                       return std::optional<double>(static_cast<double>(trace.num_labels));
                     }});
  return attacks;
}

// "all" are those of the program that made the audit.
TEST_F(VerifyTest, AttacksThatTheAuditsProgramLackedChangeNothing) {
  spec_.attacks = "all";
  spec_.parameters = {{"k", 0.3}, {"p", 2}};
  write();
  const std::string stored = folder_.read("mia.json");
  EXPECT_NE(stored.find(" left out: "), std::string::npos);
  const PackCheck found = verify_pack(folder_.path(), {.attacks = with_own_attack()});
  EXPECT_TRUE(found.matches()) << check_to_text(found, "pack");
  EXPECT_EQ(found.recomputed.size(), 2U);
}

TEST_F(VerifyTest, AttacksThatTheProgramLacksAreNotComputedAgain) {
  const attack::AttackTable attacks = with_own_attack();
  spec_.attacks = "loss,own";
  write(attacks);
  const PackCheck found = check();
  EXPECT_TRUE(found.matches()) << check_to_text(found, "pack");
  EXPECT_TRUE(found.recomputed.empty());
  expect_all(check_to_text(found, "pack"), {"does not have the attack own"});
  // A program that has the attack computes the results again.
  EXPECT_EQ(verify_pack(folder_.path(), {.attacks = attacks}).recomputed.size(), 2U);
}

// Its note would be missing.
TEST_F(VerifyTest, AnAttackThatWasLeftOutMustBeKnownToo) {
  attack::AttackTable attacks = with_own_attack();
  const auto never = [](const trace::Trace&, const attack::ParameterValues&) { return false; };
  attacks.back().needs = {{.name = "'own'", .is_met = never}};
  spec_.attacks = "all";
  spec_.parameters = {{"k", 0.3}, {"p", 2}};
  write(attacks);
  const PackCheck found = check();
  EXPECT_TRUE(found.matches()) << check_to_text(found, "pack");
  expect_all(check_to_text(found, "pack"), {"does not have the attack own"});
  EXPECT_TRUE(verify_pack(folder_.path(), {.attacks = attacks}).matches());
}

TEST_F(VerifyTest, AChangedProvenanceIsNamed) {
  std::string text = folder_.read("provenance.json");
  text[text.find("2026")] = '1';
  folder_.write("provenance.json", text);
  const PackCheck found = check();
  EXPECT_EQ(found.changed, std::vector<std::string>{"provenance.json"});
  EXPECT_TRUE(found.digest.empty());
  EXPECT_FALSE(found.matches());
}

// Whoever writes a provenance.json can give it a right digest.
TEST_F(VerifyTest, SizesThatNobodyHas) {
  Provenance provenance{.kind = "report", .started = "2026-11-17T17:50:00Z"};
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  provenance.files = {{"a", kMost, ""}, {"b", kMost, ""}, {"../../b", kMost, ""}};
  finish_run(folder_.path(), provenance);
  EXPECT_EQ(check().missing, (std::vector<std::string>{"a", "b", "../../b"}));
  provenance.files[1].bytes = -1;
  finish_run(folder_.path(), provenance);
  expect_all(check().failures.at(0),
             {"files: bytes: this is not the size of a file (expected a whole number, found -1)"});
}

TEST_F(VerifyTest, AFolderWithoutProvenanceIsRefused) {
  const TempFolder empty;
  expect_all(error_of([&] { verify_pack(empty.path()); }), {"provenance.json"});
}

TEST_F(VerifyTest, TracesThatLieElsewhereAreNotNeeded) {
  Provenance provenance{.kind = "mia", .settings = settings_of(spec_)};
  provenance.inputs = {{.role = "forget traces", .path = "/nowhere/forget.jsonl"},
                       {.role = "holdout traces", .path = "/nowhere/holdout.jsonl"}};
  fs::remove_all(folder_.path() / "traces");
  provenance.files = hash_results(folder_.path(), {"mia.json", "scores.csv"});
  finish_run(folder_.path(), provenance);
  const PackCheck found = check();
  EXPECT_TRUE(found.matches());
  EXPECT_TRUE(found.recomputed.empty());
  expect_all(check_to_text(found, "pack"), {"not computed again", "/nowhere/forget.jsonl"});
}

}  // namespace
}  // namespace palimpsest::evidence
