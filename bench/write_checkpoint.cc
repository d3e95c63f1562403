// Writes a checkpoint of about 100 million random parameters, for peers that run programs on one.
//
//   write_checkpoint FOLDER SEED

#include <fmt/format.h>

#include <cstdlib>
#include <exception>

#include "bench/random_checkpoint.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: write_checkpoint FOLDER SEED\n");
    return 2;
  }
  try {
    palimpsest::write_random_checkpoint({.seed = std::strtoull(argv[2], nullptr, 10)}, argv[1]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "write_checkpoint: {}\n", error.what());
    return 1;
  }
  return 0;
}
