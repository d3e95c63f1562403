// Handing a run over to palimpsest-torch, the program of the same sources that links libtorch: where
// a device needs it, `palimpsest` becomes that program (execv) with the same arguments, so that
// input, output, signals and exit status are its own. It is looked for in the folder libexec of the
// installation, then beside the program, and must be of the same version and commit. Where the context
// does not hand over (palimpsest-torch, or run() inside another program) the first two functions do
// nothing.
#pragma once

#include <string>
#include <vector>

#include "palimpsest/cli/program.h"

namespace palimpsest::cli {

// Does not return if the device is torch, cuda or cuda:N. Throws Error where the other program is
// missing or another one. Nothing may have been read from standard input before.
void hand_over(const std::string& device, const ProgramContext& context);

// For a device that is wanted only if it is there, as `cuda` of a configuration is: does not return
// if the other program is there and has CUDA. One that cannot be used is a warning.
void hand_over_if_cuda(const ProgramContext& context);

// The other side: if this is palimpsest-torch and the arguments are those with which hand_over()
// asks who it is, answers on standard output and returns true.
bool answer_hand_over(const std::vector<std::string>& arguments, const ProgramContext& context);

// For --version: which libtorch this program links, or where the program is that does.
std::string torch_program_line(const ProgramContext& context);

}  // namespace palimpsest::cli
