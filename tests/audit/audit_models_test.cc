#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "palimpsest/audit/audit.h"
#include "palimpsest/model/internal/fake_model.h"
#include "tests/audit/audit_inputs.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::audit {
namespace {

// Fake models that fingerprints tell apart, as they do those of checkpoints.
class FileLoader : public model::FakeModelLoader {
 public:
  std::vector<std::filesystem::path> files(const std::filesystem::path& folder) override {
    return {folder / "weights"};
  }
};

// A fake model that asks for the audit to stop once it has scored something.
class StoppingLoader : public FileLoader {
 public:
  std::unique_ptr<model::LanguageModel> load(const std::filesystem::path& folder,
                                             const model::ModelOptions& options) override {
    source_.request_stop();  // between the first and the second model
    return FakeModelLoader::load(folder, options);
  }
  std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
};

class LoaderWithoutGradients : public FileLoader {
 public:
  void check(const model::ModelOptions&, bool gradients) const override {
    if (gradients) throw Error("there are no gradients here");
  }
};

class AuditModelsTest : public testing::Test {
 protected:
  AuditModelsTest() {
    for (const std::string name : {"model", "reference", "baseline"}) {
      std::filesystem::copy(example_file("tiny-tokenizer"), folder_.path() / name);
      folder_.write(name + "/weights", name);
    }
  }

  AuditModel model(ModelRole role, const std::string& name) const {
    return {.role = role, .name = (folder_.path() / name).string()};
  }

  AuditModels models() const {
    AuditModels models;
    models.models = {model(ModelRole::kAudited, "model")};
    models.data = {.forget = {folder_.write("forget.jsonl", questions(30, 1)).string()},
                   .holdout = {folder_.write("holdout.jsonl", questions(30, 2)).string()}};
    return models;
  }

  AuditModels three_models() const {
    AuditModels all = models();
    all.models.push_back(model(ModelRole::kReference, "reference"));
    all.models.push_back(model(ModelRole::kBaseline, "baseline"));
    return all;
  }

  std::set<std::string> names_in(const std::filesystem::path& folder) const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      names.insert(entry.path().filename().string());
    return names;
  }

  const TempFolder folder_;
  FileLoader loader_;
};

bool has_note(const std::vector<std::string>& notes, const std::string& part) {
  return std::ranges::any_of(
      notes, [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

TEST_F(AuditModelsTest, EveryAttackFromModelsAndDataWritesNothing) {
  const AuditSpec spec{.source = three_models()};
  const std::set<std::string> before = names_in(folder_.path());
  const Audit done = audit(spec, {.loader = &loader_});
  EXPECT_EQ(names_in(folder_.path()), before);
  EXPECT_EQ(done.report.outcomes.size(), attack::default_attack_table().size());
  EXPECT_EQ(done.report.model, "model");  // without its folders
  EXPECT_EQ(done.report.baseline_model, "baseline");
  EXPECT_EQ(done.report.reference_model, "reference");
  // One pass per model and example; gradients of the audited model and of the baseline.
  EXPECT_EQ(loader_.counts().scored_sequences, 180);
  EXPECT_EQ(loader_.counts().backward_sequences, 120);
}

TEST_F(AuditModelsTest, TraceFilesAreNamedByRoleAndGiveTheSame) {
  const AuditSpec spec{.source = three_models()};
  const Audit memory = audit(spec, {.loader = &loader_});
  const std::filesystem::path traces = folder_.path() / "out" / "traces";
  const Audit files = audit(spec, {.loader = &loader_, .traces = traces});
  EXPECT_EQ(found_by(files), found_by(memory));
  EXPECT_EQ(names_in(traces),
            (std::set<std::string>{"forget.jsonl", "holdout.jsonl", "reference-forget.jsonl",
                                   "reference-holdout.jsonl", "baseline-forget.jsonl",
                                   "baseline-holdout.jsonl"}));
  EXPECT_EQ(names_in(folder_.path() / "out"), std::set<std::string>{"traces"});  // no journal
  EXPECT_EQ(trace::file_of(files.traces.reference.holdout), traces / "reference-holdout.jsonl");
  // The same call finds the files and runs no model.
  const int64_t before = loader_.counts().scored_sequences;
  EXPECT_EQ(found_by(audit(spec, {.loader = &loader_, .traces = traces})), found_by(files));
  EXPECT_EQ(loader_.counts().scored_sequences, before);
  // And auditing the files is the same audit.
  EXPECT_EQ(found_without_warnings(audit({.source = files.traces})), found_without_warnings(files));
}

TEST_F(AuditModelsTest, StoppedItGoesOnFromItsJournal) {
  AuditModels two = models();
  two.models.push_back(model(ModelRole::kReference, "reference"));
  const AuditSpec spec{.source = two, .attacks = "loss,reference"};
  const std::filesystem::path journal = folder_.path() / "journal";
  StoppingLoader stopping;
  EXPECT_THROW(audit(spec, {.loader = &stopping, .journal = journal, .stop = stopping.token()}),
               Stopped);
  EXPECT_EQ(stopping.counts().scored_sequences, 60);

  std::vector<std::string> said;
  const Audit done = audit(
      spec, {.loader = &loader_, .journal = journal, .log = [&](LogLevel, const std::string& text) {
               said.push_back(text);
             }});
  EXPECT_EQ(loader_.counts().scored_sequences, 60);  // the reference alone
  EXPECT_TRUE(has_note(said, "60 of 60 sequences had been run before"));
  FileLoader fresh;
  EXPECT_EQ(found_by(done), found_by(audit(spec, {.loader = &fresh})));
  EXPECT_EQ(fresh.counts().scored_sequences, 120);
}

TEST_F(AuditModelsTest, ExamplesThatArePreparedNeedNoFile) {
  const AuditModels files = models();
  const data::DataPreparation preparation({}, folder_.path() / "model");
  AuditModels prepared = files;
  prepared.data.forget = {"first", preparation.prepare(files.data.forget.name).examples};
  prepared.data.holdout = {"second", preparation.prepare(files.data.holdout.name).examples};
  const Audit expected = audit({.source = files, .attacks = "loss"}, {.loader = &loader_});
  const Audit done = audit({.source = prepared, .attacks = "loss"}, {.loader = &loader_});
  EXPECT_EQ(found_without_warnings(done), found_without_warnings(expected));
}

TEST_F(AuditModelsTest, WarningsAreToldAtOnceAndStandInTheNotes) {
  AuditModels short_ones = models();
  short_ones.preparation.prompt_template = data::TemplateKind::kTags;
  short_ones.preparation.max_length = 6;
  folder_.write("model/tokenizer_config.json",
                R"({"tokenizer_class": "Unheard", "eos_token": "</s>", "unk_token": "<unk>"})");
  std::vector<std::string> warned;
  const Audit done =
      audit({.source = short_ones, .attacks = "loss"},
            {.loader = &loader_, .log = [&](LogLevel level, const std::string& text) {
               if (level == LogLevel::kWarning) warned.push_back(text);
             }});
  EXPECT_TRUE(has_note(done.notes, "as long as the maximum length allows"));
  EXPECT_TRUE(has_note(warned, "as long as the maximum length allows"));
  EXPECT_TRUE(has_note(done.notes, "the tokenizer class 'Unheard' is not known"));
  for (const std::string& note : done.report.notes) EXPECT_TRUE(has_note(done.notes, note));
  EXPECT_FALSE(has_note(done.report.notes, "as long as the maximum length allows"));
  // The report has them, too, whatever folder the input lies in.
  EXPECT_TRUE(has_note(done.report.warnings, "model/tokenizer_config.json: the tokenizer class"));
  EXPECT_TRUE(has_note(done.report.warnings, "forget.jsonl: 30 of 30 examples are as long as"));
  EXPECT_FALSE(has_note(done.report.warnings, folder_.path().string()));
  EXPECT_TRUE(has_note(done.notes, folder_.path().string()));
  const std::string json = attack::mia_to_json(done.report);
  const auto stored = attack::mia_from_json(json, "mia.json");
  EXPECT_EQ(stored.value().report.warnings, done.report.warnings);
  EXPECT_EQ(attack::mia_to_json(stored.value().report), json);
}

TEST_F(AuditModelsTest, NotesOnTheModelsAreThereEvenIfNothingIsLoaded) {
  struct OddLoader : FileLoader {
    std::vector<std::string> notes(const std::filesystem::path& folder,
                                   const model::ModelOptions&) override {
      return {folder.filename().string() + ": a tensor is not used"};
    }
  };
  OddLoader loader;
  const AuditSpec spec{.source = three_models(), .attacks = "loss,reference"};
  const AuditContext context{.loader = &loader, .traces = folder_.path() / "traces"};
  const Audit first = audit(spec, context);
  for (const char* name : {"model", "reference", "baseline"})
    EXPECT_TRUE(has_note(first.notes, name + std::string(": a tensor is not used"))) << name;
  const int64_t scored = loader.counts().scored_sequences;
  EXPECT_EQ(audit(spec, context).notes, first.notes);
  EXPECT_EQ(loader.counts().scored_sequences, scored);
  // A shard has no report to say it in.
  AuditContext part{.loader = &loader, .traces = folder_.path() / "parts"};
  part.work.shard = run::Shard{.number = 1, .count = 2};
  EXPECT_TRUE(has_note(audit_shard(spec, part).notes, "model: a tensor is not used"));
}

TEST_F(AuditModelsTest, WhatTheLoaderCannotDoIsLeftOutWithANote) {
  LoaderWithoutGradients loader;
  const Audit done = audit({.source = models()}, {.loader = &loader});
  EXPECT_TRUE(has_note(done.notes, "gradnorm is left out: there are no gradients here"));
  expect_contains(
      error_of([&] { audit({.source = models(), .attacks = "gradnorm"}, {.loader = &loader}); }),
      "there are no gradients here");
}

TEST_F(AuditModelsTest, TooFewExamplesAreWarnedOfBeforeTheRun) {
  AuditModels few = models();
  few.data.forget.name = folder_.write("few.jsonl", questions(2, 3)).string();
  const Audit done = audit({.source = few, .attacks = "loss"}, {.loader = &loader_});
  EXPECT_TRUE(has_note(done.notes, "cannot tell any AUC from 0.5"));
}

TEST_F(AuditModelsTest, RecordsAreClusteredByTheirKeys) {
  AuditSpec spec{.source = models(), .attacks = "loss"};
  spec.options.clusters.key = "topic";
  spec.options.group_keys = {"topic"};
  EXPECT_EQ(audit(spec, {.loader = &loader_}).report.clusters.count(), 2);
  spec.options.clusters.key = "writer";
  expect_contains(error_of([&] { audit(spec, {.loader = &loader_}); }), "has no 'writer'");
}

TEST_F(AuditModelsTest, RefusesBeforeAModelRuns) {
  const auto refusal = [&](const AuditModels& source) {
    return error_of([&] { audit({.source = source}, {.loader = &loader_}); });
  };
  AuditModels same = models();
  same.data.holdout = same.data.forget;
  expect_contains(refusal(same), "every text of one set is also in the other one");
  AuditModels twice = models();
  twice.models.push_back(twice.models[0]);
  expect_contains(refusal(twice), "one audited model");
  AuditModels references = three_models();
  references.models.push_back(references.models[1]);
  expect_contains(refusal(references), "at most one reference model");
  AuditModels nowhere = models();
  nowhere.models[0].name = "./nowhere";
  expect_contains(refusal(nowhere), "nowhere");
  expect_contains(error_of([&] { audit({.source = models()}); }), "needs a loader");
  EXPECT_EQ(loader_.loads(), 0);
}

}  // namespace
}  // namespace palimpsest::audit
