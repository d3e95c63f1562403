#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "palimpsest/base/array.h"
#include "palimpsest/base/error.h"
#include "palimpsest/metric/metric.h"
#include "palimpsest/metric/metric_table.h"
#include "palimpsest/metric/per_domain_metric.h"
#include "palimpsest/stat/any_stat.h"
#include "palimpsest/stat/mean_stat.h"
#include "palimpsest/stat/sum_stat.h"
#include "python/src/arguments.h"
#include "python/src/bindings.h"

namespace palimpsest::python {
namespace {

using metric::TensorView;
using stat::AnyStat;

// A statistic and a metric of the library. nanobind needs types of their own for them.
struct StatValue {
  AnyStat stat;
};
struct MetricValue {
  metric::MetricPtr metric;
};

// Arrays that views refer to.
using Kept = std::vector<nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>>;

template <class T>
TensorView::Values values_of(const nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>& array) {
  return std::span<const T>(static_cast<const T*>(array.data()), array.size());
}

// Any array or number as a view of one of the four types that metrics read.
TensorView view_of(nb::handle given, const std::string& name, Kept& kept) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  nb::object array = numpy.attr("asarray")(given, nb::arg("order") = "C");
  const std::string dtype = text_of(array.attr("dtype"));
  if (dtype != "float32" && dtype != "float64" && dtype != "int32" && dtype != "int64") {
    const std::string kind = text_of(array.attr("dtype").attr("kind"));
    if (kind != "f" && kind != "i" && kind != "u" && kind != "b") {
      throw Error({.what = "the array has the wrong type",
                   .where = name,
                   .expected = "numbers",
                   .found = "dtype " + dtype});
    }
    array = array.attr("astype")(kind == "f" ? "float32" : "int64");
  }
  kept.push_back(nb::cast<nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>>(array));
  const auto& view = kept.back();
  Shape shape;
  for (size_t axis = 0; axis < view.ndim(); ++axis)
    shape.push_back(static_cast<int64_t>(view.shape(axis)));
  if (view.dtype() == nb::dtype<float>()) return {shape, values_of<float>(view)};
  if (view.dtype() == nb::dtype<double>()) return {shape, values_of<double>(view)};
  if (view.dtype() == nb::dtype<int32_t>()) return {shape, values_of<int32_t>(view)};
  return {shape, values_of<int64_t>(view)};
}

metric::Features features_of(const nb::dict& given, Kept& kept) {
  metric::Features features;
  for (const auto& [key, value] : given) {
    const auto name = nb::cast<std::string>(key);
    features.add(name, view_of(value, name, kept));
  }
  return features;
}

metric::Prediction prediction_of(nb::handle given, Kept& kept) {
  if (given.is_none()) return {};
  if (nb::isinstance<nb::dict>(given)) return features_of(nb::cast<nb::dict>(given), kept);
  return view_of(given, "prediction", kept);
}

Array array_of(nb::handle given, const char* name) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  const nb::object array =
      numpy.attr("asarray")(given, nb::arg("dtype") = "float64", nb::arg("order") = "C");
  const Numbers<double> values(array.attr("reshape")(-1), name);
  Shape shape;
  for (nb::handle extent : nb::object(array.attr("shape")))
    shape.push_back(nb::cast<int64_t>(extent));
  if (shape.empty()) return {values.values()[0]};
  return {shape, values.to_vector()};
}

nb::object numpy_of(const Array& array) {
  if (array.rank() == 0) return nb::cast(array.scalar());
  const std::span<const double> values = array.values();
  nb::list shape;
  for (const int64_t extent : array.shape()) shape.append(extent);
  return to_numpy(std::vector<double>(values.begin(), values.end()))
      .attr("reshape")(nb::tuple(shape));
}

nb::list fields_of(const StatValue& value) {
  nb::list fields;
  for (const auto& [name, array] : value.stat.save())
    fields.append(nb::make_tuple(name, numpy_of(array)));
  return fields;
}

StatValue evaluate_example(const MetricValue& self, const nb::dict& example,
                           nb::handle prediction) {
  Kept kept;
  const metric::Features features = features_of(example, kept);
  return {self.metric->evaluate_example(features, prediction_of(prediction, kept))};
}

StatValue evaluate_batch(const MetricValue& self, const nb::dict& examples, nb::handle predictions,
                         nb::handle mask) {
  Kept kept;
  const metric::Features features = features_of(examples, kept);
  const metric::Prediction prediction = prediction_of(predictions, kept);
  std::vector<uint8_t> kept_examples;
  if (!mask.is_none()) {
    for (const int64_t entry : Numbers<int64_t>(mask, "mask").values())
      kept_examples.push_back(entry != 0 ? 1 : 0);
  }
  const nb::gil_scoped_release released;
  return {metric::evaluate_batch(
      *self.metric, features, prediction,
      mask.is_none() ? std::nullopt : std::optional<metric::Mask>(kept_examples))};
}

}  // namespace

void add_metrics(nb::module_& module) {
  nb::class_<StatValue>(module, "Stat")
      .def_prop_ro("type", [](const StatValue& self) { return std::string(self.stat.type()); })
      .def("fields", fields_of)
      .def("zero", [](const StatValue& self) { return StatValue{self.stat.zero()}; })
      .def("merge", [](const StatValue& self,
                       const StatValue& other) { return StatValue{self.stat.merge(other.stat)}; })
      .def("reduce",
           [](const StatValue& self, int64_t axis) { return StatValue{self.stat.reduce(axis)}; })
      .def("result", [](const StatValue& self) { return numpy_of(self.stat.result()); });
  module.def("mean_stat", [](nb::handle accum, nb::handle weight) {
    return StatValue{stat::MeanStat::make(array_of(accum, "accum"), array_of(weight, "weight"))};
  });
  module.def("sum_stat", [](nb::handle accum) {
    return StatValue{stat::SumStat::make(array_of(accum, "accum"))};
  });
  nb::class_<MetricValue>(module, "Metric")
      .def("zero", [](const MetricValue& self) { return StatValue{self.metric->zero()}; })
      .def("evaluate_example", evaluate_example, nb::arg("example"), nb::arg("prediction").none())
      .def("evaluate_batch", evaluate_batch, nb::arg("examples"), nb::arg("predictions").none(),
           nb::arg("mask").none());
  module.def("make_metric",
             [](const std::string& spec) { return MetricValue{metric::make_metric(spec)}; });
  module.def("per_domain_metric",
             [](const MetricValue& base, int64_t num_domains, const std::string& domain_id_key) {
               return MetricValue{std::make_shared<metric::PerDomainMetric>(
                   base.metric, metric::PerDomainOptions{num_domains, domain_id_key})};
             });
}

}  // namespace palimpsest::python
