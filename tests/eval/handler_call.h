// What the tests of metric handlers share: a metric of which everything is given, so that its
// handler can be called without any model.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/eval/handler.h"
#include "tests/eval/setup.h"
#include "tests/support/expect_error.h"

namespace palimpsest::eval {

inline const Handler& default_handler(const std::string& name) {
  return find_handler(default_handler_table(), name, "test");
}

inline trace::Trace handled_trace(const std::string& index, std::vector<double> logprob,
                                  std::vector<int64_t> argmax = {},
                                  std::vector<int64_t> label = {}) {
  trace::Trace trace{.index = index, .text = "text " + index};
  trace.num_labels = static_cast<int64_t>(logprob.size());
  trace.mean = std::vector<double>(logprob.size(), -2);
  trace.var = std::vector<double>(logprob.size(), 1);
  trace.argmax = argmax.empty() ? std::vector<int64_t>(logprob.size(), 1) : std::move(argmax);
  trace.label = label.empty() ? std::vector<int64_t>(logprob.size(), 1) : std::move(label);
  trace.grad_norm["2"] = -logprob.front();
  trace.logprob = std::move(logprob);
  return trace;
}

inline trace::Trace unlabelled_trace(const std::string& index) {
  return {.index = index,
          .text = "",
          .logprob = std::vector<double>{},
          .mean = std::vector<double>{},
          .var = std::vector<double>{},
          .argmax = std::vector<int64_t>{},
          .label = std::vector<int64_t>{}};
}

// Intervals are drawn from the values that are averaged, so their mean must be the number.
inline void expect_mean_of_averaged(const std::string& name, const MetricSetting& setting,
                                    const MetricResult& result) {
  const Handler& handler = default_handler(name);
  if (handler.averaged == nullptr) return;
  EXPECT_EQ(mean_of(averaged_values(result, handler.averaged(setting), name)), result.agg_value)
      << name;
}

// Texts that the model finishes more or less by itself; the last token predicts the end.
inline std::vector<trace::Trace> memorized_traces() {
  return {handled_trace("0", {-1, -1, -1, -1, -1}, {1, 9, 3, 4, 9}, {1, 2, 3, 4, 5}),
          handled_trace("1", {-1, -1, -1}, {9, 9, 9}, {1, 2, 3}),
          handled_trace("2", {-1, -1}, {1, 9}, {1, 2}), handled_trace("3", {-1}, {1}, {1}),
          unlabelled_trace("4")};
}

// A metric of which everything can be given, and its computation by a handler of the default table.
struct HandlerCall {
  MetricSetting setting;
  std::map<std::string, std::vector<trace::Trace>> traces = {};
  std::map<std::string, std::vector<trace::Trace>> reference_traces = {};
  std::vector<std::pair<std::string, MetricResult>> pre_compute = {};
  std::map<std::string, PreparedData> data = {};

  explicit HandlerCall(const Json& config = Json::object())
      : setting{"metric", parameter_of(config), {}, {}} {}

  void computed(const std::string& key, MetricResult result) {
    setting.pre_compute.push_back(key);
    pre_compute.emplace_back(key, std::move(result));
  }

  MetricResult compute(const std::string& name) const {
    default_handler(name).needs(setting);
    MetricInput input{.setting = setting};
    for (const auto& [key, list] : traces) input.traces[key] = &list;
    for (const auto& [key, list] : reference_traces) input.reference_traces[key] = &list;
    for (const auto& [key, result] : pre_compute) input.pre_compute.emplace_back(key, &result);
    for (const auto& [key, prepared] : data) input.data[key] = &prepared;
    MetricResult result = default_handler(name).compute(input);
    expect_mean_of_averaged(name, setting, result);
    return result;
  }

  std::string needs_error(const std::string& name) const {
    return error_of([&] { default_handler(name).needs(setting); });
  }
};

// A field of an example as one number.
inline Number field_value(const MetricResult& result, size_t index, const char* field) {
  return field_mean(*result.value_by_index.at(index).find(field));
}

// A result in which each example has this field, with several values for several alternatives.
inline MetricResult result_of_field(const char* field,
                                    const std::vector<std::vector<Number>>& values) {
  MetricResult result;
  for (size_t i = 0; i < values.size(); ++i) {
    Field content = values[i].size() == 1 ? Field(values[i][0]) : Field(values[i]);
    result.value_by_index.push_back({std::to_string(i), {{field, content}}});
  }
  return result;
}

}  // namespace palimpsest::eval
