// Lets SIGINT and SIGTERM stop long commands in an orderly way. A signal requests a stop, and the
// work stops at the next point where it can. The user is told whether finished work was kept, and
// how to continue. Short commands do not use this; signals end them as usual. Only one command runs
// at a time.
#pragma once

#include <functional>
#include <stop_token>

namespace palimpsest::cli {

// What the same command does if it is run again after the stop.
enum class AfterStop {
  kResumes,     // it continues: finished parts were kept in files and are not repeated
  kStartsOver,  // it starts from the beginning: nothing was written
};

// Calls work(stop). If the work throws Stopped, throws ExitStatus instead, with the status that a
// shell reports for a process ended by the signal (130 or 143) and a message that says whether
// finished work is kept. The first signal requests the stop; a second one ends the process at once.
// A signal that was already ignored when the process started stays ignored. If the work finishes
// before it checks `stop` again, it counts as finished.
void interruptible(AfterStop after, const std::function<void(std::stop_token)>& work);

}  // namespace palimpsest::cli
