// Calls a function before every rename() of this process. A finished file gets its name by a
// rename, so the folder that such a function sees is what a run leaves that is killed there, apart
// from the hidden file that was being written. Include it in one source of a test executable: it
// takes the place of the C library's rename().
#pragma once

#include <fcntl.h>

#include <cstdio>
#include <functional>
#include <utility>

namespace palimpsest {

// What the hook is as long as the object exists.
class BeforeRename {
 public:
  using Hook = std::function<void(const char* from, const char* to)>;

  explicit BeforeRename(Hook hook) { current() = std::move(hook); }
  ~BeforeRename() { current() = nullptr; }
  BeforeRename(const BeforeRename&) = delete;
  BeforeRename& operator=(const BeforeRename&) = delete;

  static Hook& current() {
    static Hook hook;
    return hook;
  }
};

}  // namespace palimpsest

extern "C" int rename(const char* from, const char* to) noexcept {
  if (palimpsest::BeforeRename::current()) palimpsest::BeforeRename::current()(from, to);
  return ::renameat(AT_FDCWD, from, AT_FDCWD, to);
}
