#include "palimpsest/attack/attack.h"
#include "palimpsest/attack/internal/attacks.h"

namespace palimpsest::attack {
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
  static const AttackTable table = for_any_thread({
      loss_attack(),
      min_k_attack(),
      min_k_plus_plus_attack(),
      zlib_attack(),
      surp_attack(),
      gradnorm_attack(),
      // Those that compare with a reference model.
      reference_attack(),
      ratio_attack(),
      wbc_attack(),
      ez_mia_attack(),
  });
  return table;
}

}  // namespace palimpsest::attack
