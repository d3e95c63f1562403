#include "palimpsest/attack/attack.h"

// The attacks of this library, in the order in which everything lists them. NAME stands for the
// function NAME_attack() in attacks/NAME.cc, which returns the row of the table. This list is the
// only place that names the sources: both the declarations of these functions and the rows are made
// from it, and CMakeLists.txt takes every source of the folder. So the table does not depend on the
// order in which objects are linked or initialized, and a name without a source fails to link.
#define PALIMPSEST_FOR_EACH_ATTACK(ATTACK)         \
  ATTACK(loss)                                     \
  ATTACK(min_k)                                    \
  ATTACK(min_k_plus_plus)                          \
  ATTACK(zlib)                                     \
  ATTACK(surp)                                     \
  ATTACK(gradnorm)                                 \
  /* Those that compare with a reference model. */ \
  ATTACK(reference)                                \
  ATTACK(ratio)                                    \
  ATTACK(wbc)                                      \
  ATTACK(ez_mia)

namespace palimpsest::attack {

#define PALIMPSEST_DECLARE(name) Attack name##_attack();
PALIMPSEST_FOR_EACH_ATTACK(PALIMPSEST_DECLARE)
#undef PALIMPSEST_DECLARE

namespace {

// The attacks of this library are pure functions of traces, and of their numbers.
AttackTable for_any_thread(AttackTable table) {
  for (Attack& attack : table) {
    attack.any_thread = true;
    attack.reads_tokens = false;
  }
  return table;
}

}  // namespace

const AttackTable& default_attack_table() {
#define PALIMPSEST_ROW(name) name##_attack(),
  static const AttackTable table = for_any_thread({PALIMPSEST_FOR_EACH_ATTACK(PALIMPSEST_ROW)});
#undef PALIMPSEST_ROW
  return table;
}

}  // namespace palimpsest::attack
