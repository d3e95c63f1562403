#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/base/error.h"
#include "palimpsest/stat/auc.h"
#include "palimpsest/stat/audit_epsilon.h"
#include "palimpsest/stat/binomial.h"
#include "palimpsest/stat/bootstrap.h"
#include "palimpsest/stat/clustered_auc.h"
#include "palimpsest/stat/delong.h"
#include "palimpsest/stat/effective_epsilon.h"
#include "palimpsest/stat/harmonic_mean.h"
#include "palimpsest/stat/kolmogorov_smirnov.h"
#include "palimpsest/stat/multiple_testing.h"
#include "palimpsest/stat/one_run_audit.h"
#include "palimpsest/stat/roc.h"
#include "palimpsest/stat/two_step_epsilon.h"
#include "python/src/arguments.h"
#include "python/src/bindings.h"

namespace palimpsest::python {
namespace {

using stat::Interval;
using stat::ScoresView;
using Pair = std::pair<double, double>;

Pair pair_of(const Interval& interval) {
  return {interval.low, interval.high};
}

// The two classes, as every statistic of scores takes them. The arrays are read in place and must
// outlive this.
struct Classes {
  Classes(nb::handle positives_argument, nb::handle negatives_argument)
      : positives(positives_argument, "positives"), negatives(negatives_argument, "negatives") {
    stat::require_finite_scores(positives.values(), "positives");
    stat::require_finite_scores(negatives.values(), "negatives");
  }
  ScoresView scores() const { return {positives.values(), negatives.values()}; }

  Numbers<double> positives;
  Numbers<double> negatives;
};

// Calls compute(scores) without the GIL.
template <class Compute>
auto of_scores(nb::handle positives, nb::handle negatives, const Compute& compute) {
  const Classes classes(positives, negatives);
  const nb::gil_scoped_release released;
  return compute(classes.scores());
}

std::optional<double> auc(nb::handle positives, nb::handle negatives) {
  return of_scores(positives, negatives,
                   [](const ScoresView& scores) { return stat::auc(scores); });
}

std::optional<Pair> delong(nb::handle positives, nb::handle negatives) {
  return of_scores(positives, negatives, [](const ScoresView& scores) -> std::optional<Pair> {
    const std::optional<stat::AucEstimate> estimate = stat::delong(scores);
    if (!estimate) return std::nullopt;
    return Pair(estimate->auc, estimate->variance);
  });
}

std::optional<Pair> delong_interval(nb::handle positives, nb::handle negatives, double confidence) {
  return of_scores(positives, negatives, [&](const ScoresView& scores) -> std::optional<Pair> {
    const std::optional<Interval> interval = stat::delong_interval(scores, confidence);
    if (!interval) return std::nullopt;
    return pair_of(*interval);
  });
}

nb::object delong_test(nb::handle positives_a, nb::handle negatives_a, nb::handle positives_b,
                       nb::handle negatives_b, double confidence) {
  const Classes a(positives_a, negatives_a);
  const Classes b(positives_b, negatives_b);
  std::optional<stat::DelongTest> test;
  {
    const nb::gil_scoped_release released;
    test = stat::delong_test(a.scores(), b.scores(), confidence);
  }
  if (!test) return nb::none();
  return nb::make_tuple(test->auc_a, test->auc_b, pair_of(test->difference), test->p_value);
}

stat::ScoreClusters clusters_of(nb::handle positives, nb::handle negatives) {
  return {.positives = Numbers<int64_t>(positives, "positive_clusters").to_vector(),
          .negatives = Numbers<int64_t>(negatives, "negative_clusters").to_vector()};
}

nb::object clustered_auc(nb::handle positives, nb::handle negatives, nb::handle positive_clusters,
                         nb::handle negative_clusters, double confidence) {
  const stat::ScoreClusters clusters = clusters_of(positive_clusters, negative_clusters);
  const auto estimate = of_scores(positives, negatives, [&](const ScoresView& scores) {
    return stat::clustered_auc(scores, clusters);
  });
  if (!estimate) return nb::none();
  return nb::make_tuple(estimate->auc, estimate->variance, estimate->degrees_of_freedom,
                        pair_of(stat::auc_interval(*estimate, confidence)));
}

stat::BootstrapMethod method_named(const std::string& name) {
  if (name == "bca") return stat::BootstrapMethod::kBca;
  if (name == "percentile") return stat::BootstrapMethod::kPercentile;
  throw Error({.what = "there is no such bootstrap",
               .where = "method",
               .expected = "bca or percentile",
               .found = name});
}

nb::object bootstrap_auc(nb::handle positives, nb::handle negatives, int64_t resamples,
                         double confidence, const std::string& method, uint64_t seed, int threads) {
  const stat::BootstrapOptions options{.resamples = resamples,
                                       .confidence = confidence,
                                       .method = method_named(method),
                                       .seed = seed,
                                       .threads = threads};
  const auto estimate = of_scores(positives, negatives, [&](const ScoresView& scores) {
    stat::require_valid(options);
    return stat::bootstrap_auc(scores, options);
  });
  if (!estimate) return nb::none();
  return nb::make_tuple(estimate->estimate, pair_of(estimate->interval),
                        estimate->undefined_resamples);
}

nb::object roc_curve(nb::handle positives, nb::handle negatives, bool drop_intermediate) {
  auto curve = of_scores(positives, negatives, [&](const ScoresView& scores) {
    return stat::roc_curve(scores, {.drop_intermediate = drop_intermediate});
  });
  if (!curve) return nb::none();
  return nb::make_tuple(to_numpy(std::move(curve->fpr)), to_numpy(std::move(curve->tpr)),
                        to_numpy(std::move(curve->thresholds)));
}

nb::object tpr_at_fpr(nb::handle positives, nb::handle negatives, double fpr, double confidence) {
  const auto rate = of_scores(positives, negatives, [&](const ScoresView& scores) {
    return stat::tpr_at_fpr(scores, fpr, confidence);
  });
  if (!rate) return nb::none();
  return nb::make_tuple(rate->tpr, pair_of(rate->tpr_interval), rate->realized_fpr,
                        rate->expected_fpr, rate->threshold);
}

template <class Best>
nb::object best_threshold(nb::handle positives, nb::handle negatives, const Best& best) {
  const std::optional<stat::BestThreshold> found = of_scores(positives, negatives, best);
  if (!found) return nb::none();
  return nb::make_tuple(found->value, found->threshold);
}

stat::Confusion confusion_of(const std::vector<int64_t>& counts) {
  if (counts.size() != 4) {
    throw Error({.what = "a decision has four counts",
                 .where = "counts",
                 .expected = "true positives, false negatives, false positives, true negatives",
                 .found = std::to_string(counts.size())});
  }
  return {.true_positives = counts[0],
          .false_negatives = counts[1],
          .false_positives = counts[2],
          .true_negatives = counts[3]};
}

nb::object two_step_epsilon(const std::vector<std::pair<nb::object, nb::object>>& attacks,
                            double validation_split, const std::vector<double>& confidence_levels,
                            const std::string& heuristic, const std::string& split, uint64_t seed,
                            double delta) {
  const auto choose = [](const std::string& name, const char* where, const char* first,
                         const char* second) {
    if (name != first && name != second) {
      throw Error({.what = "there is no such choice",
                   .where = where,
                   .expected = std::string(first) + " or " + second,
                   .found = name});
    }
    return name == first;
  };
  const stat::TwoStepOptions options{.validation_split = validation_split,
                                     .confidence_levels = confidence_levels,
                                     .heuristic = choose(heuristic, "heuristic", "cp", "ratio")
                                                      ? stat::EpsilonHeuristic::kClopperPearson
                                                      : stat::EpsilonHeuristic::kRatio,
                                     .split = choose(split, "split", "stratified", "prefix")
                                                  ? stat::ValidationSplit::kStratified
                                                  : stat::ValidationSplit::kPrefix,
                                     .seed = seed,
                                     .delta = delta};
  std::vector<stat::AttackScores> scores;
  for (const auto& [labels, values] : attacks) {
    const Numbers<int64_t> numbers(labels, "labels");
    scores.push_back({.labels = {numbers.values().begin(), numbers.values().end()},
                      .scores = Numbers<double>(values, "scores").to_vector()});
  }
  std::optional<stat::TwoStepEpsilon> found;
  {
    const nb::gil_scoped_release released;
    found = stat::two_step_epsilon(scores, options);
  }
  if (!found) return nb::none();
  nb::list bounds;
  for (const stat::EpsilonAtConfidence& bound : found->bounds)
    bounds.append(
        nb::make_tuple(bound.confidence, pair_of(bound.epsilon), pair_of(bound.at_delta)));
  return nb::make_tuple(found->attack, found->threshold,
                        found->side == stat::EpsilonSide::kPositives ? "positives" : "negatives",
                        bounds);
}

nb::object ks(nb::handle a, nb::handle b, const std::string& method) {
  using stat::KsMethod;
  KsMethod chosen = KsMethod::kAuto;
  if (method == "exact") {
    chosen = KsMethod::kExact;
  } else if (method == "asymp") {
    chosen = KsMethod::kAsymptotic;
  } else if (method != "auto") {
    throw Error({.what = "there is no such method",
                 .where = "method",
                 .expected = "auto, exact or asymp",
                 .found = method});
  }
  const Numbers<double> first(a, "a");
  const Numbers<double> second(b, "b");
  stat::require_finite_scores(first.values(), "a");
  stat::require_finite_scores(second.values(), "b");
  std::optional<stat::KsResult> result;
  {
    const nb::gil_scoped_release released;
    result = stat::ks_two_sample(first.values(), second.values(), chosen);
  }
  if (!result) return nb::none();
  return nb::make_tuple(result->statistic, result->p_value,
                        result->method == KsMethod::kExact ? "exact" : "asymp");
}

template <class Adjust>
nb::object adjusted(nb::handle p_values, const Adjust& adjust) {
  const Numbers<double> values(p_values, "p_values");
  return to_numpy(adjust(values.values()));
}

void add_scores(nb::module_& module) {
  // None is refused by its name, like everything else that is no array.
  const auto positives = nb::arg("positives").none();
  const auto negatives = nb::arg("negatives").none();
  const auto confidence = nb::arg("confidence") = 0.95;
  module.def("auc", auc, positives, negatives,
             "The probability that a positive scores higher than a negative, ties counted half;\n"
             "None unless both classes have items.");
  module.def("delong", delong, positives, negatives);
  module.def("delong_interval", delong_interval, positives, negatives, confidence);
  module.def("delong_test", delong_test, nb::arg("positives_a"), nb::arg("negatives_a"),
             nb::arg("positives_b"), nb::arg("negatives_b"), confidence);
  module.def("clustered_auc", clustered_auc, positives, negatives, nb::arg("positive_clusters"),
             nb::arg("negative_clusters"), confidence);
  module.def("bootstrap_auc", bootstrap_auc, positives, negatives, nb::arg("resamples"),
             nb::arg("confidence"), nb::arg("method"), nb::arg("seed"), nb::arg("threads"));
  module.def("roc_curve", roc_curve, positives, negatives, nb::arg("drop_intermediate"));
  module.def("tpr_at_fpr", tpr_at_fpr, positives, negatives, nb::arg("fpr"), confidence);
  module.def(
      "advantage", [](nb::handle a, nb::handle b) { return best_threshold(a, b, stat::advantage); },
      positives, negatives);
  module.def(
      "best_accuracy",
      [](nb::handle a, nb::handle b) { return best_threshold(a, b, stat::best_accuracy); },
      positives, negatives);
  module.def(
      "effective_epsilon",
      [](nb::handle a, nb::handle b) {
        return of_scores(a, b,
                         [](const ScoresView& scores) { return stat::effective_epsilon(scores); });
      },
      positives, negatives);
}

void add_counts(nb::module_& module) {
  module.def(
      "clopper_pearson_epsilon",
      [](const std::vector<int64_t>& counts, double alpha, double delta) {
        return stat::clopper_pearson_epsilon(confusion_of(counts), {alpha, delta});
      },
      nb::arg("counts"), nb::arg("alpha"), nb::arg("delta"));
  module.def(
      "bayesian_epsilon",
      [](const std::vector<int64_t>& counts, double alpha, double delta) -> std::optional<Pair> {
        const auto interval = stat::bayesian_epsilon(confusion_of(counts), {alpha, delta});
        if (!interval) return std::nullopt;
        return pair_of(*interval);
      },
      nb::arg("counts"), nb::arg("alpha"), nb::arg("delta"));
  module.def("two_step_epsilon", two_step_epsilon, nb::arg("attacks"), nb::arg("validation_split"),
             nb::arg("confidence_levels"), nb::arg("heuristic"), nb::arg("split"), nb::arg("seed"),
             nb::arg("delta"));
  module.def(
      "one_run_epsilon",
      [](int64_t canaries, int64_t guesses, int64_t right, double alpha, double delta) {
        return stat::one_run_epsilon({canaries, guesses, right}, {alpha, delta});
      },
      nb::arg("canaries"), nb::arg("guesses"), nb::arg("right"), nb::arg("alpha"),
      nb::arg("delta"));
  const auto add_rate = [&](const char* name, Interval (*interval)(int64_t, int64_t, double)) {
    module.def(
        name,
        [interval](int64_t successes, int64_t trials, double confidence) {
          return pair_of(interval(successes, trials, confidence));
        },
        nb::arg("successes"), nb::arg("trials"), nb::arg("confidence") = 0.95);
  };
  add_rate("clopper_pearson", stat::clopper_pearson);
  add_rate("wilson", stat::wilson);
  add_rate("jeffreys", stat::jeffreys);
}

}  // namespace

void add_statistics(nb::module_& module) {
  add_scores(module);
  add_counts(module);
  module.def("ks", ks, nb::arg("a").none(), nb::arg("b").none(), nb::arg("method"));
  module.def(
      "holm", [](nb::handle p_values) { return adjusted(p_values, stat::holm); },
      nb::arg("p_values"));
  module.def(
      "benjamini_hochberg",
      [](nb::handle p_values) { return adjusted(p_values, stat::benjamini_hochberg); },
      nb::arg("p_values"));
  module.def(
      "harmonic_mean",
      [](nb::handle values) {
        return stat::harmonic_mean(Numbers<double>(values, "values").values());
      },
      nb::arg("values"));
}

}  // namespace palimpsest::python
