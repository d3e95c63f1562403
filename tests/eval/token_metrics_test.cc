#include "palimpsest/eval/token_metrics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "palimpsest/base/random.h"
#include "palimpsest/metric/evaluate_model.h"
#include "palimpsest/metric/metric_table.h"
#include "palimpsest/stat/mean_stat.h"
#include "tests/support/expect_error.h"

namespace palimpsest::eval {
namespace {

constexpr int64_t kVocabulary = 7;

// Random logits of sequences of different lengths, as the metrics read them and as traces.
struct TokenData {
  std::vector<std::vector<double>> targets;  // padded with 0
  std::vector<std::vector<double>> logits;
  std::vector<trace::Trace> traces;
  TokenRanks ranks;
  std::vector<double> domains;
};

TokenData token_data() {
  TokenData data;
  Random random(3);
  constexpr size_t kLongest = 5;
  for (const size_t length : {3U, 5U, 1U, 4U}) {
    trace::Trace trace{.index = std::to_string(data.traces.size())};
    data.ranks.emplace_back();
    trace.num_labels = static_cast<int64_t>(length);
    trace.logprob.emplace();
    trace.argmax.emplace();
    trace.label.emplace();
    std::vector<double> targets(kLongest, 0);
    std::vector<double> logits;
    for (size_t t = 0; t < kLongest; ++t) {
      std::vector<double> row;
      double sum = 0;
      for (int64_t v = 0; v < kVocabulary; ++v) {
        row.push_back(3 * random.uniform());
        sum += std::exp(row.back());
      }
      logits.insert(logits.end(), row.begin(), row.end());
      if (t >= length) continue;
      const auto best = static_cast<int64_t>(std::ranges::max_element(row) - row.begin());
      const int64_t label = t % 2 == 0 ? best : 1 + static_cast<int64_t>(random.below(6));
      const int64_t target = label == 0 ? 1 : label;  // 0 is padding
      targets[t] = static_cast<double>(target);
      trace.label->push_back(target);
      trace.argmax->push_back(best);
      data.ranks.back().push_back(std::ranges::count_if(
          row, [&](double logit) { return logit > row[static_cast<size_t>(target)]; }));
      trace.logprob->push_back(row[static_cast<size_t>(target)] - std::log(sum));
    }
    data.domains.push_back(static_cast<double>(data.traces.size() % 2));
    trace.groups["domain_id"] = std::to_string(data.traces.size() % 2);
    data.targets.push_back(targets);
    data.logits.push_back(logits);
    data.traces.push_back(trace);
  }
  return data;
}

stat::AnyStat by_logits(const std::string& spec, const TokenData& data) {
  const metric::MetricPtr metric = metric::make_metric(spec);
  stat::AnyStat sum = metric->zero();
  for (size_t i = 0; i < data.targets.size(); ++i) {
    const Array y = Array::vector(data.targets[i]);
    const Array logits({static_cast<int64_t>(data.targets[i].size()), kVocabulary}, data.logits[i]);
    sum =
        sum.merge(metric->evaluate_example(metric::Features{{"y", y}}, metric::Prediction(logits)));
  }
  return sum;
}

void expect_same_result(const stat::AnyStat& found, const stat::AnyStat& expected) {
  ASSERT_EQ(found.type(), expected.type());
  const Array a = found.result();
  const Array b = expected.result();
  ASSERT_EQ(a.shape(), b.shape());
  for (int64_t i = 0; i < a.size(); ++i) {
    EXPECT_NEAR(a.values()[static_cast<size_t>(i)], b.values()[static_cast<size_t>(i)], 1e-12);
  }
}

TEST(TokenMetricsTest, EqualTheMetricsOverLogits) {
  const TokenData data = token_data();
  for (const std::string& name : token_metric_names()) {
    SCOPED_TRACE(name);
    TokenMetric metric{.name = name};
    std::string spec = name;
    if (name == "sequence_token_top_k_accuracy") spec += ":k=1";
    if (name == "sequence_token_oov_rate") {
      metric.values = {2, 3};
      spec += ":oov_target_values=2,3";
    }
    if (name == "sequence_truncation_rate") {
      metric.values = {4};
      spec += ":eos_target_value=4";
    }
    expect_same_result(token_statistic(metric, data.traces), by_logits(spec, data));
  }
  for (const char* name : {"sequence_token_cross_entropy_loss", "sequence_token_accuracy"}) {
    expect_same_result(token_statistic({.name = name, .per_position = true}, data.traces),
                       by_logits(std::string(name) + ":per_position=true", data));
  }
}

TEST(TokenMetricsTest, TopKByRanks) {
  const TokenData data = token_data();
  for (const int64_t k : {1, 2, 3, 7}) {
    expect_same_result(token_statistic({.name = "sequence_token_top_k_accuracy", .k = k},
                                       data.traces, std::nullopt, data.ranks),
                       by_logits("sequence_token_top_k_accuracy:k=" + std::to_string(k), data));
  }
}

TEST(TokenMetricsTest, DomainsAreALeadingAxis) {
  const TokenData data = token_data();
  const TokenMetric metric{.name = "SequenceTokenAccuracy", .per_position = true};
  const stat::AnyStat both = token_statistic(metric, data.traces, TokenDomains{"domain_id", 3});
  EXPECT_EQ(both.result().shape(), (Shape{3, 5}));
  expect_same_result(both.reduce(), token_statistic(metric, data.traces));
  EXPECT_TRUE(std::isnan(both.reduce(1).result().values()[2]));  // nobody is in the third
  expect_contains(
      error_of([&] {
        token_statistic(metric, data.traces, TokenDomains{"domain_id", 1});
      }),
      "'domain_id' of the example '1' is not a domain (expected a whole number from 0 to "
      "0, found 1)");
  expect_contains(error_of([&] {
                    token_statistic(metric, data.traces, TokenDomains{"author", 2});
                  }),
                  "found nothing");
}

TEST(TokenMetricsTest, WhatDoesNotCount) {
  const TokenData data = token_data();
  const TokenMetric all{.name = "sequence_token_count"};
  TokenMetric some = all;
  some.masked = {1, 2, 3, 4, 5};
  EXPECT_EQ(token_statistic(all, data.traces).result().scalar(), 13);
  EXPECT_LT(token_statistic(some, data.traces).result().scalar(), 13);
  some.masked.push_back(6);
  EXPECT_EQ(token_statistic(some, data.traces).result().scalar(), 0);
  EXPECT_TRUE(
      std::isnan(token_statistic({.name = "sequence_length", .masked = some.masked}, data.traces)
                     .result()
                     .scalar()));
}

TEST(TokenMetricsTest, Refusals) {
  const std::vector<trace::Trace> bare = {{.index = "a", .num_labels = 1}};
  const auto refused = [&](const TokenMetric& metric) {
    return error_of([&] { token_statistic(metric, bare); });
  };
  expect_contains(refused({.name = "accuracy"}), "'accuracy' is not computed from a model");
  expect_contains(refused({.name = "sequence_token_top_k_accuracy", .k = 3}), "k must be 1");
  expect_contains(refused({.name = "sequence_token_top_k_accuracy", .k = 0}), "at least 1");
  expect_contains(refused({.name = "sequence_length", .per_position = true}), "by position");
  expect_contains(refused({.name = "sequence_token_oov_rate"}), "are missing");
  expect_contains(refused({.name = "sequence_token_accuracy"}), "lacks 'label'");
}

}  // namespace
}  // namespace palimpsest::eval
