#include "palimpsest/base/internal/lock_holder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include "palimpsest/base/internal/file.h"
#include "palimpsest/base/internal/json.h"

namespace palimpsest {
namespace {

constexpr std::chrono::seconds kBeat{10};

std::string host_name() {
  std::array<char, 256> name = {};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "?";
  return name.data();
}

double seconds_of(const timespec& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

// The time that the file system would give a file now: clocks of machines differ.
std::optional<double> file_system_time(const std::filesystem::path& beside) {
  const std::filesystem::path probe = fmt::format("{}.{}", beside.string(), ::getpid());
  const int descriptor = ::open(probe.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (descriptor < 0) return std::nullopt;
  struct stat status = {};
  const bool is_known = ::write(descriptor, "\n", 1) == 1 && ::fstat(descriptor, &status) == 0;
  ::close(descriptor);
  ::unlink(probe.c_str());
  if (!is_known) return std::nullopt;
  return seconds_of(status.st_mtim);
}

}  // namespace

std::string lock_holder_line(const std::string& command) {
  return to_line({{"host", host_name()}, {"pid", ::getpid()}, {"command", command}}) + "\n";
}

std::optional<LockHolder> read_lock_holder(const std::filesystem::path& file) {
  try {
    const Json holder = parse_json(read_file(file), file.string());
    return LockHolder{.host = holder.at("host").get<std::string>(),
                      .pid = whole_number<int64_t>(holder.at("pid")),
                      .command = holder.at("command").get<std::string>()};
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

bool is_shared_by_machines(int descriptor) {
  // The kernel's numbers of file systems.
  constexpr std::array<uint64_t, 9> kShared = {
      0x6969,      // NFS
      0x517B,      // SMB
      0xFF534D42,  // CIFS
      0xFE534D42,  // SMB 2
      0x0BD00BD0,  // Lustre
      0x19830326,  // BeeGFS
      0x47504653,  // GPFS
      0x00C36400,  // Ceph
      0x5346414F,  // AFS
  };
  struct statfs status = {};
  if (::fstatfs(descriptor, &status) != 0) return false;
  const auto type = static_cast<uint64_t>(status.f_type) & 0xFFFFFFFFU;
  return std::ranges::find(kShared, type) != kShared.end();
}

bool may_live(const LockHolder& holder, std::chrono::duration<double> age) {
  if (holder.host != host_name()) return age < kHolderIsGone;
  if (holder.pid == ::getpid() || holder.pid <= 0) return false;
  return ::kill(static_cast<pid_t>(holder.pid), 0) == 0 || errno == EPERM;
}

bool may_be_held_elsewhere(int descriptor, const std::filesystem::path& file) {
  if (!is_shared_by_machines(descriptor)) return false;
  const std::optional<LockHolder> holder = read_lock_holder(file);
  struct stat status = {};
  if (!holder || ::fstat(descriptor, &status) != 0) return false;
  const std::optional<double> now = file_system_time(file);
  const double age = now ? *now - seconds_of(status.st_mtim) : 0;
  return may_live(*holder, std::chrono::duration<double>(age));
}

LockHeartbeat::LockHeartbeat(int descriptor)
    : thread_([this, descriptor] {
        std::unique_lock lock(mutex_);
        while (!changed_.wait_for(lock, kBeat, [this] { return ends_; }))
          ::futimens(descriptor, nullptr);
      }) {}

LockHeartbeat::~LockHeartbeat() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

}  // namespace palimpsest
