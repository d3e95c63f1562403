// Timing for benchmarks on machines that others use too: what is compared is measured in turns, a
// few times over, and the turn with the middle ratio counts.
#pragma once

#include <functional>

namespace palimpsest {

// Of one piece of work and of the one that it is compared with.
struct TimedPair {
  double ours = 0;     // seconds
  double against = 0;  // seconds
};

double seconds_of(const std::function<void()>& work);

// Measures `rounds` times (odd) and returns the pair whose ratio is the median.
TimedPair median_pair(int rounds, const std::function<TimedPair()>& measure);

// What the work took, and what its operations would take at the rate at which this machine
// multiplies large float32 matrices: the best of a few products right before and right after.
TimedPair against_multiply(double operations, const std::function<void()>& work);

}  // namespace palimpsest
