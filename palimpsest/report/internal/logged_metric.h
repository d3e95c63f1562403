// What a report takes from the result of a metric.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "palimpsest/eval/metric_result.h"
#include "palimpsest/report/internal/run_record.h"
#include "palimpsest/report/run_results.h"

namespace palimpsest::report {

// The keys of examples, which are in the order of a log, in the order of the records: if all keys
// are whole numbers (indices of records), they are sorted by number.
std::vector<std::string> in_record_order(std::vector<std::string> keys);

// One field of the examples, in a form of stat/internal/truth_ratio.h. If a value is a list with
// one entry per alternative answer, its mean is used. Examples without a finite number are left
// out.
ValueByExample logged_field(const eval::MetricResult& result, const std::string& field,
                            const std::string& form = "");

// The texts that the model wrote, keyed by the example's key.
std::map<std::string, GeneratedExample> logged_generations(const eval::MetricResult& result);

// The parameters with their numbers as text: "0.4".
MetricParameters parameter_texts(const attack::ParameterValues& parameters);

// Adds an attack with its scores to the metric, whose value is the caller's to say. Scores that are
// not finite count as undefined.
void take_scores(const attack::ScoredAttack& scored, const RunRecordFile& record,
                 RunMetric& metric);

// A file has no NaN: undefined is null there.
eval::Number defined(const eval::Number& value);

// The metric of a result, with what the record says of it or, if it says nothing, with guesses.
RunMetric run_metric(const std::string& name, const eval::MetricResult& result,
                     const RunRecordFile& record);

// The traces from which a metric of the folder was computed: those in memory, by the name that the
// record has for them, else the files that are there.
trace::BothSets<trace::TraceInput> source_traces(
    const eval::MetricSource& source, const std::filesystem::path& folder,
    const std::map<std::string, trace::TraceInput>& in_memory);

}  // namespace palimpsest::report
