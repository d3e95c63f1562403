// Another instruction set for as long as this lives; nothing may run in other threads meanwhile.
#pragma once

#include "palimpsest/base/instruction_set.h"

namespace palimpsest {

class WithInstructionSet {
 public:
  explicit WithInstructionSet(InstructionSet set) : before_(instruction_set()) {
    use_instruction_set(set);
  }
  ~WithInstructionSet() { use_instruction_set(before_); }
  WithInstructionSet(const WithInstructionSet&) = delete;
  WithInstructionSet& operator=(const WithInstructionSet&) = delete;

 private:
  InstructionSet before_;
};

}  // namespace palimpsest
