// The metric handlers, each in its own source file. make_handler_table() adds the attacks to them.
#pragma once

#include "palimpsest/eval/handler.h"

namespace palimpsest::eval {

Handler exact_memorization_handler();
Handler extraction_strength_handler();
Handler hm_aggregate_handler();
Handler ks_test_handler();
Handler multiple_choice_handler();
Handler privleak_handler();
Handler probability_handler();
Handler probability_w_options_handler();
Handler rel_diff_handler();
Handler rouge_handler();
Handler truth_ratio_handler();

}  // namespace palimpsest::eval
