// main() for tests that run once per instruction set: --isa=NAME asks for one, as the program's own
// option does. A set that this processor lacks ends with the status that ctest calls skipped; a
// name that is none fails.
#include <gtest/gtest.h>

#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

#include "palimpsest/base/instruction_set.h"

namespace {

constexpr int kSkipped = 77;  // SKIP_RETURN_CODE in cmake/PalimpsestTargets.cmake
constexpr int kWrongCall = 2;
constexpr std::string_view kOption = "--isa=";

bool exists(std::string_view name) {
  using palimpsest::InstructionSet;
  for (const InstructionSet set :
       {InstructionSet::kBaseline, InstructionSet::kAvx2, InstructionSet::kAvx512}) {
    if (name == palimpsest::name_of(set)) return true;
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    std::string_view name = argv[i];
    if (!name.starts_with(kOption)) {
      std::fprintf(stderr, "unknown argument '%s'; expected --isa=NAME\n", argv[i]);
      return kWrongCall;
    }
    name.remove_prefix(kOption.size());
    try {
      palimpsest::use_instruction_set(palimpsest::instruction_set_of(name));
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      return exists(name) ? kSkipped : kWrongCall;
    }
  }
  std::printf("instruction set: %s\n",
              std::string(palimpsest::name_of(palimpsest::instruction_set())).c_str());
  return RUN_ALL_TESTS();
}
