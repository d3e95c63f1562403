// palimpsest._core: what the Python files of the package call. Users see those, not this module.

#include <nanobind/nanobind.h>

#include <exception>

#include "palimpsest/base/error.h"
#include "palimpsest/cli/version.h"
#include "python/src/bindings.h"

namespace palimpsest::python {
namespace {

namespace nb = nanobind;

// Failures of the machine are OSError, with errno where it is known; our own bugs are RuntimeError.
void translate_failure(const std::exception_ptr& failure, void* /*unused*/) {
  try {
    std::rethrow_exception(failure);
  } catch (const SystemError& error) {
    if (error.code() == 0) {
      PyErr_SetString(PyExc_OSError, error.what());
    } else {
      const nb::object arguments = nb::make_tuple(error.code(), error.what());
      PyErr_SetObject(PyExc_OSError, arguments.ptr());
    }
  } catch (const BugError& error) {
    PyErr_Format(PyExc_RuntimeError, "this is a bug in Palimpsest, please report it: %s",
                 error.what());
  } catch (const Stopped& stopped) {
    PyErr_SetString(PyExc_KeyboardInterrupt, stopped.what());
  }
}

}  // namespace
}  // namespace palimpsest::python

NB_MODULE(_core, module) {
  using namespace palimpsest;
  nanobind::register_exception_translator(python::translate_failure);
  nanobind::exception<Error> error(module, "Error", PyExc_ValueError);
  error.attr("__module__") = "palimpsest";
  error.doc() =
      "The call or its input is wrong; the message says what, where and what to do about it.";
  python::add_statistics(module);
  python::add_program(module);
  python::add_traces(module);
  python::add_audit(module);
  python::add_engine(module);
  python::add_evaluation(module);
  python::add_metrics(module);
  python::add_reports(module);
  python::add_texts(module);
}
