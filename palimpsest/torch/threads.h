// Who may use the cores. Two sets of threads that fight halve the speed of both: libgomp's workers
// spin between two pieces of work while OpenBLAS's own threads want to run. So libtorch's operators
// run on the calling thread, what is left to the matrix library (gradients that are formed) on its
// own threads, everything else on our WorkerPool, which sleeps when it waits long. No environment
// variable is needed for that.
#pragma once

namespace palimpsest::torch {

// For the whole process, before a model is loaded. 0: one thread for each core.
void arrange_threads(int threads);

}  // namespace palimpsest::torch
