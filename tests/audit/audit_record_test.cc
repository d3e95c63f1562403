#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "palimpsest/audit/audit.h"
#include "tests/audit/audit_inputs.h"

namespace palimpsest::audit {
namespace {

std::optional<std::string> entry(const Audit& audit, const std::string& name) {
  const auto found = std::ranges::find(audit.record, name, &attack::MiaRecord::value_type::first);
  if (found == audit.record.end()) return std::nullopt;
  return found->second;
}

TEST(AuditRecordTest, SaysHowTheAuditWasMade) {
  AuditSpec spec{.source = trace_files(), .attacks = "loss,min_k", .parameters = {{"k", 0.4}}};
  spec.options.clusters.size = 4;
  spec.options.bootstrap.seed = 7;
  const Audit done = audit(spec);
  EXPECT_EQ(done.record.front().first, "palimpsest");
  EXPECT_EQ(entry(done, "forget traces"), example_file("traces/forget.jsonl").string());
  EXPECT_EQ(entry(done, "attacks"), "loss,min_k");
  EXPECT_EQ(entry(done, "k"), "0.4");
  EXPECT_EQ(entry(done, "clusters"), "blocks of 4");
  EXPECT_EQ(entry(done, "seed"), "7");
  EXPECT_EQ(entry(done, "margin"), "0.05");
  EXPECT_EQ(entry(done, "confidence"), "0.95");
  EXPECT_EQ(entry(done, "bootstrap resamples"), std::nullopt);
  EXPECT_EQ(entry(done, "template"), std::nullopt);  // nothing was prepared
}

TEST(AuditRecordTest, TracesInMemoryHaveNoFile) {
  const Audit done = audit({.source = memory_traces(), .attacks = "loss"});
  EXPECT_EQ(entry(done, "forget traces"), std::nullopt);
  EXPECT_NE(entry(done, "model"), std::nullopt);
}

}  // namespace
}  // namespace palimpsest::audit
