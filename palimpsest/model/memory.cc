#include "palimpsest/model/internal/memory.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>

#include "palimpsest/base/internal/checked.h"

namespace palimpsest::model {
namespace {

using Path = std::filesystem::path;

// How a version of control groups names things.
struct GroupNames {
  const char* limit;
  const char* usage;
  const char* reclaimable;  // a line of memory.stat
};

constexpr GroupNames kVersion1 = {"memory.limit_in_bytes", "memory.usage_in_bytes",
                                  "total_inactive_file"};
constexpr GroupNames kVersion2 = {"memory.max", "memory.current", "inactive_file"};

std::optional<int64_t> to_number(std::string_view text) {
  int64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end == text.data() || value < 0) return std::nullopt;
  return value;
}

// The number after `name` at the start of a line: "MemAvailable:   123 kB", "inactive_file 123".
std::optional<int64_t> number_after(const Path& file, const std::string& name) {
  std::ifstream stream(file);
  std::string line;
  while (std::getline(stream, line)) {
    std::istringstream words(line);
    std::string first;
    std::string second;
    if (words >> first >> second && first == name) return to_number(second);
  }
  return std::nullopt;
}

// The number that is the whole file; "max" is none.
std::optional<int64_t> number_in(const Path& file) {
  std::ifstream stream(file);
  std::string word;
  if (!(stream >> word)) return std::nullopt;
  return to_number(word);
}

std::optional<int64_t> left_in_group(const Path& folder, const GroupNames& names) {
  const auto limit = number_in(folder / names.limit);
  const auto usage = number_in(folder / names.usage);
  if (!limit || !usage) return std::nullopt;
  const int64_t reclaimable = number_after(folder / "memory.stat", names.reclaimable).value_or(0);
  const int64_t taken = std::max(int64_t{0}, *usage - reclaimable);
  return std::max(int64_t{0}, *limit - taken);
}

// The least that is left in a group and those it lies in. Inside a container the path may be one of
// the host's that is not there; the top of the mount is then the container's own group.
std::optional<int64_t> left_in_groups(const Path& mount, const std::string& group,
                                      const GroupNames& names) {
  std::optional<int64_t> least = left_in_group(mount, names);
  Path folder = mount;
  for (const Path& part : Path(group).relative_path()) {
    folder /= part;
    const auto left = left_in_group(folder, names);
    if (left) least = std::min(least.value_or(*left), *left);
  }
  return least;
}

// Lines are "4:memory:/path" (version 1) or "0::/path" (version 2).
std::optional<int64_t> left_in_own_groups(const Path& root) {
  std::optional<int64_t> least;
  std::ifstream stream(root / "proc/self/cgroup");
  std::string line;
  while (std::getline(stream, line)) {
    const size_t first = line.find(':');
    const size_t second = line.find(':', first == std::string::npos ? first : first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string group = line.substr(second + 1);
    const Path base = root / "sys/fs/cgroup";
    std::optional<int64_t> left;
    if (controllers == ",,") {
      left = left_in_groups(base, group, kVersion2);
    } else if (controllers.find(",memory,") != std::string::npos) {
      left = left_in_groups(base / "memory", group, kVersion1);
    }
    if (left) least = std::min(least.value_or(*left), *left);
  }
  return least;
}

// Numbers per token: residual stream, its norm, the rows of which logits are taken, a projection
// that waits to be added; queries, keys and values; what attention gives; the MLP before and after
// its activation. Work space is kept from one layer to the next, so all of it counts.
int64_t work_space(const Architecture& a) {
  const int64_t attention =
      checked_add(a.layer.query_key_value.outputs(), a.num_heads * a.head_dim);
  const int64_t mlp = checked_add(a.layer.mlp_in.outputs(), a.mlp_size);
  return checked_add(4 * a.hidden_size, checked_add(attention, mlp));
}

}  // namespace

MemoryNeed memory_need(const Architecture& architecture, int64_t number_bytes, bool stored_16bit) {
  Architecture no_layers = architecture;
  no_layers.num_layers = 0;
  Architecture one_layer = architecture;
  one_layer.num_layers = std::min(architecture.num_layers, int64_t{1});
  constexpr int64_t k16BitBytes = 2;
  const auto weights = [](const Architecture& a, int64_t bytes_each) {
    return checked_mul(num_parameters(a), bytes_each);
  };
  const int64_t cached = checked_mul(2 * architecture.num_layers,
                                     checked_mul(architecture.num_kv_heads, architecture.head_dim));
  return {.resident_weights = weights(architecture, number_bytes),
          .weights_16bit = stored_16bit ? weights(architecture, k16BitBytes) : 0,
          .streamed_weights = weights(one_layer, number_bytes) - weights(no_layers, number_bytes),
          .scoring_per_token = checked_mul(work_space(architecture), number_bytes),
          .cache_per_token = checked_mul(cached, number_bytes)};
}

Residence best_residence(const MemoryNeed& need, int64_t bytes) {
  const auto fits = [&](int64_t weights, int64_t tokens) {
    return checked_add(weights, checked_mul(need.scoring_per_token, tokens)) <= bytes;
  };
  if (fits(need.resident_weights, kDefaultBatchTokens)) return Residence::kResident;
  if (need.weights_16bit > 0 && fits(need.weights_16bit, kDefaultBatchTokens))
    return Residence::k16Bit;
  return fits(need.streamed_weights, kMinBatchTokens) ? Residence::kStreamed : Residence::kNone;
}

int64_t weight_bytes(const MemoryNeed& need, Residence residence) {
  switch (residence) {
    case Residence::kResident:
      return need.resident_weights;
    case Residence::k16Bit:
      return need.weights_16bit;
    case Residence::kStreamed:
      return need.streamed_weights;
    case Residence::kNone:
      return 0;
  }
  return 0;
}

int64_t memory_to_use(const MemoryNeed& need, int64_t limit) {
  if (limit > 0) return limit;
  if (const std::optional<int64_t> free = free_memory()) return *free / 10 * 9;
  return checked_add(need.resident_weights,
                     checked_mul(need.scoring_per_token, 2 * kDefaultBatchTokens));
}

std::optional<int64_t> free_memory(const std::filesystem::path& root) {
  std::optional<int64_t> least = number_after(root / "proc/meminfo", "MemAvailable:");
  if (least) *least = *least > std::numeric_limits<int64_t>::max() / 1024 ? *least : *least * 1024;
  const std::optional<int64_t> left = left_in_own_groups(root);
  if (left) least = std::min(least.value_or(*left), *left);
  return least;
}

}  // namespace palimpsest::model
