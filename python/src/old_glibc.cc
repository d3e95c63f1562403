// What glibc lacks before 2.32, for an extension module that is linked with an older one (`make
// wheel`): libstdc++ and yaml-cpp, which are linked in, were compiled for this machine's glibc.

// Whether the process has one thread alone, so that reference counts need no atomic operations. A
// process with Python has threads that we do not know of.
extern "C" __attribute__((visibility("hidden"))) constinit char __libc_single_threaded = 0;
