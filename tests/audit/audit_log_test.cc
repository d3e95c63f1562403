#include "palimpsest/audit/internal/audit_log.h"

#include <gtest/gtest.h>

namespace palimpsest::audit {
namespace {

class AuditLogTest : public testing::Test {
 protected:
  std::string without_folders(const std::string& note) {
    log_.keep({note});
    return log_.without_folders().back();
  }

  const AuditContext context_ = {};
  AuditLog log_{context_};
};

TEST_F(AuditLogTest, InputsAreCalledByTheNamesThatResultsUse) {
  log_.add_input("data/forget/data.jsonl", "forget/data.jsonl");
  log_.add_input("data/holdout/data.jsonl", "holdout/data.jsonl");
  EXPECT_EQ(without_folders("data/forget/data.jsonl: 3 of 30"), "forget/data.jsonl: 3 of 30");
  EXPECT_EQ(without_folders("data/holdout/data.jsonl: 3 of 30"), "holdout/data.jsonl: 3 of 30");
  EXPECT_EQ(without_folders("read from 'data/forget/data.jsonl'"), "read from 'forget/data.jsonl'");
}

TEST_F(AuditLogTest, ASlashAtTheEndOfAFolderDoesNotCount) {
  log_.add_input("runs/mine/", "mine");
  EXPECT_EQ(without_folders("runs/mine: a tensor is not used"), "mine: a tensor is not used");
  EXPECT_EQ(without_folders("runs/mine/: 3 of 30"), "mine: 3 of 30");
  EXPECT_EQ(without_folders("runs/mine/model.safetensors: a tensor"),
            "mine/model.safetensors: a tensor");
  EXPECT_EQ(without_folders("runs/mine//tokenizer_config.json: a class"),
            "mine/tokenizer_config.json: a class");
  EXPECT_EQ(without_folders("it is runs/mine"), "it is mine");
}

TEST_F(AuditLogTest, OnlyWholePathsAreReplaced) {
  log_.add_input("runs/tofu", "tofu");
  log_.add_input("runs/tofu-data/forget.jsonl", "forget.jsonl");
  EXPECT_EQ(without_folders("runs/tofu-data/forget.jsonl: 3 of 30"), "forget.jsonl: 3 of 30");
  EXPECT_EQ(without_folders("runs/tofu-2/config.json: a note"), "runs/tofu-2/config.json: a note");
  EXPECT_EQ(without_folders("old/runs/tofu: a note"), "old/runs/tofu: a note");
}

TEST_F(AuditLogTest, APathOfOnePartIsNotAWordOfTheSameLetters) {
  log_.add_input("model", "runs/model");
  for (const char* note : {"a llama model does not have it", "there is one model", "model by model",
                           "each model: a note", "(model) and model, too", "a 'model of words'"})
    EXPECT_EQ(without_folders(note), note);
  EXPECT_EQ(without_folders("model: a llama model does not have 'model'"),
            "runs/model: a llama model does not have 'runs/model'");
  EXPECT_EQ(without_folders("model/config.json: a note"), "runs/model/config.json: a note");
  EXPECT_EQ(without_folders("--model: model: a note"), "--model: runs/model: a note");
  EXPECT_EQ(without_folders("the tokenizer (model/tokenizer.json)"),
            "the tokenizer (runs/model/tokenizer.json)");
}

TEST_F(AuditLogTest, ThePathOfAFileInAFolderComesBeforeTheFolder) {
  log_.add_input("/w/m", "m");
  log_.add_input("/w/m/forget.jsonl", "forget.jsonl");
  EXPECT_EQ(without_folders("/w/m/forget.jsonl: 3 of 30"), "forget.jsonl: 3 of 30");
  EXPECT_EQ(without_folders("/w/m/model.safetensors: a tensor"), "m/model.safetensors: a tensor");
}

TEST_F(AuditLogTest, FoldersThatTheInputLedToAreCalledByTheirLastPart) {
  log_.add_folder("/bases/llama/");
  log_.add_folder("/runs/a/final");
  log_.add_input("/runs/a/final", "a/final");
  log_.add_folder("/runs/a/final");
  EXPECT_EQ(without_folders("/bases/llama: a tensor"), "llama: a tensor");
  EXPECT_EQ(without_folders("/runs/a/final: a tensor"), "a/final: a tensor");
}

}  // namespace
}  // namespace palimpsest::audit
