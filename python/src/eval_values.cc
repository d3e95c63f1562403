#include "python/src/eval_values.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "palimpsest/base/error.h"
#include "python/src/bindings.h"

namespace palimpsest::python {
namespace {

namespace nb = nanobind;
using eval::Field;
using eval::Number;
using eval::Parameter;

nb::object field_to_python(const Field& field) {
  return std::visit([](const auto& value) { return nb::cast(value); }, field);
}

[[noreturn]] void refuse(const std::string& metric, const std::string& what, nb::handle found) {
  throw Error({.what = what,
               .where = metric,
               .expected = R"({"agg_value": number, "value_by_index": {"0": {"name": value}}})",
               .found = nb::repr(found).c_str()});
}

// NaN counts as undefined, as in logs.
Number number_of(nb::handle value, const std::string& metric) {
  if (value.is_none()) return std::nullopt;
  const nb::object number = nb::steal(PyNumber_Float(value.ptr()));
  if (!number.is_valid()) {
    PyErr_Clear();
    refuse(metric, "a value is not a number", value);
  }
  const double result = nb::cast<double>(number);
  return std::isnan(result) ? std::nullopt : Number(result);
}

Field field_of(nb::handle value, const std::string& metric) {
  if (nb::isinstance<nb::str>(value)) return nb::cast<std::string>(value);
  if (!nb::isinstance<nb::list>(value) && !nb::isinstance<nb::tuple>(value))
    return number_of(value, metric);
  std::vector<std::string> texts;
  if (nb::len(value) > 0 && nb::try_cast(nb::borrow(value), texts)) return texts;
  std::vector<Number> numbers;
  for (nb::handle one : nb::borrow(value)) numbers.push_back(number_of(one, metric));
  return numbers;
}

}  // namespace

nb::object to_python(const Parameter& parameter) {
  if (parameter.is_bool()) return nb::cast(parameter.as_bool());
  if (parameter.is_int()) return nb::cast(parameter.as_int());
  if (parameter.is_real()) return nb::cast(parameter.as_real());
  if (parameter.is_text()) return nb::cast(parameter.as_text());
  if (parameter.is_list()) {
    nb::list values;
    for (const Parameter& value : parameter.as_list()) values.append(to_python(value));
    return values;
  }
  if (parameter.is_map()) {
    nb::dict values;
    for (const auto& [key, value] : parameter.as_map()) values[nb::cast(key)] = to_python(value);
    return values;
  }
  return nb::none();
}

nb::dict to_python(const eval::MetricResult& result) {
  nb::dict values;
  values["agg_value"] = nb::cast(result.agg_value);
  nb::dict by_index;
  for (const eval::IndexedValue& example : result.value_by_index) {
    nb::dict fields;
    for (const auto& [name, field] : example.fields)
      fields[nb::cast(name)] = field_to_python(field);
    by_index[nb::cast(example.index)] = fields;
  }
  values["value_by_index"] = by_index;
  for (const auto& [name, number] : result.numbers) values[nb::cast(name)] = nb::cast(number);
  if (result.scored) {
    values["forget"] = to_python(eval::to_logged_set(result.scored->forget));
    values["holdout"] = to_python(eval::to_logged_set(result.scored->holdout));
  }
  return values;
}

nb::dict to_python(const eval::MetricInput& input) {
  const auto traces_by_key = [](const auto& sets) {
    nb::dict by_key;
    for (const auto& [key, traces] : sets) {
      nb::list list;
      for (const trace::Trace& trace : *traces) list.append(trace_to_python(trace));
      by_key[nb::cast(key)] = list;
    }
    return by_key;
  };
  nb::dict generations;
  for (const auto& [key, texts] : input.generations) {
    nb::list list;
    for (const eval::GeneratedText& text : *texts) {
      nb::dict fields;
      fields["index"] = text.index;
      fields["input"] = text.input;
      fields["ground_truth"] = text.ground_truth;
      fields["generation"] = text.generation;
      list.append(fields);
    }
    generations[nb::cast(key)] = list;
  }
  nb::dict computed;
  for (const auto& [key, result] : input.pre_compute) computed[nb::cast(key)] = to_python(*result);
  nb::dict inputs;
  inputs["traces"] = traces_by_key(input.traces);
  inputs["reference_traces"] = traces_by_key(input.reference_traces);
  inputs["generations"] = generations;
  inputs["pre_compute"] = computed;
  return inputs;
}

eval::MetricResult result_of(nb::handle value, const std::string& metric) {
  if (!nb::isinstance<nb::dict>(value)) refuse(metric, "the handler returned no result", value);
  const auto fields = nb::cast<nb::dict>(value);
  if (!fields.contains("agg_value")) refuse(metric, "the result has no agg_value", value);
  eval::MetricResult result;
  result.agg_value = number_of(fields["agg_value"], metric);
  if (!fields.contains("value_by_index")) return result;
  const nb::object by_index = fields["value_by_index"];
  if (!nb::isinstance<nb::dict>(by_index)) refuse(metric, "value_by_index is no dict", by_index);
  for (const auto& [index, example] : nb::cast<nb::dict>(by_index)) {
    if (!nb::isinstance<nb::dict>(example))
      refuse(metric, "a value of value_by_index is no dict", example);
    eval::IndexedValue row{.index = nb::str(index).c_str(), .fields = {}};
    for (const auto& [name, field] : nb::cast<nb::dict>(example))
      row.fields.emplace_back(nb::str(name).c_str(), field_of(field, metric));
    result.value_by_index.push_back(std::move(row));
  }
  result.examples = static_cast<int64_t>(result.value_by_index.size());
  return result;
}

}  // namespace palimpsest::python
