#include "palimpsest/base/instruction_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "palimpsest/base/error.h"

namespace palimpsest {
namespace {

constexpr InstructionSet kAll[] = {InstructionSet::kBaseline, InstructionSet::kAvx2,
                                   InstructionSet::kAvx512};

bool is_available(InstructionSet set) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  switch (set) {
    case InstructionSet::kBaseline:
      return true;
    case InstructionSet::kAvx2:
      return avx2;
    case InstructionSet::kAvx512:
      return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512vl");
  }
  return false;
#else
  return set == InstructionSet::kBaseline;
#endif
}

}  // namespace

namespace internal {
std::atomic<InstructionSet> instruction_set_in_use = available_instruction_sets().back();
}

std::string_view name_of(InstructionSet set) {
  switch (set) {
    case InstructionSet::kBaseline:
      return "baseline";
    case InstructionSet::kAvx2:
      return "avx2";
    case InstructionSet::kAvx512:
      return "avx512";
  }
  return "";
}

const std::vector<InstructionSet>& available_instruction_sets() {
  static const std::vector<InstructionSet> sets = [] {
    std::vector<InstructionSet> found;
    std::ranges::copy_if(kAll, std::back_inserter(found), is_available);
    return found;
  }();
  return sets;
}

InstructionSet instruction_set_of(std::string_view name,
                                  std::span<const InstructionSet> available) {
  std::string names;
  for (const InstructionSet set : available) {
    if (name == name_of(set)) return set;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", name_of(set));
  }
  const bool exists = std::ranges::any_of(kAll, [&](auto set) { return name == name_of(set); });
  throw Error({.what = exists ? fmt::format("this processor lacks the instruction set '{}'", name)
                              : fmt::format("there is no instruction set '{}'", name),
               .expected = names});
}

void use_instruction_set(InstructionSet set) {
  PALIMPSEST_CHECK(is_available(set));
  internal::instruction_set_in_use.store(set, std::memory_order_relaxed);
}

}  // namespace palimpsest
