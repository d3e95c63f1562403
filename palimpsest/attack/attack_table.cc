#include "palimpsest/attack/attack.h"
#include "palimpsest/attack/ez_mia.h"
#include "palimpsest/attack/gradnorm.h"
#include "palimpsest/attack/loss.h"
#include "palimpsest/attack/min_k.h"
#include "palimpsest/attack/min_k_plus_plus.h"
#include "palimpsest/attack/ratio.h"
#include "palimpsest/attack/reference.h"
#include "palimpsest/attack/surp.h"
#include "palimpsest/attack/wbc.h"
#include "palimpsest/attack/zlib.h"

namespace palimpsest {

const AttackTable& default_attack_table() {
  static const AttackTable table = {
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
  };
  return table;
}

}  // namespace palimpsest
