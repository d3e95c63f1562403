#include "palimpsest/audit/internal/prepared_sets.h"

#include <gtest/gtest.h>

#include "tests/audit/audit_inputs.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::audit {
namespace {

TEST(PreparedSetsTest, ExamplesThatAreGivenAreNotCopied) {
  const TempFolder folder;
  AuditModels models;
  models.data.forget = {.name = "first", .examples = std::vector<data::Example>(3)};
  models.data.holdout = {.name = folder.write("holdout.jsonl", questions(2, 1)).string()};
  const AuditContext context;
  AuditLog log(context);
  const PreparedSets prepared =
      prepare_sets(models, {}, example_file("tiny-tokenizer"), context, log);
  EXPECT_EQ(prepared.sets.forget.examples().data(), models.data.forget.examples.data());
  EXPECT_EQ(prepared.sets.holdout.examples().size(), 2U);
  EXPECT_TRUE(models.data.holdout.examples.empty());
}

}  // namespace
}  // namespace palimpsest::audit
