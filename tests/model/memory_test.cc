#include "palimpsest/model/internal/memory.h"

#include <gtest/gtest.h>

#include "palimpsest/base/internal/file.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::model {
namespace {

Architecture small_llama(const std::string& more = "") {
  return read_architecture(
      R"({"model_type": "llama", "vocab_size": 100, "hidden_size": 16, "num_hidden_layers": 3,
          "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 40)" +
          more + "}",
      "config.json");
}

// A root with these files.
class FakeRoot {
 public:
  void write(const std::string& path, const std::string& text) {
    make_folder((folder_.path() / path).parent_path());
    folder_.write(path, text);
  }
  std::optional<int64_t> free() const { return free_memory(folder_.path()); }

 private:
  TempFolder folder_;
};

constexpr const char* kMemInfo =
    "MemTotal:       16000000 kB\nMemFree:  1 kB\nMemAvailable:    1000 kB\n";

TEST(MemoryTest, CountsWeights) {
  const int64_t layer = 16 * 16 + 2 * 16 * 8 + 16 * 16 + 3 * 16 * 40 + 2 * 16;
  const int64_t outside = 2 * 100 * 16 + 16;
  const MemoryNeed need = memory_need(small_llama());
  EXPECT_EQ(need.resident_weights, 4 * (3 * layer + outside));
  EXPECT_EQ(need.streamed_weights, 4 * layer);
  EXPECT_EQ(memory_need(small_llama(), 2).resident_weights, need.resident_weights / 2);
  // A tied head takes nothing more.
  EXPECT_EQ(memory_need(small_llama(R"(, "tie_word_embeddings": true)")).resident_weights,
            need.resident_weights - int64_t{4} * 100 * 16);
}

TEST(MemoryTest, CountsWorkSpaceAndCache) {
  const MemoryNeed need = memory_need(small_llama());
  // Four times the residual stream; queries, keys and values, what attention gives; gate and up,
  // their product.
  EXPECT_EQ(need.scoring_per_token, 4 * (4 * 16 + 32 + 16 + 80 + 40));
  EXPECT_EQ(need.cache_per_token, 4 * 3 * 2 * 2 * 4);
}

TEST(MemoryTest, ChoosesTheBestThatFits) {
  const MemoryNeed need{.resident_weights = 1000, .streamed_weights = 40, .scoring_per_token = 2};
  const int64_t whole = 1000 + 2 * kDefaultBatchTokens;
  const int64_t streamed = 40 + 2 * kMinBatchTokens;
  EXPECT_EQ(best_residence(need, whole), Residence::kResident);
  EXPECT_EQ(best_residence(need, whole - 1), Residence::kStreamed);
  EXPECT_EQ(best_residence(need, streamed), Residence::kStreamed);
  EXPECT_EQ(best_residence(need, streamed - 1), Residence::kNone);
  EXPECT_THROW(best_residence({.scoring_per_token = int64_t{1} << 62}, whole), Error);
}

TEST(MemoryTest, KeepsWeightsShortBeforeItStreamsThem) {
  const MemoryNeed need{.resident_weights = 1000,
                        .weights_16bit = 500,
                        .streamed_weights = 40,
                        .scoring_per_token = 2};
  const int64_t whole = 1000 + 2 * kDefaultBatchTokens;
  const int64_t narrow = 500 + 2 * kDefaultBatchTokens;
  const int64_t streamed = 40 + 2 * kMinBatchTokens;
  EXPECT_EQ(best_residence(need, whole), Residence::kResident);
  EXPECT_EQ(best_residence(need, whole - 1), Residence::k16Bit);
  EXPECT_EQ(best_residence(need, narrow), Residence::k16Bit);
  EXPECT_EQ(best_residence(need, narrow - 1), Residence::kStreamed);
  EXPECT_EQ(best_residence(need, streamed), Residence::kStreamed);
  EXPECT_EQ(best_residence(need, streamed - 1), Residence::kNone);
}

TEST(MemoryTest, CountsShortWeights) {
  const MemoryNeed wide = memory_need(small_llama());
  EXPECT_EQ(wide.weights_16bit, 0);
  const MemoryNeed narrow = memory_need(small_llama(), 4, true);
  EXPECT_EQ(2 * narrow.weights_16bit, narrow.resident_weights);
  EXPECT_EQ(narrow.resident_weights, wide.resident_weights);
  EXPECT_EQ(narrow.streamed_weights, wide.streamed_weights);  // a layer is widened as it is read
  EXPECT_EQ(narrow.scoring_per_token, wide.scoring_per_token);
}

TEST(MemoryTest, WeightsOfEachResidence) {
  const MemoryNeed need{.resident_weights = 1000, .weights_16bit = 500, .streamed_weights = 40};
  EXPECT_EQ(weight_bytes(need, Residence::kResident), 1000);
  EXPECT_EQ(weight_bytes(need, Residence::k16Bit), 500);
  EXPECT_EQ(weight_bytes(need, Residence::kStreamed), 40);
  EXPECT_EQ(weight_bytes(need, Residence::kNone), 0);
}

TEST(MemoryTest, UsesTheLimitOrWhatIsFree) {
  EXPECT_EQ(memory_to_use({.resident_weights = 5}, 77), 77);
  const std::optional<int64_t> free = free_memory();
  if (!free) GTEST_SKIP() << "the system does not say";
  // Other processes come and go between two looks.
  EXPECT_GT(memory_to_use({.resident_weights = 5}, 0), *free / 2);
  EXPECT_LT(memory_to_use({.resident_weights = 5}, 0), 2 * *free);
}

TEST(MemoryTest, RefusesSizesThatDoNotFit) {
  const Architecture huge = read_architecture(
      R"({"model_type": "llama", "vocab_size": 2147483647, "hidden_size": 536870911,
          "num_hidden_layers": 10000, "num_attention_heads": 1, "head_dim": 2,
          "intermediate_size": 1073741823})",
      "config.json");
  expect_contains(error_of([&] { memory_need(huge, 8); }), "too large");
}

TEST(MemoryTest, TakesWhatTheSystemSays) {
  FakeRoot root;
  EXPECT_EQ(root.free(), std::nullopt);
  root.write("proc/meminfo", kMemInfo);
  EXPECT_EQ(root.free(), 1'024'000);
  root.write("proc/self/cgroup", "nonsense\n4:cpu:/\n");
  EXPECT_EQ(root.free(), 1'024'000);
}

TEST(MemoryTest, HeedsALimitOfVersion2) {
  FakeRoot root;
  root.write("proc/meminfo", kMemInfo);
  root.write("proc/self/cgroup", "0::/user/job\n");
  root.write("sys/fs/cgroup/user/job/memory.max", "max\n");
  root.write("sys/fs/cgroup/user/job/memory.current", "300\n");
  EXPECT_EQ(root.free(), 1'024'000);
  // The limit of the group above counts as well.
  root.write("sys/fs/cgroup/user/memory.max", "5000\n");
  root.write("sys/fs/cgroup/user/memory.current", "3000\n");
  EXPECT_EQ(root.free(), 2000);
  root.write("sys/fs/cgroup/user/memory.stat", "anon 700\ninactive_file 500\n");
  EXPECT_EQ(root.free(), 2500);
  root.write("sys/fs/cgroup/user/memory.current", "9000\n");
  EXPECT_EQ(root.free(), 0);
}

TEST(MemoryTest, HeedsALimitOfVersion1) {
  FakeRoot root;
  root.write("proc/meminfo", kMemInfo);
  root.write("proc/self/cgroup", "5:devices:/\n4:cpu,memory:/host/path/not/here\n0::/\n");
  root.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  root.write("sys/fs/cgroup/memory/memory.usage_in_bytes", "4000\n");
  EXPECT_EQ(root.free(), 1'024'000);
  root.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "10000\n");
  root.write("sys/fs/cgroup/memory/memory.stat", "inactive_file 1\ntotal_inactive_file 1500\n");
  EXPECT_EQ(root.free(), 7500);
}

TEST(MemoryTest, ThisMachineHasSome) {
  const auto free = free_memory();
  if (!free) GTEST_SKIP() << "this system does not say";
  EXPECT_GT(*free, 0);
}

}  // namespace
}  // namespace palimpsest::model
