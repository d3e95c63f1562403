// Hands a run over to palimpsest-torch. That program is built from the same sources, but it links
// libtorch, which some devices need. The process of `palimpsest` then becomes palimpsest-torch
// (execv), with the same arguments. So input, output, signals and exit status are those of
// palimpsest-torch. The program is searched for in the folder libexec of the installation, then
// beside `palimpsest`. It must have the same version and commit.
//
// In the same way, processes that MPI started become palimpsest-mpi, which links the MPI library.
//
// If ProgramContext::hands_over is false, the first three functions do nothing. This is so in
// palimpsest-torch and palimpsest-mpi themselves, and if another program calls run().
#pragma once

#include <string>
#include <vector>

#include "palimpsest/cli/program.h"

namespace palimpsest::cli {

// Does not return if the device is torch, cuda or cuda:N. Throws Error if palimpsest-torch is
// missing or has another version. Nothing may have been read from standard input before this call.
void hand_over(const std::string& device, const ProgramContext& context);

// For a configuration that asks for a GPU. Such a configuration falls back to the CPU if there is
// no GPU. Does not return if palimpsest-torch exists and has CUDA. If palimpsest-torch exists but
// cannot be used, a warning is logged.
void hand_over_if_cuda(const ProgramContext& context);

// Does not return if MPI started this process as one of several (mpirun, or srun --mpi): the
// process becomes palimpsest-mpi. Throws Error if palimpsest-mpi is missing or has another version.
void hand_over_under_mpi(const ProgramContext& context);

// For palimpsest-mpi, after MPI has started. `found` is the number of processes that MPI reports.
// Throws SystemError if it reports only this process although several were started. In that case a
// different MPI started them, and none of them would know of the others.
void require_one_mpi(int found);

// Before it hands over, `palimpsest` starts the other program (palimpsest-torch or palimpsest-mpi)
// with a special argument to ask for its version. This function answers: if this process is one of
// these two programs and the arguments are that question, it prints the answer on standard output
// and returns true.
bool reply_to_version_probe(const std::vector<std::string>& arguments,
                            const ProgramContext& context);

// A text for --version: the version of libtorch that this program links, or the path of
// palimpsest-torch.
std::string torch_program_line(const ProgramContext& context);

}  // namespace palimpsest::cli
