// Gates: which answers let a script go on. `--fail-on remembered,void` refuses these answers, and
// `--require equivalent` refuses all others. A refused answer ends the program with status 3. The
// results are written all the same.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "palimpsest/attack/mia/answer.h"
#include "palimpsest/cli/command_line.h"

namespace palimpsest::cli {

inline constexpr int kGateStatus = 3;

struct Gates {
  std::vector<std::string> fail_on;  // names of verdicts
  std::vector<std::string> require;
};

// --fail-on and --require. The gates must outlive the parsing.
void add_gate_options(Command& command, Gates& gates);

// Throws Error for a name that is not a verdict. Commands call it before their work begins.
void check_gates(const Gates& gates);

// For a command that reads results and found no answer in them: throws Error if --fail-on is given.
// A missing answer is not among the answers that it names, so the gate would let such a run pass.
void refuse_without_answer(const Gates& gates, const std::string& input);

// Throws ExitStatus if the gates refuse the answer. If the verdict is nullopt, there is no answer,
// and --require refuses that. `subject` says whose answer it is and where the results are; the
// message ends with it.
void pass_gates(const Gates& gates, const std::optional<attack::AnswerVerdict>& verdict,
                const std::string& subject);

}  // namespace palimpsest::cli
