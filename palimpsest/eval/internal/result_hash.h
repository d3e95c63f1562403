// A hash of one metric's result as the log holds it, so that a result that was edited or damaged is
// not believed. It is taken over what is read from the log, written out in one way: reading a log
// and writing it again, or another layout of the same JSON, does not change it. It guards against
// accidents and careless edits, not against somebody who also changes the record.
#pragma once

#include <string>

#include "palimpsest/eval/metric_result.h"

namespace palimpsest::eval {

std::string result_hash(const MetricResult& result);

}  // namespace palimpsest::eval
