// TAPAS' own numbers, from a scores file to the report, and where ours differ on purpose.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "palimpsest/report/report.h"
#include "tests/report/score_rows.h"
#include "tests/support/golden.h"
#include "tests/support/temp_folder.h"

namespace palimpsest::report {
namespace {

double number(const Json& value) {
  if (value == "nan") return std::nan("");
  if (value == "inf") return std::numeric_limits<double>::infinity();
  if (value == "-inf") return -std::numeric_limits<double>::infinity();
  return value.get<double>();
}

// nullopt where TAPAS raised an error or gave NaN.
std::optional<double> defined(const Json& value) {
  if (value.is_null() || value.dump().starts_with("\"error")) return std::nullopt;
  const double result = number(value);
  return std::isnan(result) ? std::nullopt : std::optional(result);
}

void expect_near(const std::optional<double>& found, const std::optional<double>& expected,
                 double tolerance) {
  ASSERT_EQ(found.has_value(), expected.has_value());
  if (!found || *found == *expected) return;  // infinities have no difference
  EXPECT_NEAR(*found, *expected, tolerance * std::max(1.0, std::abs(*expected)));
}

std::string to_csv(const Json& data_set) {
  std::string text = "label,score,prediction,attack,generator,dataset,target_id\n";
  for (size_t a = 0; a < data_set["attacks"].size(); ++a) {
    const Json& attack = data_set["attacks"][a];
    for (size_t i = 0; i < attack["labels"].size(); ++i) {
      text +=
          fmt::format("{},{},{},attack {},model,data,t\n", attack["labels"][i].get<int>(),
                      attack["scores"][i].get<double>(), attack["predictions"][i].get<int>(), a);
    }
  }
  return text;
}

Report report_on(const Json& data_set, stat::EpsilonHeuristic heuristic, int64_t resamples = 0) {
  const TempFolder folder;
  ReportOptions options;
  options.bootstrap.resamples = resamples;
  options.epsilon.single_models = true;
  options.epsilon.delta = 0;  // as TAPAS
  options.epsilon.two_step.validation_split = data_set["validation_split"].get<double>();
  options.epsilon.two_step.split = stat::ValidationSplit::kPrefix;
  options.epsilon.two_step.heuristic = heuristic;
  return make_report({folder.write("scores.csv", to_csv(data_set))}, options);
}

const Json& data_sets() {
  static const Json golden = read_golden("report/tapas.json");
  return golden["data_sets"];
}

TEST(ReportGoldenTest, MetricsEqualTapas) {
  ASSERT_GE(data_sets().size(), 30U);
  int64_t compared = 0;
  for (const Json& data_set : data_sets()) {
    SCOPED_TRACE(data_set["name"].dump());
    const Report report = report_on(data_set, stat::EpsilonHeuristic::kClopperPearson);
    ASSERT_EQ(report.summaries.size(), data_set["attacks"].size());
    for (size_t a = 0; a < report.summaries.size(); ++a) {
      const Json& attack = data_set["attacks"][a];
      const AttackSummary& summary = report.summaries[a];
      expect_near(metric(summary, "effective_epsilon").value,
                  defined(attack["effective_epsilon_defined"]), 1e-14);
      if (attack["metrics"].is_string()) continue;  // TAPAS fails on one or two items
      for (const auto& [name, value] : attack["metrics"].items()) {
        SCOPED_TRACE(name);
        if (name == "effective_epsilon") continue;  // by definition, above
        // TAPAS says 0.5 where there is one class only; there is no AUC then.
        const bool no_auc = name == "auc" && !summary.scores.has_both_classes();
        expect_near(metric(summary, name).value, no_auc ? std::nullopt : defined(value), 1e-14);
        ++compared;
      }
    }
  }
  EXPECT_GE(compared, 200);
}

// `answer` is TAPAS' choice, or the choice by definition, with exact bounds.
void expect_epsilon(const Report& report, const Json& answer) {
  const Json& selection = answer["selection"];
  const bool has_bounds = selection.is_object() && !answer["bounds"][0]["bounds_exact"].is_null();
  ASSERT_EQ(report.epsilon.threat_models.size(), has_bounds ? 1U : 0U);
  EXPECT_EQ(report.epsilon.notes.size(), has_bounds ? 0U : 1U);
  if (!has_bounds) return;
  const ThreatModelEpsilon& model = report.epsilon.threat_models[0];
  EXPECT_EQ(model.attack, fmt::format("attack {}", selection["attack"].get<int>()));
  EXPECT_EQ(model.threshold, selection["threshold"].get<double>());
  EXPECT_EQ(model.side == stat::EpsilonSide::kNegatives, selection["inverse"].get<bool>());
  for (size_t i = 0; i < answer["bounds"].size(); ++i) {
    const Json& expected = answer["bounds"][i];
    const EpsilonEstimate& found = model.estimates[i];
    EXPECT_EQ(found.method, "two_step");
    EXPECT_EQ(found.confidence, expected["confidence"].get<double>());
    EXPECT_EQ(found.low, found.low_raw);
    expect_near(found.low, defined(expected["bounds_exact"][0]), 1e-10);
    expect_near(found.high, defined(expected["bounds_exact"][1]), 1e-10);
    // SciPy finds its bounds of a rate to 2e-12 only, which a small rate magnifies.
    if (expected["bounds"].is_string()) continue;
    expect_near(found.low, defined(expected["bounds"][0]), 1e-6);
    expect_near(found.high, defined(expected["bounds"][1]), 1e-6);
  }
}

TEST(ReportGoldenTest, TheChosenAttackAndTheBoundsEqualTapas) {
  for (const Json& data_set : data_sets()) {
    SCOPED_TRACE(data_set["name"].dump());
    expect_epsilon(report_on(data_set, stat::EpsilonHeuristic::kClopperPearson), data_set["cp"]);
  }
}

TEST(ReportGoldenTest, TheRatioHeuristicEqualsTapasWithCountsComparedWithCounts) {
  int64_t same = 0;
  for (const Json& data_set : data_sets()) {
    SCOPED_TRACE(data_set["name"].dump());
    expect_epsilon(report_on(data_set, stat::EpsilonHeuristic::kRatio), data_set["ratio_counts"]);
    same += data_set["ratio"] == data_set["ratio_counts"] ? 1 : 0;
  }
  EXPECT_GE(same, 20);  // they differ only where a denominator is 0
}

// TAPAS' bootstrap draws from both classes together and takes percentiles; ours keeps the classes'
// sizes and is BCa. So the widths agree roughly, and accuracy's is smaller where the rates of the
// two classes differ.
TEST(ReportGoldenTest, TheBootstrapSpreadsAsTapas) {
  int64_t compared = 0;
  for (const Json& data_set : data_sets()) {
    if (!data_set.contains("bootstrap")) continue;
    SCOPED_TRACE(data_set["name"].dump());
    const Report report = report_on(data_set, stat::EpsilonHeuristic::kClopperPearson, 2000);
    for (size_t a = 0; a < report.summaries.size(); ++a) {
      const Json& spread = data_set["bootstrap"][a];
      const auto least = static_cast<double>(std::min(report.summaries[a].scores.positive_count(),
                                                      report.summaries[a].scores.negative_count()));
      for (const auto& [name, expected] : spread.items()) {
        if (!expected.contains("low")) continue;
        SCOPED_TRACE(name);
        const stat::Interval found = *metric(report.summaries[a], name).interval;
        const double width = expected["high"].get<double>() - expected["low"].get<double>();
        const double step = name == "effective_epsilon" ? 0.1 * width : 1 / least;
        EXPECT_NEAR(found.high - found.low, width, 0.2 * width + step);
        EXPECT_NEAR(found.low, expected["low"].get<double>(), 0.15 * width + step);
        EXPECT_NEAR(found.high, expected["high"].get<double>(), 0.15 * width + step);
        ++compared;
      }
    }
  }
  EXPECT_GE(compared, 50);
}

}  // namespace
}  // namespace palimpsest::report
