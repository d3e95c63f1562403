// All guesses that a report makes. They are made only for logs that lack information: those of
// open-unlearning and of Palimpsest 0.1. The current `mia` and `eval` write it to mia.json and
// NAME_RUN.json (internal/run_record.h), so nothing has to be guessed. Each guess is checked
// against numbers of the log, if possible; if it does not fit, it is dropped.
//
//   the attack of a metric                     by its name: mia_min_k
//   the field whose mean a number is           the field that has this mean
//   the data set of a metric                   by the names of the metrics of TOFU and MUSE
//   whether its examples are independent       by the names of TOFU's metrics, where no file says
//                                              which examples belong together, but the user does
//   the traces of an attack                    those that give the attack's scores
//   the generations of an example              those with its true answer
//   the parts of model_utility and privleak    TOFU's nine metrics, if their harmonic mean is the
//                                              number; mia_min_k, as TOFU and MUSE configure it.
//                                              Also for current logs if the user says what they do
//                                              not: which examples belong together
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "palimpsest/eval/metric_result.h"
#include "palimpsest/report/run_results.h"

namespace palimpsest::report {

// The name of the attack: "min_k" for mia_min_k and, as in an audit, mia_min_k:k=0.3. Empty for the
// names of other metrics.
std::string guess_attack(const std::string& metric);

// The values whose mean is `mean`, up to 1e-6. They are a field as it is, or else "score" in a form
// of stat/internal/truth_ratio.h. Empty if no field has that mean.
ValueByExample guess_averaged_values(const eval::MetricResult& result, double mean);

// The data set of a metric: "forget" for forget_Q_A_ROUGE and exact_memorization, "retain" for
// retain_Q_A_Prob.
std::string guess_data_set(const std::string& metric);

// Whether no examples of the metric's data set belong together: the questions about TOFU's real
// authors and world facts (ra_…, wf_…).
bool guess_is_independent(const std::string& metric);

// The files in the run's folder whose first traces give the scores of an attack. Attacks with a
// reference model cannot be used for this. For attacks whose parameters are unknown, all settings
// of a sweep are tried. Throws Error if a file is not a valid trace file.
trace::BothSets<trace::TraceInput> guess_trace_files(const RunResults& run);

// Whether a generation of a metric is about an example of the set ("forget"): the true answer is
// the same or, if none is known, the metric's name begins with the set.
bool guess_is_about(const std::string& metric, const GeneratedExample& generated,
                    const std::string& set, const std::optional<std::string>& answer);

// The interval of model_utility or privleak, from the values of the other metrics; nullopt for any
// other metric. For model_utility, each cluster is left out of all parts of its data set, and the
// data sets are the strata. For privleak, the reference model's AUC follows from the two numbers
// and counts as fixed.
std::optional<stat::Interval> guess_composite_interval(const RunMetric& metric,
                                                       const std::vector<RunMetric>& others,
                                                       double confidence);

}  // namespace palimpsest::report
