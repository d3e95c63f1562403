// Messages between the processes of an MPI program. MPI itself waits by spinning. Here, a process
// that waits sleeps and leaves its core to those that compute.
#pragma once

#include <memory>
#include <string>

#include "palimpsest/run/team.h"

namespace palimpsest::cli {

// Starts and ends MPI.
class MpiProcess {
 public:
  MpiProcess(int& argc, char**& argv);
  ~MpiProcess();
  MpiProcess(const MpiProcess&) = delete;
  MpiProcess& operator=(const MpiProcess&) = delete;

  std::string host() const;
  // The number of processes on this machine.
  int local_size() const;
  // The result must be destroyed before this object.
  std::unique_ptr<run::TeamTransport> transport() const;
};

}  // namespace palimpsest::cli
