// Multiple-choice data (WMDP, MMLU and the like): a question, a list of options, and which of them is
// right. Every option becomes an alternative of the same prompt.
//
//   letters   "<question>\nA. <option>\nB. …\nAnswer:"  followed by " A", " B" …
//   full      "Question: <question>\nAnswer:"           followed by " <option>"
//
// The answer is the option's number from 0, its letter, or its text.
#pragma once

#include "palimpsest/eval/dataset.h"

namespace palimpsest::eval {

// args: hf_args, question_key, choices_key, answer_key, subject_key (absent: no line about the
// subject), options (letters, the default, or full), few_shot_dataset_hf_args.
PreparedData prepare_multiple_choice(const Parameter& args, const DataContext& context);

}  // namespace palimpsest::eval
