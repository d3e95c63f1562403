#include "palimpsest/cli/mpi_transport.h"

#include <mpi.h>

#include <array>
#include <chrono>
#include <mutex>
#include <thread>

#include "palimpsest/base/error.h"

namespace palimpsest::cli {
namespace {

int tag_of(run::TeamChannel channel) {
  return 1 + static_cast<int>(channel);
}

class MpiTransport : public run::TeamTransport {
 public:
  MpiTransport() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void send(int to, std::string_view bytes, run::TeamChannel channel) override {
    MPI_Request request = MPI_REQUEST_NULL;
    {
      const std::lock_guard lock(mutex_);
      MPI_Isend(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, to, tag_of(channel),
                MPI_COMM_WORLD, &request);
    }
    for (;;) {
      int is_sent = 0;
      {
        const std::lock_guard lock(mutex_);
        MPI_Test(&request, &is_sent, MPI_STATUS_IGNORE);
      }
      if (is_sent != 0) return;  // NOLINT(clang-analyzer-optin.mpi.MPI-Checker): MPI_Test waited
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  }

  std::optional<run::TeamMessage> receive(run::TeamChannel channel) override {
    const std::lock_guard lock(mutex_);
    int is_there = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    MPI_Improbe(MPI_ANY_SOURCE, tag_of(channel), MPI_COMM_WORLD, &is_there, &message, &status);
    if (is_there == 0) return std::nullopt;
    int count = 0;
    MPI_Get_count(&status, MPI_BYTE, &count);
    run::TeamMessage received{.from = status.MPI_SOURCE,
                              .bytes = std::string(static_cast<size_t>(count), '\0')};
    MPI_Mrecv(received.bytes.data(), count, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    return received;
  }

 private:
  int rank_ = 0;
  int size_ = 1;
  std::mutex mutex_;  // MPI is asked for no more than calls by one thread at a time
};

}  // namespace

MpiProcess::MpiProcess(int& argc, char**& argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  if (provided < MPI_THREAD_SERIALIZED)
    throw SystemError("this MPI cannot be used by a program that has threads");
}

// MPI_Finalize need not wait for the others: under srun --mpi=pmix it does not wait for those on
// other nodes. A process that left early would be gone when the leader sends it its last message,
// and the leader would wait for ever. So all meet here first, asleep.
MpiProcess::~MpiProcess() {
  MPI_Request everyone = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &everyone);
  for (int is_there = 0; MPI_Test(&everyone, &is_there, MPI_STATUS_IGNORE), is_there == 0;)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  MPI_Finalize();
}

std::string MpiProcess::host() const {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name = {};
  int length = 0;
  MPI_Get_processor_name(name.data(), &length);
  return {name.data(), static_cast<size_t>(length)};
}

int MpiProcess::local_size() const {
  MPI_Comm here = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
  int size = 1;
  MPI_Comm_size(here, &size);
  MPI_Comm_free(&here);
  return size;
}

std::unique_ptr<run::TeamTransport> MpiProcess::transport() const {
  return std::make_unique<MpiTransport>();
}

}  // namespace palimpsest::cli
