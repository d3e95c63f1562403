#include "palimpsest/stat/paired_permutation.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/base/random.h"

namespace palimpsest::stat {
namespace {

constexpr size_t kExactUpTo = 12;

// The sum with the signs that the bits of `pattern` say, 64 differences per word.
class FlippedSum {
 public:
  explicit FlippedSum(std::span<const double> differences) : differences_(differences) {
    double scale = 0;
    for (double difference : differences) {
      total_ += difference;
      scale += std::abs(difference);
    }
    // Sums in another order differ in their last bits; they count as equal.
    tolerance_ = 1e-12 * scale;
  }

  template <class NextWord>
  bool is_as_extreme(NextWord next_word) const {
    double sum = 0;
    uint64_t word = 0;
    for (size_t i = 0; i < differences_.size(); ++i) {
      if (i % 64 == 0) word = next_word();
      sum += (word >> (i % 64) & 1) != 0 ? differences_[i] : -differences_[i];
    }
    return std::abs(sum) >= std::abs(total_) - tolerance_;
  }

 private:
  std::span<const double> differences_;
  double total_ = 0;
  double tolerance_ = 0;
};

void require_finite(std::span<const double> differences) {
  for (size_t i = 0; i < differences.size(); ++i) {
    if (std::isfinite(differences[i])) continue;
    throw Error({.what = "a difference is NaN or infinite", .where = fmt::format("item {}", i)});
  }
}

// One sum per cluster, in the order of their numbers.
std::vector<double> cluster_sums(std::span<const double> differences,
                                 std::span<const int64_t> clusters) {
  std::map<int64_t, double> sums;
  for (size_t i = 0; i < differences.size(); ++i) {
    if (clusters[i] < 0)
      throw Error({.what = fmt::format("{} is not a cluster number", clusters[i]),
                   .where = fmt::format("item {}", i)});
    sums[clusters[i]] += differences[i];
  }
  std::vector<double> values;
  for (const auto& [cluster, sum] : sums) values.push_back(sum);
  return values;
}

}  // namespace

std::optional<double> paired_permutation_test(std::span<const double> differences,
                                              std::span<const int64_t> clusters,
                                              const PairedPermutationOptions& options) {
  if (clusters.empty()) return paired_permutation_test(differences, options);
  if (clusters.size() != differences.size()) {
    throw Error({.what = "clusters and differences do not match",
                 .expected = fmt::format("{} cluster numbers", differences.size()),
                 .found = fmt::format("{}", clusters.size())});
  }
  require_finite(differences);
  return paired_permutation_test(cluster_sums(differences, clusters), options);
}

std::optional<double> paired_permutation_test(std::span<const double> differences,
                                              const PairedPermutationOptions& options) {
  if (options.flips < 1) throw Error(fmt::format("{} permutations are too few", options.flips));
  require_finite(differences);
  if (differences.empty()) return std::nullopt;
  const FlippedSum sum(differences);
  int64_t extreme = 0;
  if (differences.size() <= kExactUpTo) {
    const uint64_t patterns = uint64_t{1} << differences.size();
    for (uint64_t pattern = 0; pattern < patterns; ++pattern)
      extreme += sum.is_as_extreme([=] { return pattern; }) ? 1 : 0;
    return static_cast<double>(extreme) / static_cast<double>(patterns);
  }
  Random random(options.seed);
  for (int64_t flip = 0; flip < options.flips; ++flip)
    extreme += sum.is_as_extreme([&] { return random.next(); }) ? 1 : 0;
  return static_cast<double>(extreme + 1) / static_cast<double>(options.flips + 1);
}

}  // namespace palimpsest::stat
