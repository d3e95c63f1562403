// Everything that report guesses, and only for logs that do not say: those of open-unlearning and of
// Palimpsest 0.1. What eval writes today says it in NAME_RUN.json (internal/run_record.h), and none of
// this is asked. Each guess is checked against numbers of the log as far as there are any; one that does
// not fit gives nothing.
//
//   which field a number is the mean of    the one whose mean it is
//   which data set a metric is about       by the names of TOFU's and MUSE's metrics
//   which traces are an attack's           those that give the attack's scores
//   which generations are of an example    those with its true answer
//   what model_utility and privleak are    TOFU's nine metrics, if their harmonic mean is the number;
//   made of                                mia_min_k, as TOFU and MUSE configure it
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "palimpsest/base/internal/json.h"
#include "palimpsest/report/run_results.h"

namespace palimpsest::report {

// The values whose mean is `mean`, up to 1e-6: a field as it is, else "score" in a form of
// stat/truth_ratio.h. Empty where no field has that mean.
ValueByExample guess_averaged_values(const Json& by_index, double mean);

// "forget" of forget_Q_A_ROUGE and of exact_memorization, "retain" of retain_Q_A_Prob.
std::string guess_data_set(const std::string& metric);

// The files in the run's folder whose first traces give an attack's scores; attacks with a reference
// model tell nothing. Of attacks without parameters all settings of a sweep are tried. Throws Error
// where a file is no valid trace file.
SetTraceFiles guess_trace_files(const RunResults& run);

// Whether a generation of a metric is about an example of the set ("forget"): the true answer is the
// same or, where none is known, the metric is called after the set.
bool guess_is_about(const std::string& metric, const GeneratedExample& generated,
                    const std::string& set, const std::optional<std::string>& answer);

// The interval of model_utility (each cluster left out of all parts of its data set, which are the
// strata) or of privleak (the reference's AUC follows from the two numbers and counts as fixed), from
// the values of the other metrics; nullopt for any other metric.
std::optional<stat::Interval> guess_composite_interval(const RunMetric& metric,
                                                       const std::vector<RunMetric>& others,
                                                       double confidence);

}  // namespace palimpsest::report
