// The quick way to read a line of a trace file: one pass over the usual spelling, without a tree of
// JSON values in between. A line of a hundred thousand takes a tenth of the time that way.
//
// It knows the keys of a trace, and refuses rather than judges: for whatever it does not know (other
// keys, null, NaN, a member twice) or cannot read (bad JSON, wrong types) it says no, and the general
// reader of trace_file.cc finds the value or the error. What it accepts the general reader accepts
// with the same result; a test compares the two.
#pragma once

#include <string_view>

#include "palimpsest/trace/trace.h"

namespace palimpsest::trace {

// Whether the line was read. If not, the trace is in no particular state.
bool read_trace_fast(std::string_view line, Trace& trace);

}  // namespace palimpsest::trace
