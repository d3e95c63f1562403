// Multiple-choice data (such as WMDP and MMLU): a question, a list of options, and the right
// option. Every option becomes an alternative of the same prompt.
//
//   letters   "<question>\nA. <option>\nB. …\nAnswer:"  followed by " A", " B" …
//   full      "Question: <question>\nAnswer:"           followed by " <option>"
//
// The right answer is given by the option's number from 0, its letter, or its text.
#pragma once

#include "palimpsest/eval/dataset.h"

namespace palimpsest::eval {

// The arguments are hf_args, question_key, choices_key, answer_key, subject_key (if absent, there
// is no line about the subject), options (letters, which is the default, or full) and
// few_shot_dataset_hf_args.
PreparedData prepare_multiple_choice(const Parameter& args, const DataContext& context);

}  // namespace palimpsest::eval
